"""The answer to one instance."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .. import io
from ..io import Named
from ..io.schemas import schema
from .progress import Step


class Improvement(NamedTuple):
    """A moment at which a better solution was found."""

    seconds: float
    """Per instance."""
    rollouts: int
    cost: float


@dataclass(frozen=True)
class Solution:
    """A solution, what the independent checker says of it, and how it was found."""

    instance: Named
    routes: list[list[int]]
    """Routes of customers 1..n; one tour of nodes from 0; chosen items from 1; start times per job."""
    cost: float
    """As people count it: a knapsack's is its value. Infinite when nothing complete was found."""
    violations: tuple[str, ...] = ()
    """What is wrong with it, by the checker; empty: nothing."""
    method: str = ""
    model: str = ""
    """The weights: a shipped name or a path."""
    seed: int = 0
    """With it, this instance alone sees the same random numbers."""
    seconds: float = 0.0
    """Of search; instances searched together share the time equally."""
    rollouts: int = 0
    iterations: int = 0
    acceptance: float | None = None
    interrupted: bool = False
    settings: dict[str, Any] = field(default_factory=dict)
    """Of the method."""
    trace: tuple[Improvement, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def feasible(self) -> bool:
        return not self.violations

    @property
    def solution(self) -> Any:
        """In the numbers of the instance's file, as solution files have it."""
        return schema(self.instance.problem.name).plain(self.instance, self.routes)

    @property
    def gap(self) -> float | None:
        """Percent above the reference that the instance states (short of it where people maximise)."""
        return gap(self.instance.problem.sense, self.cost, self.instance.reference)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is worth knowing though it breaks no rule."""
        fleet = self.instance.vehicles
        if fleet is None or len(self.routes) <= fleet:
            return ()
        return (f"uses {len(self.routes)} vehicles, the file states {fleet}",)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        known = math.isfinite(self.cost)
        return {
            "instance": self.instance.name,
            "problem": self.instance.problem.name,
            "method": self.method,
            "cost": self.cost if known else None,
            "feasible": self.feasible,
            "violations": list(self.violations),
            "notes": list(self.notes),
            "solution": self.solution if known else None,
            "seconds": round(self.seconds, 3),
            "rollouts": self.rollouts,
            "iterations": self.iterations,
            "acceptance": self.acceptance,
            "interrupted": self.interrupted,
            "seed": self.seed,
            "reference": self.instance.reference,
            "gap": self.gap,
            "model": self.model,
            "settings": self.settings,
            "trace": [list(point) for point in self.trace],
            "steps": [list(step) for step in self.steps],
        }

    def to_json(self) -> str:
        """One line, in ASCII: no terminal, no pipe can spoil it. `lgs plot trace` and `lgs check` read it."""
        return json.dumps(self.to_dict())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write it in the format that the suffix names: .sol, .tour, .json or .csv."""
        io.write_solution(path, self.instance, self.routes, self.cost)

    def plot(self, ax: Any = None) -> Any:
        """Draw it; returns the matplotlib figure."""
        from ..report.plots import solutions as pictures

        return pictures.draw(self.instance, self.routes, ax)


def gap(sense: int, cost: float, reference: float | None) -> float | None:
    """Percent above a reference, None where it cannot be said."""
    if not reference or not math.isfinite(cost):
        return None
    return 100 * sense * (cost - reference) / abs(reference)
