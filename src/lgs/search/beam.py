"""Beam search with the decoder's own probabilities, the width doubling from pass to pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor

from ..kernel.reference import log_policy
from ..model import Tables
from ..problems import NONE
from .base import overlay
from .base.chains import draw_prior
from .base.method import Info
from .base.noise import Noise
from .base.settings import require
from .base.target import Target


@dataclass(frozen=True)
class Params:
    width: int = 1
    """Partial solutions kept in the first pass."""
    widest: int = 256
    """No pass is wider; from here on passes differ by their latent alone."""

    def __post_init__(self) -> None:
        require("width", self.width, at_least=1)
        require("widest", self.widest, at_least=self.width)


@dataclass(frozen=True)
class State:
    width: int
    mean: bool = True
    """The next pass uses the prior's mean; later ones draw their latent."""


@dataclass(frozen=True)
class Beams:
    episode: Any
    """The problem's state, [R, W, ...]."""
    actions: Tensor
    """[R, W, T]"""
    log_probs: Tensor
    """[R, W]; -inf for a beam that does not exist yet."""


def init(target: Target, params: Params, noise: Noise) -> State:
    return State(params.width)


@torch.no_grad()
def step(target: Target, params: Params, state: State, noise: Noise) -> tuple[State, Info]:
    """One pass: a complete beam search of the state's width with one latent per row."""
    z = target.encoded.mean[:, None] if state.mean else draw_prior(target, 1, noise)
    beams = _first(target, state.width)
    tables = overlay.tables(target.model, target.encoded, z.expand(-1, state.width, -1), {})
    for t in range(target.horizon):
        target.check()
        allowed = target.problem.allowed(target.images, beams.episode)
        if not bool(allowed.any()):
            break
        beams = _extend(target, tables, beams, allowed, t)
    finished = target.submit(beams.actions)
    return State(min(2 * state.width, params.widest), mean=False), Info(finished)


def _first(target: Target, width: int) -> Beams:
    """Beams from the given starts, or one real beam where the decoder chooses its start."""
    starts = target.starts(width)
    episode = target.problem.reset(target.images, width)
    actions = torch.full((*starts.shape, target.horizon), NONE, device=starts.device)
    log_probs = target.encoded.nodes.new_zeros(starts.shape)
    if bool((starts == NONE).all()):
        log_probs[:, 1:] = -torch.inf
    return Beams(episode, actions, log_probs)


def _extend(target: Target, tables: Tables, beams: Beams, allowed: Tensor, t: int) -> Beams:
    """The W most likely of all one-node extensions; a finished beam goes on as it is."""
    problem, images = target.problem, target.images
    starts = target.starts(allowed.shape[1])
    if t == 0 and bool((starts != NONE).any()):
        return _taken(target, beams, starts, t)
    features = problem.dynamic_features(images, beams.episode) if problem.dynamic else None
    steps = log_policy(tables, allowed, problem.context(images, beams.episode), features)
    over = ~allowed.any(-1)
    # A finished beam competes with its own log-probability, through one imaginary action.
    steps = torch.where(over[..., None], -torch.inf, steps)
    steps = torch.cat((steps, torch.where(over, 0.0, -torch.inf)[..., None]), -1)
    nodes = steps.shape[-1]
    total, flat = (beams.log_probs[..., None] + steps).flatten(1).topk(allowed.shape[1], dim=1)
    # Where there are fewer extensions than beams, the rest shadow the best one: valid, and never chosen again.
    flat = torch.where(total == -torch.inf, flat[:, :1], flat)
    parent, action = flat // nodes, flat % nodes
    chosen = replace(
        beams,
        episode=_along(beams.episode, parent),
        actions=_pick(parent)(beams.actions),
        log_probs=total,
    )
    return _taken(target, chosen, torch.where(action == nodes - 1, NONE, action), t)


def _taken(target: Target, beams: Beams, action: Tensor, t: int) -> Beams:
    actions = beams.actions.clone()
    actions[..., t] = action
    return replace(beams, episode=target.problem.step(target.images, beams.episode, action), actions=actions)


def _along(episode: Any, parent: Tensor) -> Any:
    return episode._map(_pick(parent))


def _pick(parent: Tensor) -> Callable[[Tensor], Tensor]:
    """Reorders the beams of any tensor [R, W, ...]."""

    def pick(x: Tensor) -> Tensor:
        index = parent.view(*parent.shape, *[1] * (x.dim() - 2))
        return x.gather(1, index.expand(-1, -1, *x.shape[2:]))

    return pick
