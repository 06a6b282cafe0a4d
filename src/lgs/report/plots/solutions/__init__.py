"""Which picture shows a problem's solutions: one file per problem, named for it."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from ....io import Named


def draw(named: Named, routes: list[list[int]], ax: Any = None) -> Any:
    """A solution of an instance, with its name and cost above it; the matplotlib figure."""
    problem = named.problem
    if problem.name not in {module.name for module in pkgutil.iter_modules(__path__)}:
        raise ValueError(f"{problem.name} has no picture; add {problem.name}.py to lgs/report/plots/solutions")
    cost = problem.sense * problem.check(named.instance, routes).cost
    title = f"{named.name}: {problem.unit} {_short(cost)}"
    return importlib.import_module(f"{__name__}.{problem.name}").draw(named.instance, routes, title, ax)


def _short(cost: float) -> str:
    return f"{cost:.0f}" if cost == round(cost) else f"{cost:.3f}"
