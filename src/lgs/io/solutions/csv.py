"""CSV of stops: one row per stop, item or operation, with names and times for people to read."""

from __future__ import annotations

from ...problems import Solution
from .. import tables
from ..named import Named
from ..schemas import names, schema

SUFFIX = ".csv"
PROBLEMS = tuple(names())


def read(text: str, path: str, named: Named) -> Solution:
    table = tables.parse(text, path)
    table.require(schema(named.problem.name).KEYS)
    return schema(named.problem.name).parse(named, table.rows)


def write(named: Named, solution: Solution, cost: float) -> str:
    return tables.write(schema(named.problem.name).rows(named, solution))
