"""Our own JSON: every problem, by coordinates or by matrix, names kept. docs/file-formats.md lists the fields."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ...problems.geometry import METRICS, Geometry
from .. import jsontext
from ..errors import ReadError
from ..fields import Fields
from ..named import Named, stated
from ..places import check_size, from_points, from_table
from ..schemas import Schema, build, names, schema

TITLE = "JSON"
SUFFIX = ".json"
PROBLEMS = tuple(names())
NATIVE: tuple[str, ...] = ()

_STATED = ("comment", "reference", "vehicles")
_ABOUT = ("problem", "name", "names", *_STATED)
_PLACES = ("coordinates", "metric", "matrix")


def recognises(text: str, path: str) -> bool:
    return text.lstrip()[:1] in ("{", "[")


def read(text: str, path: str) -> Named:
    data = jsontext.parse(text, path)
    if not isinstance(data, dict):
        raise ReadError(f"{path}: an object {{...}} with a field 'problem' expected")
    if "problem" not in data:
        raise ReadError(f"{path}: problem is missing; one of {', '.join(names())}")
    problem = jsontext.words(data["problem"], f"{path}: problem")
    if problem not in names():
        raise ReadError(f"{path}: problem: unknown {problem[:40]!r}; known: {', '.join(names())}")
    fields = _fields(data, path, schema(problem))
    name = jsontext.words(data.get("name", Path(path).stem), f"{path}: name")
    about = {key: jsontext.cell(data[key], f"{path}: {key}") for key in _STATED if key in data}
    named = build(problem, fields, name, **stated(about))
    return replace(named, labels=_labels(data["names"], named.size, path)) if "names" in data else named


def write(named: Named) -> str:
    """One field per line; numbers are written so that they read back exactly."""
    data: dict[str, Any] = {"problem": named.problem.name, "name": named.name}
    for key in _STATED:
        if getattr(named, key) not in (None, ""):
            data[key] = getattr(named, key)
    if named.labels:
        data["names"] = list(named.labels)
    data |= schema(named.problem.name).describe(named.instance)
    text = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items())
    return f"{{\n{text}\n}}\n"


def _fields(data: dict[str, Any], path: str, shape: Schema) -> Fields:
    """Every field in its place; one that the problem does not have is refused, it might be a constraint."""
    known = (*_ABOUT, *(_PLACES if shape.PLACES else ()), *shape.SINGLE, *shape.COLUMNS, *shape.TABLES)
    unknown = [key for key in data if key not in known]
    if unknown:
        raise ReadError(f"{path}: unknown field {unknown[0][:40]!r}; known: {', '.join(known)}")
    fields = Fields(path, _places(data, path) if shape.PLACES else None)
    for key in data:
        where = f"{path}: {key}"
        if key in shape.SINGLE:
            fields.single[key] = jsontext.cell(data[key], where)
        elif key in shape.COLUMNS:
            fields.columns[key] = jsontext.column(data[key], where)
        elif key in shape.TABLES:
            rows = jsontext.items(data[key], where)
            fields.tables[key] = [jsontext.column(row, f"{where}[{i}]") for i, row in enumerate(rows)]
    return fields


def _places(data: dict[str, Any], path: str) -> Geometry | None:
    points = _points(data["coordinates"], f"{path}: coordinates") if "coordinates" in data else None
    if "matrix" in data:
        if "metric" in data:
            raise ReadError(f"{path}: metric: a matrix says all distances; leave one of them out")
        return _matrix(data["matrix"], f"{path}: matrix", points)
    if points is None:
        return None
    metric = jsontext.words(data.get("metric", "euclidean"), f"{path}: metric")
    if metric not in METRICS:
        raise ReadError(f"{path}: metric: unknown {metric[:40]!r}; known: {', '.join(METRICS)}")
    return from_points(points, metric)


def _points(value: Any, where: str) -> list[tuple[float, float]]:
    points = []
    for i, row in enumerate(jsontext.items(value, where)):
        pair = jsontext.column(row, f"{where}[{i}]")
        if len(pair) != 2:
            raise ReadError(f"{where}[{i}]: x and y expected, not {len(pair)} numbers")
        points.append((pair[0].number(), pair[1].number()))
    if not points:
        raise ReadError(f"{where}: is empty")
    return points


def _matrix(value: Any, where: str, points: list[tuple[float, float]] | None) -> Geometry:
    rows = jsontext.items(value, where)
    check_size(len(rows), where)
    if points is not None and len(points) != len(rows):
        raise ReadError(f"{where}: {len(rows)} rows for {len(points)} coordinates")
    table = []
    for i, row in enumerate(rows):
        cells = jsontext.column(row, f"{where}[{i}]")
        if len(cells) != len(rows):
            raise ReadError(f"{where}[{i}]: {len(cells)} numbers in a matrix of {len(rows)} rows")
        table.append([cell.number() for cell in cells])
    if not table:
        raise ReadError(f"{where}: is empty")
    return from_table(np.array(table), where, points)


def _labels(value: Any, size: int, path: str) -> tuple[str, ...]:
    where = f"{path}: names"
    labels = tuple(jsontext.words(label, f"{where}[{i}]") for i, label in enumerate(jsontext.items(value, where)))
    if len(labels) != size:
        raise ReadError(f"{where}: {len(labels)} names for {size}")
    return labels
