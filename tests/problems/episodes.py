"""Episodes without a network: drawn at random, or all of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Generator, Tensor

from lgs.problems import NONE, Problem


def seeded(seed: int) -> Generator:
    return torch.Generator().manual_seed(seed)


def random_actions(problem: Problem[Any, Any], instance: Any, particles: int, generator: Generator) -> Tensor:
    """[B, K, T] episodes that choose uniformly among what is allowed."""
    state = problem.reset(instance, particles)
    steps = []
    for _ in range(problem.horizon(instance)):
        allowed = problem.allowed(instance, state)
        running = allowed.any(-1)
        weights = allowed.float() + (~running).float()[..., None]
        drawn = torch.multinomial(weights.flatten(0, 1), 1, generator=generator).view(running.shape)
        steps.append(torch.where(running, drawn, NONE))
        state = problem.step(instance, state, steps[-1])
    if not steps:
        return torch.zeros(len(instance), particles, 0, dtype=torch.long)
    return torch.stack(steps, -1)


def all_actions(problem: Problem[Any, Any], instance: Any) -> Tensor:
    """[M, T]: every episode of a batch of one, grown one step at a time."""
    assert len(instance) == 1
    state = problem.reset(instance, 1)
    actions = torch.zeros(1, 0, dtype=torch.long)
    for _ in range(problem.horizon(instance)):
        allowed = problem.allowed(instance, state)[0]
        # One more column, NONE, for the episodes that are over.
        choices = torch.cat((~allowed.any(-1, keepdim=True), allowed), -1)
        parent, column = choices.nonzero().unbind(-1)
        actions = torch.cat((actions[parent], column[:, None] - 1), -1)
        state = problem.step(instance, state._map(lambda x, parent=parent: x[:, parent]), actions[None, :, -1])
    assert not problem.allowed(instance, state).any()
    return actions
