"""CVRPLIB's `Route #1: 3 1 2` and `Cost 784`; customers are numbered 1..n without the depot."""

from __future__ import annotations

import re

from ...problems import Solution
from ..errors import ReadError
from ..named import Named
from ..schemas import schema
from ..text import Cell, lines, shortest

SUFFIX = ".sol"
PROBLEMS = ("cvrp", "cvrptw")

_ROUTE = re.compile(r"route[ \t]*#?[ \t]*(\d*)[ \t]*:?", re.I)


def read(text: str, path: str, named: Named) -> Solution:
    """Other lines than routes (cost, time, comments) are left to their authors."""
    rows = []
    for line in lines(text, path):
        route = _ROUTE.match(line.text)
        if route:
            rows += [
                {"route": Cell(line.where, line.where), "number": Cell(word, f"{line.where}: route {route[1]}")}
                for word in line.text[route.end() :].split()
            ]
        elif not line.text[0].isalpha() and line.text[0] != "#":
            raise line.error("a line such as 'Route #1: 3 1 2' or 'Cost 784' expected")
    if not rows:
        raise ReadError(f"{path}: there are no routes, lines such as 'Route #1: 3 1 2'")
    return schema(named.problem.name).parse(named, rows)


def write(named: Named, solution: Solution, cost: float) -> str:
    routes = (" ".join(str(named.number(stop)) for stop in route) for route in solution)
    text = [f"Route #{number}: {route}" for number, route in enumerate(routes, 1)]
    return "\n".join([*text, f"Cost {shortest(cost)}"]) + "\n"
