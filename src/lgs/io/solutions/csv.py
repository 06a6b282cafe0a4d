"""CSV of stops: one row per stop, item or operation, with names and times for people to read."""

from __future__ import annotations

from ...problems import Solution
from .. import tables
from ..named import Named
from ..schemas import names, schema

SUFFIX = ".csv"
PROBLEMS = tuple(names())


def read(text: str, path: str, named: Named) -> Solution:
    kind = schema(named.problem.name)
    table = tables.parse(text, path, empty=kind.EMPTY)
    table.require(kind.KEYS)
    return kind.parse(named, table.rows)


def write(named: Named, solution: Solution, cost: float) -> str:
    kind = schema(named.problem.name)
    return tables.write(kind.rows(named, solution), kind.KEYS)
