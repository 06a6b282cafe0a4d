"""Markov chains over particles, and the Metropolis step that every chain method shares (paper, Algorithm 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from ...model import Gaussian
from ...problems import Batched
from .noise import Noise
from .overlay import Overlay
from .settings import require
from .target import Target

FIELDS = ("z", "starts", "actions", "costs")
"""What every chain has one of: the tensors [R, K, ...] of `Chains`."""
MOST_GROWTH = 50.0
"""Bound of log(growth) times the iteration: numbers stay finite however long a search is."""


@dataclass(frozen=True)
class ChainParams:
    """Settings of every method with chains."""

    particles: int = 100
    """K, the number of chains per instance (and image)."""
    lam: float = 10_000.0
    """lambda of the target e^(-lambda C), for costs in units of the first population's mean cost."""
    growth: float = 1.0
    """lambda is multiplied by this after every iteration."""
    prior_power: float = 1.0
    """Power of the prior ratio in the acceptance; 1 is exact, 0 ignores the prior."""
    sigma2: float = 0.01
    """Variance of the proposal's own noise."""

    def __post_init__(self) -> None:
        require("particles", self.particles, at_least=1)
        for name in ("lam", "prior_power", "sigma2"):
            require(name, getattr(self, name), at_least=0)
        require("growth", self.growth, above=0)

    def lam_at(self, iteration: int) -> float:
        """lambda of this iteration; it stops growing where no worse solution has been taken for long."""
        return self.lam * math.exp(min(iteration * math.log(self.growth), MOST_GROWTH))


@dataclass(frozen=True)
class Chains(Batched):
    """The state of K chains per row: the particle, its solution, its cost."""

    z: Tensor
    """[R, K, d_z]"""
    starts: Tensor
    """[R, K] part of the particle: never drawn again under a stored cost."""
    actions: Tensor
    """[R, K, T]"""
    costs: Tensor
    """[R, K] float64"""
    unit: Tensor
    """[R, 1] float64, the unit in which lambda sees costs."""
    iteration: int = 0


@dataclass(frozen=True)
class Move:
    chains: Chains
    accepted: Tensor
    """[R, k] which of the chains moved."""
    proposed: Chains
    """What was proposed, accepted or not: [R, k, ...]."""


def begin(target: Target, particles: int, noise: Noise) -> Chains:
    """Chains started from the prior: z ~ p(z | x), y ~ p(y | x, z)."""
    z = draw_prior(target, particles, noise)
    starts = target.starts(particles)
    made = target.evaluate(z, starts, uniforms(target, particles, noise))
    return Chains(z, starts, made.actions, made.costs, cost_unit(made.costs))


def draw_prior(target: Target, particles: int, noise: Noise) -> Tensor:
    """[R, K, d_z] from p(z | x), those outside the ball pulled back onto it."""
    prior = target.encoded.prior
    z = prior.sample(noise.normal(particles, prior.dim))
    return into_ball(z, target.model.config.radius)


def into_ball(z: Tensor, radius: float) -> Tensor:
    inside: Tensor = z * (radius / z.norm(dim=-1, keepdim=True).clamp_min(radius))
    return inside


def uniforms(target: Target, particles: int, noise: Noise) -> Tensor | None:
    """The randomness of decoding, None when the target decodes greedily."""
    return noise.uniform(particles, target.horizon) if target.decoding == "sampled" else None


def cost_unit(costs: Tensor) -> Tensor:
    """[R, 1] the mean absolute cost of a population, 1 where that is 0."""
    mean = costs.abs().mean(1, keepdim=True)
    return torch.where(mean > 0, mean, torch.ones_like(mean))


def log_ratio(
    prior: Gaussian, z: Tensor, proposed: Tensor, cost: Tensor, new_cost: Tensor, lam: float, prior_power: float = 1.0
) -> Tensor:
    """log of p(z'|x)/p(z|x) e^(-lambda (C' - C)), [R, K]: the proposal is symmetric and y' came from the decoder."""
    weight = -lam * (new_cost - cost)
    if prior_power:
        weight = weight + prior_power * (prior.log_prob(proposed) - prior.log_prob(z)).double()
    return weight


def metropolis(
    target: Target,
    params: ChainParams,
    chains: Chains,
    proposed: Tensor,
    noise: Noise,
    overlay: Overlay | None = None,
    which: Tensor | None = None,
) -> Move:
    """One accept-or-reject of proposals [R, k, d_z] for chains `which` [k] (all without).

    A proposal outside the ball is a move of target density zero: rejected like any other.
    """
    every = (chains.z, chains.starts, chains.actions, chains.costs)
    z, starts, actions, costs = every if which is None else (x[:, which] for x in every)
    count = proposed.shape[1]
    made = target.evaluate(proposed, starts, uniforms(target, count, noise), overlay)
    lam = params.lam_at(chains.iteration)
    ratio = log_ratio(
        target.encoded.prior, z, proposed, costs / chains.unit, made.costs / chains.unit, lam, params.prior_power
    )
    inside = proposed.norm(dim=-1) <= target.model.config.radius
    accepted = (noise.uniform(count).log() < ratio) & inside

    def put(old: Tensor, kept: Tensor, new: Tensor) -> Tensor:
        mask = accepted.view(*accepted.shape, *[1] * (new.dim() - 2))
        now = torch.where(mask, new, kept)
        return now if which is None else old.index_copy(1, which, now)

    moved = replace(
        chains,
        z=put(chains.z, z, proposed),
        actions=put(chains.actions, actions, made.actions),
        costs=put(chains.costs, costs, made.costs),
    )
    return Move(moved, accepted, Chains(proposed, starts, made.actions, made.costs, chains.unit))


def advanced(chains: Chains) -> Chains:
    """The same chains, one iteration later."""
    return replace(chains, iteration=chains.iteration + 1)


def joined(parts: list[Chains]) -> Chains:
    """Several populations of the same rows side by side."""
    z, starts, actions, costs = (torch.cat([getattr(part, name) for part in parts], 1) for name in FIELDS)
    return replace(parts[0], z=z, starts=starts, actions=actions, costs=costs)
