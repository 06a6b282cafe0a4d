"""Interacting MCMC: Metropolis chains whose steps are differences of one another (LGS without adaptation)."""

from __future__ import annotations

from .base import chains
from .base.chains import Chains
from .base.interaction import iterate
from .base.method import Info
from .base.noise import Noise
from .base.proposals import InteractingParams as Params
from .base.target import Target

__all__ = ["Params", "init", "step"]


def init(target: Target, params: Params, noise: Noise) -> Chains:
    return chains.begin(target, params.particles, noise)


def step(target: Target, params: Params, state: Chains, noise: Noise) -> tuple[Chains, Info]:
    move = iterate(target, params, state, noise)
    return move.chains, Info(move.chains.costs, move.accepted, move.chains.z)
