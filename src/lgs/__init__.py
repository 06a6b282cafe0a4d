"""Latent Guided Sampling for combinatorial optimization.

import lgs

solution = lgs.solve(lgs.read("depot.vrp"), time_limit=10)
print(solution.cost, solution.routes)
solution.write("depot.sol")
solution.plot().savefig("depot.png")
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import Improvement, Problem, Progress, Solution, Step, solve, solve_many
    from .io import Named, read, read_solution

__version__ = "0.1.0"
__all__ = [
    "Improvement",
    "Named",
    "Problem",
    "Progress",
    "Solution",
    "Step",
    "read",
    "read_solution",
    "solve",
    "solve_many",
]

_FROM_IO = ("Named", "read", "read_solution")


def __getattr__(name: str) -> Any:
    """Loaded on use: importing lgs costs nothing."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{'io' if name in _FROM_IO else 'api'}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
