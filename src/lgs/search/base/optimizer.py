"""Gradient descent as a pure function: weights and state in, weights and state out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Rule = Literal["sgd", "adam"]
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Descent:
    """Adam's running moments, one per weight; plain SGD only counts its steps."""

    first: tuple[Tensor, ...]
    second: tuple[Tensor, ...]
    steps: int = 0

    @staticmethod
    def of(weights: Sequence[Tensor]) -> Descent:
        return Descent(tuple(map(torch.zeros_like, weights)), tuple(map(torch.zeros_like, weights)))

    def step(
        self, weights: Sequence[Tensor], gradients: Sequence[Tensor], rate: float, rule: Rule = "adam"
    ) -> tuple[list[Tensor], Descent]:
        """Weights one step further down, element by element, so that rows stay apart."""
        steps = self.steps + 1
        if rule == "sgd":
            return [w - rate * g for w, g in zip(weights, gradients)], Descent(self.first, self.second, steps)
        first = tuple(BETA1 * m + (1 - BETA1) * g for m, g in zip(self.first, gradients))
        second = tuple(BETA2 * v + (1 - BETA2) * g.square() for v, g in zip(self.second, gradients))
        size = rate / (1 - BETA1**steps)
        scale = 1 - BETA2**steps
        new = [w - size * m / ((v / scale).sqrt() + EPSILON) for w, m, v in zip(weights, first, second)]
        return new, Descent(first, second, steps)
