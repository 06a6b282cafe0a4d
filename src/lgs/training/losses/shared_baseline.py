"""REINFORCE with the particles' mean cost as baseline (POMO)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from .base import Coefficients, standardised


@dataclass(frozen=True)
class Loss:
    standardise: bool = False
    """Divide the advantage by its standard deviation, so that one learning rate fits every size."""

    def __call__(self, costs: Tensor, log_probs: Tensor, progress: float) -> Coefficients:
        advantage = standardised(costs) if self.standardise else costs - costs.mean(-1, keepdim=True)
        mean = advantage / costs.shape[-1]
        return Coefficients(mean, mean)
