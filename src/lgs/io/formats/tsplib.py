"""TSPLIB 95: travelling salesman instances, symmetric and asymmetric."""

from __future__ import annotations

from pathlib import Path

from .. import edge_weights, sections
from ..fields import Fields
from ..named import Named, stated_reference
from ..schemas import build

TITLE = "TSPLIB"
SUFFIX = ".tsp"
PROBLEMS = ("tsp",)
NATIVE = ("tsp",)


def recognises(text: str, path: str) -> bool:
    kind = sections.kind(text)
    return kind is not None and "VRP" not in kind


def read(text: str, path: str) -> Named:
    document = sections.parse(text, path)
    kind = document.header("TYPE", "TSP")
    # Some of TSPLIB's own files say "TSP (somebody)".
    words = kind.text.upper().split()
    if not words or words[0] not in ("TSP", "ATSP"):
        raise kind.error(f"unknown or unsupported TYPE {kind.shown()}; known: TSP, ATSP, CVRP, VRPTW")
    nodes = sections.nodes(document)
    places = edge_weights.geometry(document, nodes, symmetric=words[0] == "TSP")
    comment = document.header("COMMENT", "").text
    return build(
        "tsp",
        Fields(path, places),
        name=document.header("NAME", Path(path).stem).text or Path(path).stem,
        comment=comment,
        labels=tuple(str(number) for number in range(nodes.first, nodes.last + 1)),
        reference=document.reference(stated_reference(comment)),
        first=nodes.first,
    )


def write(named: Named) -> str:
    """Nodes numbered from 1; lengths that are not rounded are marked EXACT_2D, which TSPLIB itself does not have."""
    places = named.instance.places
    headers, body = edge_weights.write(places)
    kind = "TSP" if places.matrix is None or bool((places.matrix == places.matrix.mT).all()) else "ATSP"
    return sections.text(named, kind, places.size, headers, body)
