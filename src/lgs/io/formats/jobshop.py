"""Job shop: the standard layout (`jobs machines`, then machine and duration pairs) and Taillard's (two blocks)."""

from __future__ import annotations

import re
from pathlib import Path

from .. import numeric
from ..fields import Fields
from ..named import Named
from ..schemas import build
from ..text import MAX_NODES, Cell, Line

TITLE = "job shop"
SUFFIX = ".jsp"
PROBLEMS = ("jobshop",)
NATIVE = ("jobshop",)

_NAME = re.compile(r"^#[ \t]*instance[ \t]+(\S+)", re.M | re.I)
_UPPER_BOUND = 4
"""Taillard's first line of numbers: jobs, machines, two seeds, upper bound, lower bound."""


def recognises(text: str, path: str) -> bool:
    return numeric.is_jobshop(text, path)


def read(text: str, path: str) -> Named:
    lines = numeric.rows(text, path)
    rows = [line for line in lines if not line.text[0].isalpha()]
    if not rows:
        raise lines[0].error("no numbers follow")
    head, *body = rows
    jobs, machines = _sizes(head)
    width = len(body[0].words()) if body else 0
    if width == 2 * machines and len(lines) == len(rows):
        durations, places = _pairs(head, body, jobs, machines)
    else:
        durations, places = _blocks(head, body, jobs, machines)
    fields = Fields(path, tables={"duration": durations, "machine": places})
    name = _NAME.search(text)
    bounds = head.cells()[_UPPER_BOUND:]
    reference = bounds[0].number() if len(bounds) == 2 else None
    return build("jobshop", fields, name=name[1] if name else Path(path).stem, reference=reference)


def write(named: Named) -> str:
    instance = named.instance
    shape = (instance.jobs, instance.steps)
    durations, machines = instance.durations[0].view(shape).tolist(), instance.machines[0].view(shape).tolist()
    text = [f"# instance {'_'.join(named.name.split()) or 'jobshop'}", f"{instance.jobs} {instance.steps}"]
    for places, times in zip(machines, durations):
        text.append(" ".join(f"{machine} {time}" for machine, time in zip(places, times)))
    return "\n".join(text) + "\n"


def _sizes(head: Line) -> tuple[int, int]:
    cells = head.cells()
    if len(cells) < 2:
        raise head.error("the number of jobs and of machines expected")
    jobs, machines = cells[0].integer(), cells[1].integer()
    if jobs < 1 or machines < 1 or jobs * machines > MAX_NODES:
        raise head.error(f"{jobs} jobs of {machines} operations; expected 1 to {MAX_NODES:,} operations in all")
    return jobs, machines


def _pairs(head: Line, body: list[Line], jobs: int, machines: int) -> tuple[list[list[Cell]], list[list[Cell]]]:
    _count(head, body, jobs, f"{jobs} rows of {machines} pairs of machine and duration")
    cells = [_row(line, 2 * machines) for line in body]
    return [row[1::2] for row in cells], [row[::2] for row in cells]


def _blocks(head: Line, body: list[Line], jobs: int, machines: int) -> tuple[list[list[Cell]], list[list[Cell]]]:
    """Taillard numbers machines from 1."""
    _count(head, body, 2 * jobs, f"{jobs} rows of {machines} durations, then {jobs} rows of {machines} machines")
    cells = [_row(line, machines) for line in body]
    places = [[Cell(str(cell.integer() - 1), cell.where) for cell in row] for row in cells[jobs:]]
    return cells[:jobs], places


def _count(head: Line, body: list[Line], rows: int, expected: str) -> None:
    if len(body) < rows:
        raise (body[-1] if body else head).error(f"the file ends after {len(body)} rows; expected {expected}")
    if len(body) > rows:
        raise body[rows].error(f"{len(body)} rows; expected {expected} (one instance per file)")


def _row(line: Line, width: int) -> list[Cell]:
    cells = line.cells()
    if len(cells) != width:
        raise line.error(f"{len(cells)} numbers; the rows of this file have {width}")
    return cells
