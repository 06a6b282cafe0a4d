"""Differential evolution (rand/1/bin) on latents, as in CVAE-Opt (Hottung et al.), whose settings are the defaults."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from .base.chains import Chains, begin, into_ball, uniforms
from .base.latents import require_latents
from .base.method import Info
from .base.noise import Noise
from .base.proposals import another, picked
from .base.settings import require
from .base.target import Target


@dataclass(frozen=True)
class Params:
    particles: int = 600
    weight: float = 0.3
    """F, the scale of the difference of two particles."""
    crossover: float = 0.95
    """CR, share of coordinates taken from the mutant."""

    def __post_init__(self) -> None:
        require("particles", self.particles, at_least=1)
        require("weight", self.weight, at_least=0)
        require("crossover", self.crossover, at_least=0)


def init(target: Target, params: Params, noise: Noise) -> Chains:
    require_latents(target, "de")
    return begin(target, params.particles, noise)


def step(target: Target, params: Params, state: Chains, noise: Noise) -> tuple[Chains, Info]:
    count = params.particles
    first, second, third = (picked(state.z, index) for index in parents(count, noise, target.rows))
    mutant = first + params.weight * (second - third)
    child = torch.where(noise.uniform(*state.z.shape[1:]) < params.crossover, mutant, state.z)
    child = into_ball(child, target.model.config.radius)
    made = target.evaluate(child, state.starts, uniforms(target, count, noise))
    better = made.costs < state.costs
    kept = replace(
        state, z=torch.where(better[..., None], child, state.z), costs=torch.where(better, made.costs, state.costs)
    )
    return kept, Info(kept.costs, better, kept.z)


def parents(count: int, noise: Noise, rows: int) -> list[Tensor]:
    """[R, K] three particles for each one, different from it and from one another; any three of fewer than four."""
    if count < 4:
        return [noise.integers(count, count) for _ in range(3)]
    taken = [torch.arange(count, device=noise.device).expand(rows, -1)]
    for _ in range(3):
        taken.append(another(count, taken, noise))
    return taken[1:]
