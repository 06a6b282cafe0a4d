"""Latent Guided Sampling: interacting chains that adapt the decoder's last layer as they go.

This is Algorithm 1; the defaults are those of the study in docs/studies, the paper's are the method `algorithm1`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from .base import chains, overlay
from .base.chains import Chains, joined, uniforms
from .base.interaction import iterate
from .base.method import Info
from .base.noise import Noise
from .base.optimizer import Descent, Rule
from .base.overlay import OUTPUT
from .base.proposals import InteractingParams
from .base.settings import require
from .base.target import Target

Source = Literal["chains", "proposals", "fresh"]


@dataclass(frozen=True)
class Params(InteractingParams):
    intervals: tuple[int, ...] = (1,)
    """Iterations between updates of the weights; the last interval repeats. Empty: never."""
    rate: float = 0.001
    """Step size of the first update (gamma_1), for costs in units of the first population's mean cost."""
    decay: float = 0.0
    """The u-th update has step size rate / u^decay."""
    optimizer: Rule = "adam"
    source: Source = "proposals"
    """What updates learn from: the chains' own solutions (Algorithm 1); the last proposals, accepted or not, which
    are draws under the weights of now; or draws made for the purpose at the chains' latents."""
    imitation: float = 0.003
    """Weight of the best chain's log-probability in updates, as in efficient active search; 0 is Algorithm 1."""
    restart: bool = False
    """After an update the chains' solutions are decoded again under the new weights."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for interval in self.intervals:
            require("each interval", interval, at_least=1)
        require("rate", self.rate, at_least=0)
        require("decay", self.decay, at_least=0)
        require("imitation", self.imitation, at_least=0)


@dataclass(frozen=True)
class State:
    chains: Chains
    output: Tensor
    """[R, d, d] W_O of each row: theta."""
    descent: Descent
    next_update: int
    """The iteration after which the weights move next; -1 for never."""

    @property
    def adapted(self) -> dict[str, Tensor]:
        return {OUTPUT: self.output}


def init(target: Target, params: Params, noise: Noise) -> State:
    output = overlay.weight(target.model, OUTPUT, target.rows)
    first = params.intervals[0] if params.intervals else -1
    return State(chains.begin(target, params.particles, noise), output, Descent.of([output]), first)


def step(target: Target, params: Params, state: State, noise: Noise) -> tuple[State, Info]:
    move = iterate(target, params, state.chains, noise, state.adapted)
    state = replace(state, chains=move.chains)
    if move.chains.iteration == state.next_update:
        state = learn(target, params, state, move.proposed, noise)
    return state, Info(state.chains.costs, move.accepted, state.chains.z)


def learn(target: Target, params: Params, state: State, proposed: Chains, noise: Noise) -> State:
    """An update from the population that the settings name."""
    population = state.chains
    if params.source == "proposals":
        population = proposed
    elif params.source == "fresh":
        population = decoded_again(target, state, noise.uniform(params.particles, target.horizon))
    state = update(target, params, state, population)
    if not params.restart:
        return state
    return replace(state, chains=decoded_again(target, state, uniforms(target, params.particles, noise)))


def update(target: Target, params: Params, state: State, population: Chains) -> State:
    """theta <- theta - gamma_u H_theta(population)."""
    descended, descent = state.descent.step(
        [state.output],
        [gradient(target, population, state.output, best(state.chains), params.imitation)],
        params.rate / (state.descent.steps + 1) ** params.decay,
        params.optimizer,
    )
    interval = params.intervals[min(descent.steps, len(params.intervals) - 1)]
    return replace(state, output=descended[0], descent=descent, next_update=state.next_update + interval)


def gradient(
    target: Target, population: Chains, output: Tensor, best: Chains | None = None, imitation: float = 0.0
) -> Tensor:
    """H_theta [R, d, d]: 1/K sum_k (C(y^k) - b) grad log p_theta(y^k | x, z^k), b the population's mean cost.

    With imitation, minus so many times the gradient of the log-probability of the best chain's solution.
    """
    leaf = output.detach().requires_grad_()
    costs = population.costs / population.unit
    weights = (costs - costs.mean(1, keepdim=True)) / costs.shape[1]
    if best is not None and imitation:
        population = joined([population, best])
        weights = torch.cat((weights, torch.full_like(weights[:, :1], -imitation)), 1)
    (found,) = target.gradient(
        weights.to(output.dtype), population.z, population.starts, population.actions, [leaf], {OUTPUT: leaf}
    )
    return found


def best(state: Chains) -> Chains:
    """The cheapest chain of each row, [R, 1, ...]."""
    rows = torch.arange(len(state.costs), device=state.costs.device)[:, None]
    where = state.costs.argmin(1, keepdim=True)
    pick = {name: getattr(state, name)[rows, where] for name in ("z", "starts", "actions", "costs")}
    return replace(state, **pick)


def decoded_again(target: Target, state: State, draws: Tensor | None) -> Chains:
    """The chains with solutions and costs under the weights of now."""
    old = state.chains
    made = target.evaluate(old.z, old.starts, draws, state.adapted)
    return replace(old, actions=made.actions, costs=made.costs)
