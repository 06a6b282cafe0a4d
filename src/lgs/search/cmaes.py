"""CMA-ES on latents, by the package `cmaes`: one evolution strategy per instance."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .base.chains import into_ball, uniforms
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
    strategies: list[Any]
    """One `cmaes.CMA` per row, in coordinates where the prior is N(0, I). The package updates them in place."""
    starts: Tensor
    """[R, K]"""


def init(target: Target, params: Params, noise: Noise) -> State:
    require_latents(target, "cmaes")
    dim = target.encoded.mean.shape[1]
    if dim < 2:
        raise ValueError("cmaes needs a latent space of at least 2 dimensions; use de")
    make, origin, seeds = _package().CMA, np.zeros(dim), [int(stream.integers(1 << 31)) for stream in noise.numpy()]
    strategies = [make(origin, params.sigma, population_size=params.particles, seed=seed) for seed in seeds]
    return State(strategies, target.starts(params.particles))


def step(target: Target, params: Params, state: State, noise: Noise) -> tuple[State, Info]:
    asked = [_population(target, strategy, params.particles) for strategy in state.strategies]
    prior = target.encoded.prior
    z = into_ball(prior.sample(torch.from_numpy(np.stack(asked)).to(prior.mean)), target.model.config.radius)
    made = target.evaluate(z, state.starts, uniforms(target, params.particles, noise))
    for strategy, points, costs in zip(state.strategies, asked, made.costs.tolist()):
        strategy.tell(list(zip(points, costs)))
    return state, Info(made.costs, latents=z)


def _population(target: Target, strategy: Any, count: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """[K, d_z] of one row; decomposing the covariance may be slow, so time is looked at before each."""
    target.check()
    return np.stack([strategy.ask() for _ in range(count)])


def _package() -> Any:
    try:
        return importlib.import_module("cmaes")
    except ImportError as error:
        raise ValueError("the method cmaes needs the package cmaes: pip install cmaes") from error
