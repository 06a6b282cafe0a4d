"""Latent Guided Sampling: interacting chains that adapt the decoder's last layer as they go.

This is Algorithm 1; the study in docs/studies holds the defaults against the paper's settings (method `algorithm1`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from ..subset import choose, pick
from .base import chains, last_layer
from .base.chains import FIELDS, Chains, joined, uniforms
from .base.interaction import iterate
from .base.last_layer import Part
from .base.method import Info
from .base.noise import Noise
from .base.optimizer import Descent, Rule
from .base.overlay import Overlay
from .base.proposals import InteractingParams
from .base.settings import require
from .base.target import Target

Source = Literal["chains", "proposals", "fresh"]


@dataclass(frozen=True)
class Params(InteractingParams):
    intervals: tuple[int, ...] = (1,)
    """Iterations between updates of the weights; the last interval repeats. Empty: never."""
    part: Part = "keys"
    """What of the decoder's last layer is adapted: W_O (Algorithm 1), or the keys that its outcome is compared with."""
    rate: float = 0.003
    """Step size of the first update (gamma_1), for costs in units of the first population's mean cost."""
    decay: float = 0.0
    """The u-th update has step size rate / u^decay."""
    optimizer: Rule = "adam"
    source: Source = "proposals"
    """What updates learn from: the chains' own solutions (Algorithm 1); the last proposals, accepted or not, which
    are draws under the weights of now; or draws made for the purpose at the chains' latents."""
    imitation: float = 0.003
    """Weight of the best chain's log-probability in updates, as in efficient active search; 0 is Algorithm 1."""
    scored: int = 32
    """Solutions of the population that an update differentiates, drawn by their weights without bias; 0: all."""
    restart: bool = False
    """After an update the chains' solutions are decoded again under the new weights."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for interval in self.intervals:
            require("each interval", interval, at_least=1)
        require("rate", self.rate, at_least=0)
        require("decay", self.decay, at_least=0)
        require("imitation", self.imitation, at_least=0)
        require("scored", self.scored, at_least=0)


@dataclass(frozen=True)
class State:
    chains: Chains
    theta: Tensor
    """[R, d, d] W_O, or [R, N, d] keys, of each row."""
    descent: Descent
    next_update: int
    """The iteration after which the weights move next; -1 for never."""


def init(target: Target, params: Params, noise: Noise) -> State:
    theta = last_layer.trained(target, params.part)
    first = params.intervals[0] if params.intervals else -1
    return State(chains.begin(target, params.particles, noise), theta, Descent.of([theta]), first)


def step(target: Target, params: Params, state: State, noise: Noise) -> tuple[State, Info]:
    move = iterate(target, params, state.chains, noise, adapted(target, params, state))
    state = replace(state, chains=move.chains)
    if move.chains.iteration == state.next_update:
        state = learn(target, params, state, move.proposed, noise)
    return state, Info(state.chains.costs, move.accepted, state.chains.z)


def adapted(target: Target, params: Params, state: State) -> Overlay:
    """The decoder of now."""
    return last_layer.overlay(target, params.part, state.theta)


def learn(target: Target, params: Params, state: State, proposed: Chains, noise: Noise) -> State:
    """An update from the population that the settings name."""
    population = state.chains
    if params.source == "proposals":
        population = proposed
    elif params.source == "fresh":
        population = decoded_again(target, params, state, noise.uniform(params.particles, target.horizon))
    state = update(target, params, state, population, noise)
    if not params.restart:
        return state
    draws = uniforms(target, params.particles, noise)
    return replace(state, chains=decoded_again(target, params, state, draws))


def update(target: Target, params: Params, state: State, population: Chains, noise: Noise) -> State:
    """theta <- theta - gamma_u H_theta(population)."""
    weights = advantages(population)
    if 0 < params.scored < weights.shape[1]:
        population, weights = some(population, weights, params.scored, noise)
    if params.imitation:
        population = joined([population, best(state.chains)])
        weights = torch.cat((weights, torch.full_like(weights[:, :1], -params.imitation)), 1)
    descended, descent = state.descent.step(
        [state.theta],
        [gradient(target, params.part, state.theta, population, weights)],
        params.rate / (state.descent.steps + 1) ** params.decay,
        params.optimizer,
    )
    interval = params.intervals[min(descent.steps, len(params.intervals) - 1)]
    return replace(state, theta=descended[0], descent=descent, next_update=state.next_update + interval)


def advantages(population: Chains) -> Tensor:
    """(C(y^k) - b) / K [R, K], b the population's mean cost: what H weighs the log-probabilities with."""
    costs = population.costs / population.unit
    return ((costs - costs.mean(1, keepdim=True)) / costs.shape[1]).to(population.z.dtype)


def some(population: Chains, weights: Tensor, count: int, noise: Noise) -> tuple[Chains, Tensor]:
    """So many of the population with other weights, such that the expected gradient stays."""
    index, weights = choose(weights, count, noise.uniform().to(weights.dtype))
    z, starts, actions, costs = (pick(getattr(population, name), index) for name in FIELDS)
    return replace(population, z=z, starts=starts, actions=actions, costs=costs), weights


def gradient(target: Target, part: Part, theta: Tensor, population: Chains, weights: Tensor) -> Tensor:
    """Of sum_k weights^k log p_theta(y^k | x, z^k) with respect to theta; with `advantages` it is H_theta."""
    leaf = theta.detach().requires_grad_()
    overlay = last_layer.overlay(target, part, leaf)
    (found,) = target.gradient(weights, population.z, population.starts, population.actions, [leaf], overlay)
    return found


def best(state: Chains) -> Chains:
    """The cheapest chain of each row, [R, 1, ...]."""
    where = state.costs.argmin(1, keepdim=True)
    z, starts, actions, costs = (pick(getattr(state, name), where) for name in FIELDS)
    return replace(state, z=z, starts=starts, actions=actions, costs=costs)


def decoded_again(target: Target, params: Params, state: State, draws: Tensor | None) -> Chains:
    """The chains with solutions and costs under the weights of now."""
    old = state.chains
    made = target.evaluate(old.z, old.starts, draws, adapted(target, params, state))
    return replace(old, actions=made.actions, costs=made.costs)
