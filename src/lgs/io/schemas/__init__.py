"""What files say about each problem, one file per problem, whatever the format.

A schema turns named texts into a checked instance and back, and solutions into rows and back:

- `SINGLE`, `COLUMNS`, `TABLES`: the names of its fields by shape; `PLACES`: whether it has coordinates or a matrix;
- `FIRST`: the number of entry 0 of a solution in solution files; `KEYS`: the columns that `parse` needs;
- `EMPTY`: whether a solution may be empty, as that of a knapsack into which nothing fits;
- `build(fields) -> Instance` raises a ReadError that names the place of whatever is wrong;
- `describe(instance) -> dict`: the JSON fields of a batch of one, which `build` reads back exactly;
- `rows(named, solution)`: a solution as rows of a table; `parse(named, rows)`: the solution from the rows of a file;
- `plain(named, solution)`: a solution as JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, cast

from ...problems import Solution, load
from ..fields import Fields
from ..listing import modules
from ..named import Named
from ..text import Cell

Row = dict[str, Any]
"""A line of a table to write: column name to number or text."""


class Schema(Protocol):
    SINGLE: tuple[str, ...]
    COLUMNS: tuple[str, ...]
    TABLES: tuple[str, ...]
    PLACES: bool
    FIRST: int
    KEYS: tuple[str, ...]
    EMPTY: bool

    def build(self, fields: Fields) -> Any: ...
    def describe(self, instance: Any) -> dict[str, Any]: ...
    def plain(self, named: Named, solution: Solution) -> Any: ...
    def rows(self, named: Named, solution: Solution) -> list[Row]: ...
    def parse(self, named: Named, rows: Sequence[dict[str, Cell]]) -> Solution: ...


def names() -> list[str]:
    """The problems that files can hold."""
    return list(modules(__name__))


def schema(problem: str) -> Schema:
    """The schema of a problem."""
    if problem not in names():
        raise ValueError(f"{problem} has no files; add {problem}.py to lgs/io/schemas")
    return cast(Schema, modules(__name__)[problem])


def build(problem: str, fields: Fields, name: str, **about: Any) -> Named:
    """The instance that `fields` describe, with what else the file says about it."""
    return wrap(problem, schema(problem).build(fields), name, **about)


def wrap(problem: str, instance: Any, name: str, **about: Any) -> Named:
    """An instance under a name, numbered as files of its problem are; messages with its name stay on one line."""
    shown = " ".join("".join(letter if letter.isprintable() else " " for letter in name).split())
    return Named(load(problem), instance, shown, **{"first": schema(problem).FIRST, **about})
