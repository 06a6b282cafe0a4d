"""A closed tour with its start and its direction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...problems.geometry import Geometry
from . import canvas

ARROWS = 12
"""Legs that carry an arrow head, evenly along the tour."""


def draw(places: Geometry, tour: list[int], title: str = "", ax: Any = None) -> Any:
    """The way from the start to the first arrow has the start's colour: which way it sets out is seen at any size."""
    ax = canvas.axes(ax)
    where = canvas.points(places)
    path = where[[*tour, tour[0]]]
    width, (way, first) = canvas.line_width(len(tour)), (canvas.colour(0), canvas.colour(3))
    arrows = _long_legs(path)
    ax.plot(*path.T, color=way, linewidth=width, zorder=1)
    ax.plot(*path[: arrows[0] + 2 if arrows else 1].T, color=first, linewidth=1.5 * width, zorder=1)
    ax.scatter(*where.T, s=canvas.dot_size(len(tour)), color="black", zorder=2, linewidths=0)
    for leg in arrows:
        ax.annotate(
            "",
            xy=path[leg] + 0.62 * (path[leg + 1] - path[leg]),
            xytext=path[leg] + 0.38 * (path[leg + 1] - path[leg]),
            arrowprops={"arrowstyle": "-|>", "color": first if leg == arrows[0] else way, "mutation_scale": 13},
        )
    ax.scatter(*path[0], s=150, marker="*", color=first, edgecolors="white", zorder=3, label="start")
    ax.legend(loc="upper left", fontsize=8, framealpha=0.9)
    canvas.plain_map(ax)
    ax.set_title(title)
    return ax.figure


def _long_legs(path: NDArray[np.float64]) -> list[int]:
    """In each of `ARROWS` stretches of the tour, the longest leg: there is room for an arrow."""
    length = np.linalg.norm(np.diff(path, axis=0), axis=1)
    stretches = np.array_split(np.arange(len(length)), min(ARROWS, len(length)))
    longest = [int(part[length[part].argmax()]) for part in stretches]
    return [leg for leg in longest if length[leg] > 0]
