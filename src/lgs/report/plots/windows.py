"""When each customer is open, when the vehicle waits and when it serves: one row per customer, route by route."""

from __future__ import annotations

from typing import Any

from ...problems.cvrptw import Instance
from ...problems.routes import DEPOT
from . import canvas
from .routes import around_depot

LABELLED = 100
"""Customers that still have their numbers, smaller where there are many: Solomon's instances have so many."""
NUMBERED = 25
"""Routes that still have theirs."""
LINE = 0.02
"""Share of the height that a route's number takes."""
CROWD = 150
"""Rows from which on lines become thinner, so that they do not cover what they divide."""


def draw(instance: Instance, routes: list[list[int]], title: str = "", ax: Any = None) -> Any:
    ax = canvas.axes(ax, (9.0, 7.0))
    travel = instance.places.distances()[0].tolist()
    ready, due, service = (values[0].tolist() for values in (instance.ready, instance.due, instance.service))
    thin = min(1.0, CROWD / max(1, sum(map(len, routes))))
    rows: list[int] = []
    middles: list[float] = []
    waits: list[tuple[float, float]] = []
    serves: list[tuple[float, float, str]] = []
    order = around_depot(instance, routes)
    for place, number in enumerate(order):
        route, colour = routes[number], canvas.around(place, len(order))
        here, time, begin = DEPOT, ready[DEPOT], len(rows)
        clock = [(time, begin - 0.5)]
        for stop in route:
            row, arrival = len(rows), time + travel[here][stop]
            start = max(arrival, ready[stop])
            rows.append(stop)
            waits.append((arrival, start - arrival))
            serves.append((start, max(service[stop], 0.004 * (due[DEPOT] - ready[DEPOT])), colour))
            here, time = stop, start + service[stop]
            clock += [(arrival, row), (time, row)]
        clock.append((time + travel[here][DEPOT], len(rows) - 0.5))
        ax.plot(*zip(*clock), color=colour, linewidth=0.8 * thin, zorder=3)
        ax.axhline(len(rows) - 0.5, color="black", linewidth=0.4 * thin)
        middles.append((begin + len(rows) - 1) / 2)
    if len(routes) <= NUMBERED:
        for number, height in zip(order, _apart(middles, LINE * len(rows))):
            ax.text(1.01, height, f"{number + 1}", transform=ax.get_yaxis_transform(), va="center", fontsize=7)
    _bars(ax, 0.9, 1, [(ready[stop], due[stop] - ready[stop], "#E4E4E4") for stop in rows])
    _bars(ax, 0.25, 2, [(*wait, canvas.GREY) for wait in waits])
    _bars(ax, 0.7, 4, serves)
    _scales(ax, rows, ready[DEPOT], due[DEPOT])
    ax.set_title(title or "hours of the customers (grey), waiting and service, by route")
    return ax.figure


def _apart(heights: list[float], least: float) -> list[float]:
    """Rising heights, each pushed as far as it takes to be `least` beyond the one before."""
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + least) if found else height)
    return found


def _bars(ax: Any, height: float, layer: int, bars: list[tuple[float, float, str]]) -> None:
    """One (begin, length, colour) in each row."""
    begins, lengths, colours = zip(*bars) if bars else ((), (), ())
    ax.barh(range(len(bars)), lengths, left=begins, color=colours, height=height, zorder=layer)


def _scales(ax: Any, rows: list[int], opening: float, closing: float) -> None:
    ax.set_ylim(len(rows) - 0.5, -0.5)
    shown = range(len(rows)) if len(rows) <= LABELLED else []
    ax.set_yticks(list(shown), [str(rows[row]) for row in shown], fontsize=min(6.0, 430 / max(1, len(rows))))
    ax.set_ylabel("customers in the order of their routes")
    ax.set_xlim(opening, closing)
    ax.set_xlabel("time (the depot's hours)")
