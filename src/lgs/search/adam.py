"""Adam: gradient descent of the expected cost on the latents themselves."""

from __future__ import annotations

from dataclasses import dataclass, replace

from .base.chains import into_ball
from .base.latents import Cloud, begin, expected_cost_gradient, require_latents
from .base.method import Info
from .base.noise import Noise
from .base.optimizer import Descent
from .base.settings import require
from .base.target import Target


@dataclass(frozen=True)
class Params:
    particles: int = 100
    rate: float = 0.05

    def __post_init__(self) -> None:
        require("particles", self.particles, at_least=1)
        require("rate", self.rate, at_least=0)


@dataclass(frozen=True)
class State:
    cloud: Cloud
    descent: Descent


def init(target: Target, params: Params, noise: Noise) -> State:
    require_latents(target, "adam")
    cloud = begin(target, params.particles, noise)
    return State(cloud, Descent.of([cloud.z]))


def step(target: Target, params: Params, state: State, noise: Noise) -> tuple[State, Info]:
    slope, made = expected_cost_gradient(target, state.cloud, noise)
    (z,), descent = state.descent.step([state.cloud.z], [slope], params.rate)
    cloud = replace(state.cloud, z=into_ball(z, target.model.config.radius))
    return State(cloud, descent), Info(made.costs, latents=state.cloud.z)
