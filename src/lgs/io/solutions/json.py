"""JSON: an object with `solution`, as `lgs solve --json` prints it, or the solution alone."""

from __future__ import annotations

import json
from typing import Any

from ...problems import Solution
from .. import jsontext
from ..errors import ReadError
from ..named import Named
from ..schemas import names, schema
from ..text import Cell

SUFFIX = ".json"
PROBLEMS = tuple(names())


def read(text: str, path: str, named: Named) -> Solution:
    data = jsontext.parse(text, path)
    if isinstance(data, dict):
        problem = data.get("problem", named.problem.name)
        if problem != named.problem.name:
            raise ReadError(f"{path}: problem: {str(problem)[:40]!r}, but {named.name} is {named.problem.name}")
        if "solution" not in data:
            raise ReadError(f"{path}: solution is missing")
        data = data["solution"]
    rows, kind = _rows(data, f"{path}: solution"), schema(named.problem.name)
    if not rows and not kind.EMPTY:
        raise ReadError(f"{path}: solution: is empty")
    for row in rows:
        missing = [key for key in kind.KEYS if key not in row]
        if missing:
            raise ReadError(f"{path}: solution: {missing[0]} is missing; {' and '.join(kind.KEYS)} make a solution")
    return kind.parse(named, rows)


def write(named: Named, solution: Solution, cost: float) -> str:
    plain = schema(named.problem.name).plain(named, solution)
    data = {"instance": named.name, "problem": named.problem.name, "cost": cost, "solution": plain}
    return json.dumps(data, ensure_ascii=False) + "\n"


def _rows(data: Any, where: str) -> list[dict[str, Cell]]:
    """A list of numbers, of lists of numbers (routes) or of objects (operations)."""
    rows: list[dict[str, Cell]] = []
    for i, entry in enumerate(jsontext.items(data, where)):
        here = f"{where}[{i}]"
        if isinstance(entry, dict):
            rows.append({key: jsontext.cell(value, f"{here}.{key}") for key, value in entry.items()})
        elif isinstance(entry, list):
            rows += [{"route": Cell(str(i), here), "number": cell} for cell in jsontext.column(entry, here)]
        else:
            rows.append({"number": jsontext.cell(entry, here)})
    return rows
