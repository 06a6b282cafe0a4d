"""SGLD: Langevin steps on latents, along the gradient of the log prior and of the expected cost."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .base.chains import into_ball
from .base.latents import Cloud, begin, expected_cost_gradient, require_latents
from .base.method import Info
from .base.noise import Noise
from .base.settings import require
from .base.target import Target


@dataclass(frozen=True)
class Params:
    particles: int = 100
    lam: float = 1000.0
    """lambda, for costs in units of the first population's mean cost."""
    rate: float = 0.01
    """epsilon: z moves by epsilon / 2 times the gradient, plus noise of variance epsilon."""

    def __post_init__(self) -> None:
        require("particles", self.particles, at_least=1)
        require("lam", self.lam, at_least=0)
        require("rate", self.rate, at_least=0)


def init(target: Target, params: Params, noise: Noise) -> Cloud:
    require_latents(target, "sgld")
    return begin(target, params.particles, noise)


def step(target: Target, params: Params, state: Cloud, noise: Noise) -> tuple[Cloud, Info]:
    slope, made = expected_cost_gradient(target, state, noise)
    prior = target.encoded.prior
    to_mean = (prior.mean[:, None] - state.z) * (-prior.log_var[:, None]).exp()
    drift = params.rate / 2 * (to_mean - params.lam * slope)
    z = state.z + drift + params.rate**0.5 * noise.normal(*state.z.shape[1:])
    return replace(state, z=into_ball(z, target.model.config.radius)), Info(made.costs, latents=state.z)
