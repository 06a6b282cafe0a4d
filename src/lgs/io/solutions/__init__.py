"""How solutions are written down, one file per format; the files in this folder are the list of formats.

A format has `SUFFIX`, `PROBLEMS` (those whose solutions it can hold) and

- `read(text, path, named) -> Solution`: raises a ReadError for what is wrong or does not fit the instance;
- `write(named, solution, cost) -> str`: the text that `read` reads back exactly.
"""

from __future__ import annotations

from typing import Protocol, cast

from ...problems import Solution
from ..listing import modules
from ..named import Named


class SolutionFormat(Protocol):
    SUFFIX: str
    PROBLEMS: tuple[str, ...]

    def read(self, text: str, path: str, named: Named) -> Solution: ...
    def write(self, named: Named, solution: Solution, cost: float) -> str: ...


def formats(problem: str) -> dict[str, SolutionFormat]:
    """Every format that can hold solutions of a problem, by name."""
    found = {name: cast(SolutionFormat, module) for name, module in modules(__name__).items()}
    return {name: module for name, module in found.items() if problem in module.PROBLEMS}
