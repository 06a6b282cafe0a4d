"""Vehicle routes in colours around the depot, and how full each vehicle is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...problems.routes import DEPOT, Instance
from . import canvas

LABELLED = 30
"""Routes that still have their numbers, on the map and beside the bars."""
ROWS = 8
"""Bars that there is room for at least: few routes do not make fat ones."""


def draw(instance: Instance, routes: list[list[int]], title: str = "", ax: Any = None) -> Any:
    ax = canvas.axes(ax, (9.0, 6.5))
    order = around_depot(instance, routes)
    draw_map(ax, instance, routes, order)
    ax.set_title(title)
    bars = ax.inset_axes((1.02, 0.0, 0.2, 1.0))
    draw_loads(bars, instance, routes, order)
    return ax.figure


def around_depot(instance: Instance, routes: list[list[int]]) -> list[int]:
    """Routes by their direction from the depot, so that neighbours get different colours."""
    where = canvas.points(instance.places)
    away = [where[route].mean(0) - where[DEPOT] for route in routes]
    return sorted(range(len(routes)), key=lambda number: float(np.arctan2(away[number][1], away[number][0])))


def draw_map(ax: Any, instance: Instance, routes: list[list[int]], order: list[int]) -> None:
    """Legs to and from the depot are faint: they cross everything and say little."""
    where, count = canvas.points(instance.places), instance.places.size
    width, faint = canvas.line_width(count), 0.45 if count <= 150 else 0.25
    for place, number in enumerate(order):
        route, colour = routes[number], canvas.around(place, len(order))
        ax.plot(*where[route].T, color=colour, linewidth=width, zorder=2)
        ax.scatter(*where[route].T, color=colour, s=canvas.dot_size(count), zorder=3, linewidths=0)
        for end in {route[0], route[-1]}:
            legs = where[[DEPOT, end]]
            ax.plot(*legs.T, color=colour, linewidth=0.6 * width, alpha=faint, linestyle=(0, (4, 2)), zorder=1)
        if len(routes) <= LABELLED:
            _number(ax, where[DEPOT], where[route], str(number + 1))
    ax.scatter(*where[DEPOT], s=90, marker="s", color="black", edgecolors="white", zorder=4)
    canvas.plain_map(ax)


def _number(ax: Any, depot: Any, stops: Any, text: str) -> None:
    """A route's number beyond its farthest stop: colours come back, and not everyone tells all of them apart."""
    away = np.linalg.norm(stops - depot, axis=1)
    far = int(away.argmax())
    beyond = 9 * (stops[far] - depot) / max(float(away[far]), 1e-12)
    plate = {"facecolor": "white", "edgecolor": "none", "alpha": 0.7, "pad": 0.5}
    ax.annotate(
        text, stops[far], beyond, textcoords="offset points", ha="center", va="center", fontsize=7, bbox=plate, zorder=5
    )


def draw_loads(ax: Any, instance: Instance, routes: list[list[int]], order: list[int]) -> None:
    """One bar per route, as a share of the vehicle's capacity."""
    demands, capacity = instance.demands[0].tolist(), int(instance.capacity[0])
    loads = [100 * sum(demands[stop] for stop in routes[number]) / capacity for number in order]
    rows = range(len(order))
    ax.barh(rows, loads, color=[canvas.around(row, len(order)) for row in rows], height=0.8)
    ax.axvline(100, color="black", linewidth=0.8)
    ax.set_xlim(0, 105)
    ax.set_ylim(max(len(order), ROWS) - 0.4, -0.6)
    ax.set_xticks([0, 50, 100], ["0", "50", "100%"], fontsize=7)
    shown = list(rows) if len(order) <= LABELLED else []
    ax.set_yticks(shown, [str(order[row] + 1) for row in shown], fontsize=7)
    ax.yaxis.tick_right()
    ax.tick_params(axis="y", length=0)
    ax.set_title(f"load of {len(order)} route{'s' * (len(order) != 1)}", fontsize=8)
    for side in ("top", "left", "right"):
        ax.spines[side].set_visible(False)
