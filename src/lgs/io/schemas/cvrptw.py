"""Vehicle routing with time windows: as cvrp, and when each customer is open and how long service takes."""

from __future__ import annotations

from typing import Any

from ...problems import Solution
from ...problems.cvrptw import Instance
from ...problems.routes import DEPOT
from .. import routes
from ..fields import Fields
from ..named import Named
from ..routes import parse, plain

__all__ = [
    "COLUMNS", "EMPTY", "FIRST", "KEYS", "PLACES", "SINGLE", "TABLES",
    "build", "describe", "parse", "plain", "rows",
]  # fmt: skip

SINGLE = ("capacity",)
COLUMNS = ("demand", "ready", "due", "service")
TABLES: tuple[str, ...] = ()
PLACES = True
FIRST = 0
KEYS = ("route", "number")
EMPTY = False


def build(fields: Fields) -> Instance:
    loads = routes.loads(fields)
    size = fields.geometry().size
    ready, due, service = (fields.column(name, size) for name in ("ready", "due", "service"))
    for opens, closes, lasts in zip(ready, due, service):
        opens.number(least=0)
        lasts.number(least=0)
        if closes.number() < opens.number():
            raise closes.error(f"due {closes.shown()} is before ready {opens.shown()}")
    if service[DEPOT].number() != 0:
        raise service[DEPOT].error(f"the depot's service time must be 0, not {service[DEPOT].shown()}")
    return Instance(**loads, ready=routes.times(ready), due=routes.times(due), service=routes.times(service))


def describe(instance: Instance) -> dict[str, Any]:
    windows = {"ready": instance.ready, "due": instance.due, "service": instance.service}
    return {**routes.describe(instance), **{name: values[0].tolist() for name, values in windows.items()}}


def rows(named: Named, solution: Solution) -> list[dict[str, Any]]:
    """Each stop with the load so far, the arrival, the start of service (after any waiting) and the departure."""
    instance: Instance = named.instance
    travel = instance.places.distances()[0].tolist()
    ready, service = instance.ready[0].tolist(), instance.service[0].tolist()
    clock = []
    for route in solution:
        here, time = DEPOT, ready[DEPOT]
        for stop in route:
            arrival = time + travel[here][stop]
            start = max(arrival, ready[stop])
            here, time = stop, start + service[stop]
            clock.append({"arrival": arrival, "start": start, "departure": time})
    return [{**row, **times} for row, times in zip(routes.rows(named, solution), clock)]
