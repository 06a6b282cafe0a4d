"""Proposals that borrow the difference of two other chains (paper, section "Inference Details")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from .chains import ChainParams
from .noise import Noise
from .settings import require

Interaction = Literal["simultaneous", "distinct", "split"]


@dataclass(frozen=True)
class InteractingParams(ChainParams):
    """Settings of the methods whose chains learn their steps from one another."""

    gamma: float = 0.168
    """Scale of the difference of two chains; 2.38 / sqrt(2 d_z) for d_z = 100 (docs/theory.md)."""
    interaction: Interaction = "distinct"
    """`simultaneous`: all chains move at once, I1 and I2 uniform (the paper); `distinct`: the same with I1, I2
    and k different; `split`: one half moves by differences of the other, then in turn, which is exact."""
    crossover: float = 1.0
    """Share of coordinates that take the proposed value; below 1 as in differential evolution."""
    base: Literal["self", "random"] = "self"
    """Where a step starts: at the chain itself (symmetric), or at a random chain (differential evolution)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require("gamma", self.gamma, at_least=0)
        require("crossover", self.crossover, above=0)


def step_size(params: ChainParams, z: Tensor, noise: Noise) -> Tensor:
    """sigma * epsilon, shaped like z [R, K, d_z]: the random walk alone."""
    noisy: Tensor = noise.normal(*z.shape[1:]) * params.sigma2**0.5
    return noisy


def interacting(params: InteractingParams, z: Tensor, others: Tensor, noise: Noise) -> Tensor:
    """z + gamma (z_I1 - z_I2) + sigma epsilon for z [R, k, d_z], I1 and I2 among `others` [R, M, d_z].

    Given the others, the density of a step is that of its reverse: I1 and I2 are exchangeable, the crossover's
    mask does not look at z. (With `base = random` this symmetry is lost.)
    """
    count, pool = z.shape[1], others.shape[1]
    if params.interaction == "distinct" and pool == count:
        first, second = distinct_pairs(count, noise, z.shape[0])
    else:
        first, second = noise.integers(pool, count), noise.integers(pool, count)
    difference = picked(others, first) - picked(others, second)
    origin = z if params.base == "self" else picked(others, noise.integers(pool, count))
    proposed = origin + params.gamma * difference + step_size(params, z, noise)
    if params.crossover >= 1:
        return proposed
    return torch.where(noise.uniform(*z.shape[1:]) < params.crossover, proposed, z)


def distinct_pairs(count: int, noise: Noise, rows: int) -> tuple[Tensor, Tensor]:
    """[R, K] I1 and I2 uniform among pairs with I1, I2 and k all different; k itself where there are too few."""
    self_ = torch.arange(count, device=noise.device).expand(rows, -1)
    if count < 3:
        return self_, self_
    first = (self_ + 1 + noise.integers(count - 1, count)) % count
    return first, another(count, (self_, first), noise)


def another(count: int, taken: Sequence[Tensor], noise: Noise) -> Tensor:
    """[R, K] uniform among the particles of {0, ..., count - 1} that are not `taken`, different ones [R, K] each."""
    index = noise.integers(count - len(taken), count)
    # Skip those taken: count up over the others, past one after the other from below.
    for number in torch.stack(tuple(taken)).sort(0).values:
        index = index + (index >= number)
    return index


def picked(z: Tensor, index: Tensor) -> Tensor:
    """z [R, M, d_z] of particles `index` [R, K]: [R, K, d_z]."""
    return z.gather(1, index[..., None].expand(-1, -1, z.shape[-1]))
