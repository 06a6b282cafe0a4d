"""Weights and instances to measure with."""

from __future__ import annotations

import re
from typing import Any

import torch

from ..model import LGSNet, WeightsError, load, weights
from ..problems import Problem


def model(problem: str, size: int, name: str = "") -> tuple[LGSNet, str]:
    """Weights by name or path; without, those shipped for the problem, of this size if there are any."""
    name = name or choose(problem, size)
    return load(name, problem), name


def choose(problem: str, size: int) -> str:
    """The name of the shipped weights for a problem whose size is nearest."""
    shipped = {found: made for found in weights.names() if (made := _made_for(found, problem, size)) is not None}
    if not shipped:
        raise WeightsError(
            f"no weights for {problem} come with the package; train some with `lgs train fast-{problem}` "
            f"and give their file (--model runs/fast-{problem}/last.safetensors)"
        )
    return min(shipped, key=lambda found: abs(shipped[found] - size))


def _made_for(name: str, problem: str, size: int) -> int | None:
    """The size in a name such as tsp100 or jobshop10x10 (a name without one fits any); None: another problem's."""
    match = re.fullmatch(rf"{problem}(\d*)(x\d+)?", name)
    return int(match[1] or size) if match else None


def instances(problem: Problem[Any, Any], size: int, count: int, seed: int, paper: bool = False) -> Any:
    """Own instances of the paper's distribution, or the first of its test set."""
    if paper:
        return problem.paper_set(size, count)
    return problem.generate(count, size, torch.Generator().manual_seed(seed))
