"""Solutions of instance files against the best known costs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any


@dataclass(frozen=True)
class Row:
    """One instance's outcome; costs as people count them."""

    name: str
    problem: str
    size: int
    cost: float | None
    """None where no feasible solution was found."""
    best: float | None
    gap: float | None
    """In percent of the best known."""
    seconds: float
    rollouts: int


def load_best(path: Path) -> dict[str, float]:
    """A JSON object of instance names and costs."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not JSON ({error})") from error
    if not isinstance(data, dict):
        raise ValueError(f'{path}: an object such as {{"A-n32-k5": 784}} expected')
    for name, cost in data.items():
        if isinstance(cost, bool) or not isinstance(cost, int | float) or not math.isfinite(cost) or not cost:
            raise ValueError(f"{path}: {name}: a cost other than 0 expected, not {cost!r}")
    return {name: float(cost) for name, cost in data.items()}


def summary(rows: Sequence[Row]) -> dict[str, Any]:
    """Per problem: how many instances, how many feasible, mean and worst gap of those whose best is known."""
    found = {}
    for problem in dict.fromkeys(row.problem for row in rows):
        some = [row for row in rows if row.problem == problem]
        gaps = [row.gap for row in some if row.gap is not None]
        found[problem] = {
            "instances": len(some),
            "feasible": sum(row.cost is not None for row in some),
            "compared": len(gaps),
            "mean_gap": fmean(gaps) if gaps else None,
            "worst_gap": max(gaps, default=None),
        }
    return found


def table(rows: Sequence[Row]) -> str:
    """The outcomes for people, a mean per problem below them."""
    width = max(len(row.name) for row in rows)
    lines = [
        f"{'instance':<{width}}  {'nodes':>5} {'cost':>12} {'best known':>12} {'gap %':>7} {'s':>6} {'rollouts':>9}"
    ]
    for row in rows:
        cost = "infeasible" if row.cost is None else f"{row.cost:.10g}"[:12]
        best = "" if row.best is None else f"{row.best:.10g}"
        gap = "" if row.gap is None else f"{row.gap:.2f}"
        numbers = f"{row.size:>5} {cost:>12} {best:>12} {gap:>7} {row.seconds:>6.1f} {row.rollouts:>9}"
        lines.append(f"{row.name:<{width}}  {numbers}")
    for problem, found in summary(rows).items():
        line = f"{problem}: {found['feasible']} of {found['instances']} feasible"
        if found["mean_gap"] is not None:
            line += f", mean gap {found['mean_gap']:.2f}% (worst {found['worst_gap']:.2f}%) over {found['compared']}"
        lines.append(line)
    return "\n".join(lines)
