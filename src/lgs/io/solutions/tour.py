"""TSPLIB's TOUR_SECTION: the file's own node numbers, then -1."""

from __future__ import annotations

from ...problems import Solution
from .. import sections
from ..named import Named
from ..schemas import schema
from ..sections import one_line
from ..text import shortest

SUFFIX = ".tour"
PROBLEMS = ("tsp",)


def read(text: str, path: str, named: Named) -> Solution:
    document = sections.parse(text, path)
    cells = [cell for row in document.section("TOUR_SECTION") for cell in row.cells()]
    ends = [place for place, cell in enumerate(cells) if cell.text == "-1"]
    cells = cells[: ends[0]] if ends else cells
    if not cells:
        raise document.titles["TOUR_SECTION"].error("the tour is empty")
    return schema(named.problem.name).parse(named, [{"number": cell} for cell in cells])


def write(named: Named, solution: Solution, cost: float) -> str:
    tour = [str(named.number(node)) for part in solution for node in part]
    text = [f"NAME : {one_line(named.name)}.tour", f"COMMENT : Length {shortest(cost)}", "TYPE : TOUR"]
    return "\n".join([*text, f"DIMENSION : {len(tour)}", "TOUR_SECTION", *tour, "-1", "EOF"]) + "\n"
