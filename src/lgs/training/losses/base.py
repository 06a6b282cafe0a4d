"""What a loss is: costs and log-probabilities of K particles in, coefficients of two gradients out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor


@dataclass(frozen=True)
class Coefficients:
    """How strongly to lower the log-probability of each particle's solution and of its latent."""

    decoder: Tensor
    """[B, K] of log p_theta(y | x, z); zero: the trajectory carries no weight."""
    encoder: Tensor
    """[B, K] of log p_phi(z | x)."""


class LossFunction(Protocol):
    def __call__(self, costs: Tensor, log_probs: Tensor, progress: float) -> Coefficients:
        """costs, log_probs [B, K]; `progress` runs from 0 to 1 over the phase."""


def standardised(costs: Tensor) -> Tensor:
    """Costs of one instance's particles, centred and divided by their standard deviation."""
    centred = costs - costs.mean(-1, keepdim=True)
    return centred / centred.square().mean(-1, keepdim=True).sqrt().clamp_min(1e-8)


def decayed(start: float, end: float, progress: float) -> float:
    """Exponential schedule from `start` to `end`."""
    return float(start * (end / start) ** progress)
