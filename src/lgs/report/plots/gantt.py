"""A job-shop schedule: one row per machine, one colour per job."""

from __future__ import annotations

import itertools
from typing import Any

from ...problems.jobshop import Instance
from . import canvas

LABELLED = 15
"""Jobs whose numbers are still readable in their bars."""
NARROWEST = 0.015
"""Share of the whole time that a bar has at least for each digit of its number."""
PER_COLUMN = 25
"""Jobs below one another in the legend, which names them where the bars cannot."""
_HATCHES = ("", "////", "....", "xxxx")


def draw(instance: Instance, starts: list[list[int]], title: str = "", ax: Any = None) -> Any:
    ax = canvas.axes(ax, (9.0, 1.5 + 0.4 * min(instance.steps, 20)))
    lengths, machines = instance.durations[0].tolist(), instance.machines[0].tolist()
    end = max((start + lengths[node] for node, start in enumerate(itertools.chain(*starts))), default=0)
    for job, times in enumerate(starts):
        nodes = range(job * instance.steps, (job + 1) * instance.steps)
        rows, widths = [machines[node] for node in nodes], [lengths[node] for node in nodes]
        hatch = _HATCHES[job // len(canvas.COLOURS) % len(_HATCHES)]
        bars = ax.barh(
            rows,
            widths,
            left=times,
            height=0.8,
            color=canvas.colour(job),
            hatch=hatch,
            edgecolor="white",
            linewidth=0.5,
        )
        bars.set_label(str(job + 1))
        if instance.jobs <= LABELLED:
            ink = canvas.ink(canvas.colour(job))
            plate = {"facecolor": canvas.colour(job), "edgecolor": "none", "pad": 0.7}
            for row, start, width in zip(rows, times, widths):
                if width >= NARROWEST * len(str(job + 1)) * end:
                    ax.text(
                        start + width / 2, row, job + 1, ha="center", va="center", color=ink, fontsize=7, bbox=plate
                    )
    ax.axvline(end, color="black", linewidth=1)
    ax.set_xlim(0, end * 1.02 or 1)
    ax.set_yticks(range(instance.steps), [f"machine {row + 1}" for row in range(instance.steps)], fontsize=7)
    ax.invert_yaxis()
    ax.set_xlabel("time; the numbers are jobs" if instance.jobs <= LABELLED else "time; a colour and pattern per job")
    if instance.jobs > LABELLED:
        columns = -(-instance.jobs // PER_COLUMN)
        ax.legend(title="job", fontsize=7, ncols=columns, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    ax.set_title(title)
    return ax.figure
