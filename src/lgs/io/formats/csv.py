"""Our own CSV: one row per node (the depot first) or item; `# key: value` lines above the titles say the rest.

The columns tell the problem. A column whose title is the name of a row holds the distances to that node.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np

from ...problems.geometry import METRICS, Geometry
from .. import tables
from ..errors import ReadError
from ..fields import Fields
from ..named import Named, stated
from ..places import check_size, from_points, from_table
from ..schemas import build, names, schema
from ..tables import Table
from ..text import Cell

TITLE = "CSV"
SUFFIX = ".csv"
PROBLEMS: tuple[str, ...] = ()
NATIVE: tuple[str, ...] = ()

_COLUMNS = {column for name in names() for column in schema(name).COLUMNS}
_KNOWN = {"name", "x", "y"} | _COLUMNS


def recognises(text: str, path: str) -> bool:
    titles = tables.header(text)
    if not titles or titles[0].endswith(":") or ":" in titles:
        return False  # a TSPLIB header with commas or tabs in it
    return "name" in titles or {"x", "y"} <= set(titles) or {"weight", "value"} <= set(titles)


def read(text: str, path: str) -> Named:
    table = tables.parse(text, path, _KNOWN)
    about = table.about
    problem = _problem(table)
    labels = tuple(row["name"].text for row in table.rows) if "name" in table.titles else ()
    shape = schema(problem)
    for key in shape.SINGLE:
        if key not in about:
            raise ReadError(f"{table.where}: {key} is missing; put a line '# {key}: 100' above the titles")
    fields = Fields(
        path,
        _places(table, labels) if shape.PLACES else None,
        single={key: about[key] for key in shape.SINGLE},
        columns={key: [row[key] for row in table.rows] for key in shape.COLUMNS},
    )
    name = about["name"].text if "name" in about else Path(path).stem
    return build(problem, fields, name, labels=labels, **stated(about))


def _problem(table: Table) -> str:
    """The problem that has all of the given columns and no others."""
    given = set(table.titles) & _COLUMNS
    candidates = [name for name in names() if not schema(name).TABLES and given <= set(schema(name).COLUMNS)]
    if not candidates:
        raise ReadError(f"{table.where}: no problem has the columns {', '.join(sorted(given))} together")
    problem = min(candidates, key=lambda name: len(schema(name).COLUMNS))
    table.require(schema(problem).COLUMNS)
    return problem


def _places(table: Table, labels: tuple[str, ...]) -> Geometry:
    points = None
    if "x" in table.titles or "y" in table.titles:
        table.require(("x", "y"))
        points = [(row["x"].number(), row["y"].number()) for row in table.rows]
    targets = [title for title in table.titles if title not in _KNOWN]
    if targets:
        return _matrix(table, targets, labels, points)
    if points is None:
        raise ReadError(f"{table.where}: columns x and y, or one column per name, are missing")
    metric = table.about.get("metric", Cell("euclidean", table.where))
    if metric.text not in METRICS:
        raise metric.error(f"unknown metric {metric.shown()}; known: {', '.join(METRICS)}")
    return from_points(points, metric.text)


def _matrix(
    table: Table, targets: list[str], labels: tuple[str, ...], points: list[tuple[float, float]] | None
) -> Geometry:
    for target in targets:
        if target not in labels:
            raise ReadError(f"{table.where}: column {target[:40]!r} is unknown and no row has that name")
    check_size(len(labels), table.where)
    for label, count in Counter(labels).items():
        if count > 1 or label in _KNOWN:
            raise ReadError(
                f"{table.where}: the name {label[:40]!r} is not of one node alone, so its column is unclear"
            )
    if "metric" in table.about:
        raise table.about["metric"].error("a matrix says all distances; leave one of them out")
    table.require(labels)
    return from_table(np.array([[row[label].number() for label in labels] for row in table.rows]), table.where, points)
