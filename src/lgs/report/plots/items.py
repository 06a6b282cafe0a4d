"""The items of a knapsack by weight and value: chosen ones lie above a line of value per weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...problems.knapsack import Instance
from . import canvas


def draw(instance: Instance, chosen: list[list[int]], title: str = "", ax: Any = None) -> Any:
    ax = canvas.axes(ax, (7.5, 5.0))
    weights = instance.weights[0].numpy() * instance.unit
    values = instance.values[0].numpy()
    taken = np.zeros(len(weights), dtype=bool)
    taken[[item - 1 for part in chosen for item in part]] = True
    size = canvas.dot_size(len(weights))
    ax.scatter(weights[~taken], values[~taken], s=size, marker="x", color=canvas.GREY, label="left")
    ax.scatter(weights[taken], values[taken], s=size, color=canvas.colour(0), label="taken")
    full = 100 * weights[taken].sum() / (int(instance.capacity[0]) * instance.unit)
    ax.set_xlabel("weight")
    ax.set_ylabel("value")
    # Items may lie anywhere: the legend keeps beside them.
    ax.legend(title=f"{full:.1f}% full", fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1.0))
    ax.set_title(title)
    return ax.figure
