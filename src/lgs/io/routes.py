"""What the files of vehicle routing problems share: demands, a capacity, routes of customers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from ..problems import Solution
from ..problems.routes import DEPOT, Instance
from . import exact
from .fields import Fields
from .named import Named
from .places import describe as describe_places
from .text import Cell


def loads(fields: Fields) -> dict[str, Any]:
    """`places`, `demands` [1, N], `capacity` [1] and `unit` of an instance, all judged."""
    places = fields.geometry()
    if places.size < 2:
        raise fields.error("there are no customers")
    demands, capacity = fields.column("demand", places.size), fields.cell("capacity")
    if capacity.number() <= 0:
        raise capacity.error(f"the capacity must be positive, not {capacity.shown()}")
    for customer, cell in enumerate(demands):
        if cell.number() < 0:
            raise cell.error(f"the demand {cell.shown()} of customer {customer} is negative")
    if demands[DEPOT].number() != 0:
        raise demands[DEPOT].error(f"the depot's demand must be 0, not {demands[DEPOT].shown()}")
    (room, *amounts), unit = exact.scaled([capacity, *demands])
    return {
        "places": places,
        "demands": torch.tensor([amounts], dtype=torch.int64),
        "capacity": torch.tensor([room], dtype=torch.int64),
        "unit": unit,
    }


def describe(instance: Instance) -> dict[str, Any]:
    """The JSON fields of `loads`."""
    amounts = [exact.plain(amount, instance.unit) for amount in instance.demands[0].tolist()]
    capacity = exact.plain(int(instance.capacity[0]), instance.unit)
    return {**describe_places(instance.places), "demand": amounts, "capacity": capacity}


def plain(named: Named, solution: Solution) -> list[list[int]]:
    return [[named.number(stop) for stop in route] for route in solution]


def rows(named: Named, solution: Solution) -> list[dict[str, Any]]:
    """Each stop of each route with the load handed over up to there."""
    demands, unit, found = named.instance.demands[0].tolist(), named.instance.unit, []
    for number, route in enumerate(solution, 1):
        load = 0
        for stop, customer in enumerate(route, 1):
            load += demands[customer]
            about = {"number": named.number(customer), "name": named.label(customer)}
            found.append({"route": number, "stop": stop, **about, "load": exact.plain(load, unit)})
    return found


def parse(named: Named, rows: Sequence[dict[str, Cell]]) -> Solution:
    """Routes in the order in which the file first mentions them."""
    routes: dict[str, list[int]] = {}
    for row in rows:
        customer = named.entry(row["number"], 1, named.size - 1)
        routes.setdefault(row["route"].text, []).append(customer)
    return list(routes.values())


def times(cells: Sequence[Cell]) -> Tensor:
    """[1, N] float64"""
    return torch.tensor([[cell.number() for cell in cells]], dtype=torch.float64)
