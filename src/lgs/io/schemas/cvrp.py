"""Capacitated vehicle routing: places, demands, a capacity; routes of customers 1..n without the depot."""

from __future__ import annotations

from ...problems.cvrp import Instance
from ..fields import Fields
from ..routes import describe, loads, parse, plain, rows

__all__ = [
    "COLUMNS", "EMPTY", "FIRST", "KEYS", "PLACES", "SINGLE", "TABLES",
    "build", "describe", "parse", "plain", "rows",
]  # fmt: skip

SINGLE = ("capacity",)
COLUMNS = ("demand",)
TABLES: tuple[str, ...] = ()
PLACES = True
FIRST = 0
KEYS = ("route", "number")
EMPTY = False


def build(fields: Fields) -> Instance:
    return Instance(**loads(fields))
