"""CMA-ES on latents: one evolution strategy per instance, in coordinates where the prior is N(0, I)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor

from .base.chains import into_ball, uniforms
from .base.evolution import Rates, Strategy, told
from .base.latents import require_latents
from .base.method import Info
from .base.noise import Noise
from .base.settings import require
from .base.target import Target


@dataclass(frozen=True)
class Params:
    particles: int = 100
    """Population size."""
    sigma: float = 1.0
    """First step size, in standard deviations of the prior."""

    def __post_init__(self) -> None:
        require("particles", self.particles, at_least=2)
        require("sigma", self.sigma, above=0)


@dataclass(frozen=True)
class State:
    strategy: Strategy
    starts: Tensor
    """[R, K]"""
    rates: Rates


def init(target: Target, params: Params, noise: Noise) -> State:
    require_latents(target, "cmaes")
    rows, dim = target.encoded.mean.shape
    strategy = Strategy.around_zero(rows, dim, params.sigma, target.device)
    return State(strategy, target.starts(params.particles), Rates.of(dim, params.particles, target.device))


def step(target: Target, params: Params, state: State, noise: Noise) -> tuple[State, Info]:
    prior, dim = target.encoded.prior, target.encoded.mean.shape[1]
    points = state.strategy.points(noise.normal(params.particles, dim))
    z = into_ball(prior.sample(points.to(prior.mean.dtype)), target.model.config.radius)
    made = target.evaluate(z, state.starts, uniforms(target, params.particles, noise))
    strategy = told(state.rates, state.strategy, points, made.costs, target.check)
    return replace(state, strategy=strategy), Info(made.costs, latents=z)
