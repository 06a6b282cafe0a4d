"""Weights and instances to measure with."""

from __future__ import annotations

from typing import Any

import torch

from ..model import LGSNet, WeightsError, load, weights
from ..problems import Problem


def model(problem: str, size: int, name: str = "") -> tuple[LGSNet, str]:
    """Weights by name or path; without, those shipped for the problem, of this size if there are any."""
    if not name:
        shipped = [found for found in weights.names() if found.startswith(problem) and found[len(problem) :].isdigit()]
        if not shipped:
            raise WeightsError(f"no weights for {problem} in the package; train some and give them with --model")
        name = min(shipped, key=lambda found: abs(int(found[len(problem) :]) - size))
    return load(name, problem), name


def instances(problem: Problem[Any, Any], size: int, count: int, seed: int, paper: bool = False) -> Any:
    """Own instances of the paper's distribution, or the first of its test set."""
    if paper:
        return problem.paper_set(size, count)
    return problem.generate(count, size, torch.Generator().manual_seed(seed))
