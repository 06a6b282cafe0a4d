"""`lgs check`: is a solution feasible, and what does it cost?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .errors import explained

INFEASIBLE = 3
"""The exit code for a solution that breaks a rule (`lgs solve` uses it for "no feasible solution")."""


def check(
    instance: Annotated[Path, typer.Argument(help="The instance, in any format that lgs reads.")],
    solution: Annotated[Path, typer.Argument(help="Its solution: .sol, .tour, .json or .csv.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check a solution against its instance. Exit code 0: feasible, 3: infeasible, 2: a file cannot be read."""
    with explained():
        from .. import io

        named = io.read(instance)
        verdict = named.check(io.read_solution(solution, named))

    cost = named.problem.sense * verdict.cost if verdict.cost < float("inf") else None
    gap = _gap(verdict.cost, named.reference, named.problem.sense)
    if as_json:
        print(
            json.dumps(
                {
                    "instance": named.name,
                    "problem": named.problem.name,
                    "feasible": verdict.feasible,
                    "cost": cost,
                    "violations": list(verdict.violations),
                    "reference": named.reference,
                    "gap": gap,
                },
                ensure_ascii=False,
            )
        )
    else:
        faults = len(verdict.violations)
        print("feasible" if verdict.feasible else f"infeasible: {faults} violation{'s' * (faults != 1)}")
        for violation in verdict.violations:
            print(f"  {violation}")
        if cost is not None:
            print(f"{named.problem.unit} {cost:.10g}")
        if gap is not None:
            print(f"gap {gap:.2f}% to {named.reference:.10g}, the best that {instance.name} states")
    if not verdict.feasible:
        raise typer.Exit(INFEASIBLE)


def _gap(cost: float, reference: float | None, sense: int) -> float | None:
    """Percent above the reference; the value short of it where people maximise."""
    if not reference or cost == float("inf"):
        return None
    return 100 * sense * (sense * cost - reference) / reference
