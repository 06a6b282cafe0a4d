"""EDGE_WEIGHT_TYPE: the distances of a TSPLIB or VRPLIB file, and how to write ours."""

from __future__ import annotations

from ..problems.geometry import EXPLICIT, Geometry
from .matrices import LAYOUTS, matrix
from .places import check_positive, check_size, check_symmetric, from_points, from_table
from .sections import Document, Nodes
from .text import shortest

METRICS = {"EUC_2D": "rounded", "EXACT_2D": "euclidean", "CEIL_2D": "ceil", "GEO": "geo", "ATT": "att"}
"""In our words. EXACT_2D (distances are not rounded) is not of TSPLIB; LKH and vrplib know it too."""


def geometry(document: Document, nodes: Nodes, order: list[int] | None = None, symmetric: bool = False) -> Geometry:
    """The places, in the order of the nodes or in the given one; `symmetric`: the matrix must be."""
    order = order or list(range(nodes.size))
    kind = document.header("EDGE_WEIGHT_TYPE")
    name = kind.text.upper()
    if name in METRICS:
        points = _points(document, nodes, "NODE_COORD_SECTION")
        return from_points([points[i] for i in order], METRICS[name])
    if name != EXPLICIT.upper():
        known = ", ".join([*METRICS, EXPLICIT.upper()])
        raise kind.error(f"unknown or unsupported EDGE_WEIGHT_TYPE {kind.shown()}; known: {known}")

    layout = document.header("EDGE_WEIGHT_FORMAT")
    if layout.text.upper() not in LAYOUTS:
        raise layout.error(f"unknown EDGE_WEIGHT_FORMAT {layout.shown()}; known: {', '.join(LAYOUTS)}")
    rows = document.section("EDGE_WEIGHT_SECTION")
    where = document.titles["EDGE_WEIGHT_SECTION"].where
    check_size(nodes.size, where)
    table = matrix(rows, nodes.size, layout.text.upper(), where)
    sections = [key for key in ("NODE_COORD_SECTION", "DISPLAY_DATA_SECTION") if key in document.rows]
    seen = _points(document, nodes, sections[0]) if sections else None
    # Here, where the nodes still have the file's order.
    check_positive(table, where, nodes.first)
    if symmetric:
        check_symmetric(table, where, nodes.first)
    return from_table(table[order][:, order], where, seen and [seen[i] for i in order])


def write(places: Geometry) -> tuple[list[str], list[str]]:
    """The header lines and the section lines of a batch of one; nodes are numbered from 1."""
    points = [f"{i} {shortest(x)} {shortest(y)}" for i, (x, y) in enumerate(places.coords[0].tolist(), 1)]
    if places.metric == EXPLICIT:
        table = [" ".join(map(shortest, row)) for row in places.distances()[0].tolist()]
        headers = ["EDGE_WEIGHT_TYPE : EXPLICIT", "EDGE_WEIGHT_FORMAT : FULL_MATRIX"]
        return headers, ["EDGE_WEIGHT_SECTION", *table, "DISPLAY_DATA_SECTION", *points]
    [name] = [name for name, metric in METRICS.items() if metric == places.metric]
    return [f"EDGE_WEIGHT_TYPE : {name}"], ["NODE_COORD_SECTION", *points]


def _points(document: Document, nodes: Nodes, section: str) -> list[tuple[float, float]]:
    return [(x.number(), y.number()) for x, y in nodes.table(document, section, 2)]
