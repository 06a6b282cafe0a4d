"""Knapsack: a weight and a value per item and a capacity; the numbers of the chosen items, from 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...problems import Solution
from ...problems.knapsack import Instance
from .. import exact
from ..fields import Fields
from ..named import Named
from ..text import Cell

SINGLE = ("capacity",)
COLUMNS = ("weight", "value")
TABLES: tuple[str, ...] = ()
PLACES = False
FIRST = 0
KEYS = ("number",)
EMPTY = True


def build(fields: Fields) -> Instance:
    weights, capacity = fields.column("weight"), fields.cell("capacity")
    values = fields.column("value", len(weights))
    if not weights:
        raise fields.error("there are no items")
    if capacity.number() <= 0:
        raise capacity.error(f"the capacity must be positive, not {capacity.shown()}")
    for cell in (*weights, *values):
        cell.number(least=0)
    (room, *amounts), unit = exact.scaled([capacity, *weights])
    worth = [[cell.number() for cell in values]]
    return Instance(
        weights=torch.tensor([amounts], dtype=torch.int64),
        values=torch.tensor(worth, dtype=torch.float64),
        capacity=torch.tensor([room], dtype=torch.int64),
        unit=unit,
    )


def describe(instance: Instance) -> dict[str, Any]:
    weights = [exact.plain(amount, instance.unit) for amount in instance.weights[0].tolist()]
    capacity = exact.plain(int(instance.capacity[0]), instance.unit)
    return {"capacity": capacity, "weight": weights, "value": instance.values[0].tolist()}


def plain(named: Named, solution: Solution) -> list[int]:
    return [named.number(item) for part in solution for item in part]


def rows(named: Named, solution: Solution) -> list[dict[str, Any]]:
    weights, values, unit = named.instance.weights[0].tolist(), named.instance.values[0].tolist(), named.instance.unit
    return [
        {
            "number": named.number(item),
            "name": named.label(item - 1),
            "weight": exact.plain(weights[item - 1], unit),
            "value": values[item - 1],
        }
        for part in solution
        for item in part
    ]


def parse(named: Named, rows: Sequence[dict[str, Cell]]) -> Solution:
    return [[named.entry(row["number"], 1, named.size) for row in rows]]
