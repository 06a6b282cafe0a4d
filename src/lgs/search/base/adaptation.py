"""What the methods share that adapt weights at every step, with latents fixed (EAS, active search)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ...subset import pick
from .chains import cost_unit, draw_prior
from .method import Info
from .noise import Noise
from .optimizer import Descent
from .overlay import Overlay
from .settings import require
from .target import Evaluation, Target


@dataclass(frozen=True)
class AdaptationParams:
    particles: int = 100
    """K, solutions sampled per step."""
    rate: float = 0.003
    """Adam's step size."""
    imitation: float = 0.001
    """Weight of the log-probability of the best solution so far, beside costs in units of their first mean."""

    def __post_init__(self) -> None:
        require("particles", self.particles, at_least=1)
        require("rate", self.rate, at_least=0)
        require("imitation", self.imitation, at_least=0)


@dataclass(frozen=True)
class Adapting:
    leaves: tuple[Tensor, ...]
    """What is adapted, [R, ...] each."""
    descent: Descent
    z: Tensor
    """[R, K, d_z], [R, K] starts: the particles, the same for ever."""
    starts: Tensor
    best: Best
    unit: Tensor
    """[R, 1] float64"""


@dataclass(frozen=True)
class Best:
    """The best particle of each row and its solution: [R, 1, d_z], [R, 1], [R, 1, T], [R, 1]."""

    z: Tensor
    starts: Tensor
    actions: Tensor
    costs: Tensor


def begin(target: Target, params: AdaptationParams, leaves: Sequence[Tensor], noise: Noise) -> Adapting:
    """Particles from the prior, nothing adapted yet."""
    z, starts = draw_prior(target, params.particles, noise), target.starts(params.particles)
    made = target.evaluate(z, starts, noise.uniform(params.particles, target.horizon))
    return Adapting(tuple(leaves), Descent.of(leaves), z, starts, _best(z, starts, made), cost_unit(made.costs))


def adapt(
    target: Target,
    params: AdaptationParams,
    state: Adapting,
    overlay: Callable[[Sequence[Tensor]], Overlay],
    noise: Noise,
) -> tuple[Adapting, Info]:
    """Sample, then descend (C - b) grad log p of the samples and -imitation * grad log p of the best so far."""
    uniforms = noise.uniform(params.particles, target.horizon)
    made = target.evaluate(state.z, state.starts, uniforms, overlay(state.leaves))
    best = _better(state.best, _best(state.z, state.starts, made))
    costs = made.costs / state.unit
    weights = (costs - costs.mean(1, keepdim=True)) / params.particles
    weights = torch.cat((weights, torch.full_like(state.unit, -params.imitation)), 1).to(state.z.dtype)
    leaves = [leaf.detach().requires_grad_() for leaf in state.leaves]
    gradients = target.gradient(
        weights,
        torch.cat((state.z, best.z), 1),
        torch.cat((state.starts, best.starts), 1),
        torch.cat((made.actions, best.actions), 1),
        leaves,
        overlay(leaves),
    )
    moved, descent = state.descent.step(state.leaves, gradients, params.rate)
    return replace(state, leaves=tuple(moved), descent=descent, best=best), Info(made.costs)


def _best(z: Tensor, starts: Tensor, made: Evaluation) -> Best:
    where = made.costs.argmin(1, keepdim=True)
    return Best(*(pick(rows, where) for rows in (z, starts, made.actions, made.costs)))


def _better(old: Best, new: Best) -> Best:
    wins = new.costs < old.costs

    def choose(x: Tensor, y: Tensor) -> Tensor:
        return torch.where(wins.view(len(wins), *[1] * (x.dim() - 1)), y, x)

    return Best(
        choose(old.z, new.z),
        choose(old.starts, new.starts),
        choose(old.actions, new.actions),
        choose(old.costs, new.costs),
    )
