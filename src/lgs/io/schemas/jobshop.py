"""Job shop: durations and machines per job; a solution is when each operation starts. Jobs count from 1 in files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from ...problems import Solution
from ...problems.jobshop import Instance
from ..fields import Fields
from ..named import Named
from ..text import Cell

SINGLE: tuple[str, ...] = ()
COLUMNS: tuple[str, ...] = ()
TABLES = ("duration", "machine")
"""[job][operation]; machines are numbered from 0."""
PLACES = False
FIRST = 0
KEYS = ("job", "operation", "start")
EMPTY = False


def build(fields: Fields) -> Instance:
    durations, machines = fields.table("duration"), fields.table("machine")
    if not durations or not durations[0]:
        raise fields.error("there are no operations")
    steps = len(durations[0])
    if len(machines) != len(durations):
        raise fields.error(f"machine has {len(machines)} jobs, duration has {len(durations)}")
    for job, (times, places) in enumerate(zip(durations, machines), 1):
        for name, cells in (("duration", times), ("machine", places)):
            if len(cells) != steps:
                error = cells[0].error if cells else fields.error
                raise error(f"job {job} has {len(cells)} values of {name}, job 1 has {steps} operations")
        for cell in times:
            cell.integer(least=0)
        for cell in places:
            if not 0 <= cell.integer() < steps:
                raise cell.error(f"machine {cell.shown()} of job {job} does not exist; they are 0 to {steps - 1}")
    return Instance(_flat(durations), _flat(machines), len(durations))


def describe(instance: Instance) -> dict[str, Any]:
    shape = (instance.jobs, instance.steps)
    return {
        "duration": instance.durations[0].view(shape).tolist(),
        "machine": instance.machines[0].view(shape).tolist(),
    }


def plain(named: Named, solution: Solution) -> list[dict[str, Any]]:
    return rows(named, solution)


def rows(named: Named, solution: Solution) -> list[dict[str, Any]]:
    """Operations in the order of their starts."""
    instance: Instance = named.instance
    durations, machines = instance.durations[0].tolist(), instance.machines[0].tolist()
    found = []
    for job, starts in enumerate(solution):
        for operation, start in enumerate(starts):
            node = job * instance.steps + operation
            about = {"job": job + 1, "operation": operation + 1, "machine": machines[node]}
            found.append({**about, "start": start, "end": start + durations[node]})
    return sorted(found, key=lambda row: (row["start"], row["end"], row["job"], row["operation"]))


def parse(named: Named, rows: Sequence[dict[str, Cell]]) -> Solution:
    instance: Instance = named.instance
    starts: list[list[int | None]] = [[None] * instance.steps for _ in range(instance.jobs)]
    for row in rows:
        job = named.entry(row["job"], 1, instance.jobs)
        operation = named.entry(row["operation"], 1, instance.steps)
        if starts[job - 1][operation - 1] is not None:
            raise row["operation"].error(f"operation {operation} of job {job} appears twice")
        starts[job - 1][operation - 1] = row["start"].integer()
    for job, line in enumerate(starts, 1):
        if None in line:
            operation = line.index(None) + 1
            raise rows[-1]["start"].error(f"operation {operation} of job {job} of {named.name} has no start time")
    return [[start for start in line if start is not None] for line in starts]


def _flat(table: list[list[Cell]]) -> torch.Tensor:
    """[1, J * M]"""
    return torch.tensor([[cell.integer() for row in table for cell in row]], dtype=torch.int64)
