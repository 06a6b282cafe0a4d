"""The share of proposals that chains accept, over the search: each iteration, and a running mean."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import canvas

WINDOW = 25
"""Iterations in the running mean; a quarter of them all where they are few."""


def draw(seconds: Sequence[float], accepted: Sequence[float], title: str = "", ax: Any = None) -> Any:
    ax = canvas.axes(ax, (7.5, 3.5))
    percent = 100 * np.asarray(accepted)
    ax.plot(seconds, percent, ".", color=canvas.colour(4), markersize=4, label="each iteration")
    width = min(WINDOW, max(1, len(percent) // 4))
    mean = np.convolve(percent, np.ones(width) / width, "valid")
    ax.plot(seconds[width - 1 :], mean, color=canvas.colour(0), linewidth=1.8, label=f"mean of the last {width}")
    ax.set_xlim(left=0)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("seconds of search")
    ax.set_ylabel("proposals accepted in %")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    ax.set_title(title)
    return ax.figure
