"""A training run: the costs it saw, its validation score and its loss, over the instances trained on."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import canvas

FILE = "log.csv"
SMOOTH = 40
"""The running mean of what is noisy looks back over this share of the record: a fortieth."""
CLOSE = 0.18
"""Share of the width that a phase's name takes at most; the name of one that begins nearer goes a line higher."""


def read(folder: Path) -> dict[str, NDArray[Any]]:
    """The columns of a run's record; numbers that were not written are nan."""
    path = folder / FILE if folder.is_dir() else folder
    try:
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise ValueError(f"{folder}: no training run ({FILE} cannot be read)") from error
    needed = ("instances", "phase", "cost", "best", "loss", "validation")
    if not rows or any(rows[0].get(name) is None for name in needed):
        raise ValueError(f"{path}: not the record of a training run, or nothing is in it yet")
    try:
        numbers = {name: np.array([float(row[name] or "nan") for row in rows]) for name in needed if name != "phase"}
    except ValueError as error:
        raise ValueError(f"{path}: damaged record ({error})") from error
    return {**numbers, "phase": np.array([row["phase"] for row in rows])}


def draw(columns: dict[str, NDArray[Any]], title: str = "", ax: Any = None) -> Any:
    """Three panels: costs, validation, loss. On given axes, the costs alone."""
    if ax is not None:
        _costs(ax, columns)
        ax.set_title(title)
        return ax.figure
    from matplotlib.figure import Figure

    scored = bool(np.isfinite(columns["validation"]).any())
    figure = Figure(figsize=(7.5, 8.0 if scored else 5.5), dpi=150, layout="constrained")
    panels = list(figure.subplots(2 + scored, 1, sharex=True))
    _costs(panels[0], columns)
    if scored:
        _validation(panels[1], columns)
    _loss(panels[-1], columns)
    for panel in panels:
        _phases(panel, columns, named=panel is panels[0])
        panel.grid(alpha=0.3)
    panels[-1].set_xlabel("instances trained on")
    figure.suptitle(title)
    return figure


def _costs(ax: Any, columns: dict[str, NDArray[Any]]) -> None:
    for number, (name, label) in enumerate((("cost", "mean of the sampled"), ("best", "best of each instance"))):
        ax.plot(columns["instances"], columns[name], color=canvas.colour(number), alpha=0.25, linewidth=0.8)
        mean = _smooth(columns[name], len(columns[name]))
        ax.plot(columns["instances"], mean, color=canvas.colour(number), label=label)
    ax.set_ylabel("training cost")
    ax.legend(fontsize=8)


def _validation(ax: Any, columns: dict[str, NDArray[Any]]) -> None:
    known = np.isfinite(columns["validation"])
    ax.plot(columns["instances"][known], columns["validation"][known], "o-", color=canvas.colour(2), markersize=3)
    ax.set_ylabel("validation\n(gap in %, or cost)")


def _loss(ax: Any, columns: dict[str, NDArray[Any]]) -> None:
    ax.plot(columns["instances"], columns["loss"], color=canvas.GREY, alpha=0.4, linewidth=0.8)
    for phase in dict.fromkeys(columns["phase"]):
        inside = columns["phase"] == phase
        mean = _smooth(columns["loss"][inside], len(inside))
        ax.plot(columns["instances"][inside], mean, color=canvas.colour(3))
    ax.set_ylabel("loss")


def _phases(ax: Any, columns: dict[str, NDArray[Any]], named: bool) -> None:
    """A line where a phase begins, with its name in the first panel."""
    line, last, near = 0, -np.inf, CLOSE * np.ptp(columns["instances"])
    for phase in dict.fromkeys(columns["phase"]):
        begin = columns["instances"][columns["phase"] == phase][0]
        ax.axvline(begin, color="black", linewidth=0.7, linestyle=":")
        line, last = line + 1 if begin - last < near else 0, begin
        if named:
            place = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            ax.annotate(phase, (begin, 1.0), (0, 10 * line), fontsize=7, va="bottom", **place)


def _smooth(values: NDArray[Any], record: int) -> NDArray[Any]:
    """A running mean that starts unbiased, of a part of a record of so many values."""
    past = 1 - 1 / max(1, record // SMOOTH)
    kept, weight, out = 0.0, 0.0, []
    for value in values:
        kept, weight = past * kept + (1 - past) * value, past * weight + (1 - past)
        out.append(kept / weight)
    return np.asarray(out)
