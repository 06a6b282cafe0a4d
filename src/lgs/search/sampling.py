"""Sampling: fresh latents from the prior p(z | x) for ever, no reweighting by cost."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from .base.chains import draw_prior, uniforms
from .base.method import Info
from .base.noise import Noise
from .base.settings import require
from .base.target import Target


@dataclass(frozen=True)
class Params:
    particles: int = 600
    """Latents drawn at a time."""

    def __post_init__(self) -> None:
        require("particles", self.particles, at_least=1)


def init(target: Target, params: Params, noise: Noise) -> Tensor:
    """[R, K] the starts: all there is to remember."""
    return target.starts(params.particles)


def step(target: Target, params: Params, state: Tensor, noise: Noise) -> tuple[Tensor, Info]:
    z = draw_prior(target, params.particles, noise)
    made = target.evaluate(z, state, uniforms(target, params.particles, noise))
    return state, Info(made.costs)
