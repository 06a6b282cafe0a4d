"""Travelling salesman: places; a tour of node numbers, counted from 1 unless the file has its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...problems import Solution
from ...problems.tsp import Instance
from ..fields import Fields
from ..named import Named
from ..places import describe as describe_places
from ..text import Cell

SINGLE: tuple[str, ...] = ()
COLUMNS: tuple[str, ...] = ()
TABLES: tuple[str, ...] = ()
PLACES = True
FIRST = 1
KEYS = ("number",)
EMPTY = False


def build(fields: Fields) -> Instance:
    return Instance(fields.geometry())


def describe(instance: Instance) -> dict[str, Any]:
    return describe_places(instance.places)


def plain(named: Named, solution: Solution) -> list[int]:
    return [named.number(node) for part in solution for node in part]


def rows(named: Named, solution: Solution) -> list[dict[str, Any]]:
    tour = [node for part in solution for node in part]
    return [
        {"stop": stop, "number": named.number(node), "name": named.label(node)} for stop, node in enumerate(tour, 1)
    ]


def parse(named: Named, rows: Sequence[dict[str, Cell]]) -> Solution:
    return [[named.entry(row["number"], 0, named.size - 1) for row in rows]]
