"""Some trajectories that stand for all: gradients of the others are not worth their time."""

from __future__ import annotations

import torch
from torch import Tensor


def choose(coefficients: Tensor, count: int, offset: Tensor) -> tuple[Tensor, Tensor]:
    """Trajectories [B, S] to score and their weights, so that the expected weighted sum is that over all [B, K].

    Systematic sampling in proportion to the absolute coefficients, decided by `offset` [B] in [0, 1); `count` = 0
    keeps all K as they are.
    """
    batch, particles = coefficients.shape
    if count == 0 or count >= particles:
        everyone = torch.arange(particles, device=coefficients.device).expand(batch, particles)
        return everyone, coefficients
    size = coefficients.abs()
    total = size.sum(-1, keepdim=True)
    ticks = (torch.arange(count, device=size.device) + offset[:, None]) / count
    index = torch.searchsorted(size.cumsum(-1), ticks * total).clamp_max(particles - 1)
    return index, coefficients.gather(-1, index).sign() * total / count


def pick(rows: Tensor, index: Tensor) -> Tensor:
    """`rows` [B, K, ...] at `index` [B, S]."""
    return rows.gather(1, index.view(*index.shape, *[1] * (rows.dim() - 2)).expand(-1, -1, *rows.shape[2:]))
