"""Parallel MCMC: independent random-walk Metropolis chains."""

from __future__ import annotations

from .base import chains
from .base.chains import ChainParams as Params
from .base.chains import Chains
from .base.method import Info
from .base.noise import Noise
from .base.proposals import step_size
from .base.target import Target

__all__ = ["Params", "init", "step"]


def init(target: Target, params: Params, noise: Noise) -> Chains:
    return chains.begin(target, params.particles, noise)


def step(target: Target, params: Params, state: Chains, noise: Noise) -> tuple[Chains, Info]:
    proposed = state.z + step_size(params, state.z, noise)
    move = chains.metropolis(target, params, state, proposed, noise)
    return chains.advanced(move.chains), Info(move.chains.costs, move.accepted, move.chains.z)
