"""Knapsack: choose items of the greatest total value that fit together."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from .base import NONE, Context, Problem, Rules, Solution, Verdict, at, mark, trim
from .batched import Batched

UNIT = 1e-6
"""Resolution of generated weights."""


@dataclass(frozen=True)
class Instance(Batched):
    """Weights and capacities are integers, so that no comparison needs a tolerance. Nothing is negative."""

    weights: Tensor
    """[B, N] int64, in units of `unit`."""
    values: Tensor
    """[B, N] float64"""
    capacity: Tensor
    """[B] int64, in units of `unit`."""
    unit: float = 1.0
    """What one integer unit of weight means in the file's own numbers."""


@dataclass(frozen=True)
class State(Batched):
    taken: Tensor
    """[B, K, N]"""
    left: Tensor
    """[B, K] int64 remaining capacity."""
    last: Tensor
    """[B, K] the item taken last, `NONE` before the first."""


class Knapsack(Problem[Instance, State]):
    """0/1 knapsack problem

    The episode ends when nothing fits any more. Solutions are one list of items, numbered from 1 as in files.
    """

    sense = -1
    unit = "value"
    anchors = ("last",)
    scalars = ("remaining capacity",)
    feature_widths = (3,)

    def generate(self, batch: int, size: int, generator: Generator | None = None) -> Instance:
        """Weights and values uniform in (0, 1], room for a quarter of the items' number in weight (the paper's)."""
        whole = round(1 / UNIT)
        weights = torch.randint(1, whole + 1, (batch, size), generator=generator)
        values = 1 - torch.rand(batch, size, generator=generator, dtype=torch.float64)
        return Instance(weights, values, torch.full((batch,), size * whole // 4), UNIT)

    def num_nodes(self, instance: Instance) -> int:
        return instance.weights.shape[1]

    def features(self, instance: Instance) -> tuple[Tensor, ...]:
        """Weight and value relative to the largest, and the share of the knapsack that the item takes."""
        weights, values = instance.weights.double(), instance.values
        columns = (
            weights / weights.amax(-1, keepdim=True).clamp_min(1),
            values / values.amax(-1, keepdim=True).clamp_min(1e-12),
            (weights / instance.capacity[:, None].clamp_min(1)).clamp_max(1),
        )
        return (torch.stack(columns, -1).float(),)

    def rules(self, instance: Instance) -> Rules:
        return Rules("knapsack", {"weights": instance.weights, "capacity": instance.capacity})

    def horizon(self, instance: Instance) -> int:
        return self.num_nodes(instance)

    def first_nodes(self, instance: Instance) -> Tensor:
        """The items that fit, in turn; every instance lists as many as the one with most."""
        fits = instance.weights <= instance.capacity[:, None]
        order = (~fits).int().argsort(dim=-1, stable=True)
        count = fits.sum(-1, keepdim=True).clamp_min(1)
        turns = torch.arange(int(count.max()), device=order.device) % count
        return order.gather(1, turns)

    def reset(self, instance: Instance, particles: int) -> State:
        shape = (len(instance), particles)
        taken = torch.zeros(*shape, self.num_nodes(instance), dtype=torch.bool, device=instance.device)
        nothing = torch.full(shape, NONE, device=instance.device)
        return State(taken, instance.capacity[:, None].expand(shape), nothing)

    def step(self, instance: Instance, state: State, action: Tensor) -> State:
        left = state.left - at(instance.weights, action)
        return State(mark(state.taken, action), left, torch.where(action >= 0, action, state.last))

    def allowed(self, instance: Instance, state: State) -> Tensor:
        return ~state.taken & (instance.weights[:, None] <= state.left[..., None])

    def context(self, instance: Instance, state: State) -> Context:
        share = (state.left / instance.capacity[:, None].clamp_min(1)).float()
        return Context(state.last[..., None], share[..., None])

    def cost(self, instance: Instance, actions: Tensor) -> Tensor:
        return -at(instance.values, actions).sum(-1)

    def solution(self, instance: Instance, actions: Tensor) -> Solution:
        return [sorted(item + 1 for item in trim(actions))]

    def actions(self, instance: Instance, solution: Solution) -> Tensor:
        items = [item - 1 for part in solution for item in part]
        padding = [NONE] * (self.horizon(instance) - len(items))
        return torch.tensor(items + padding, dtype=torch.long, device=instance.device)

    def check(self, instance: Instance, solution: Solution) -> Verdict:
        weights, values = instance.weights[0].tolist(), instance.values[0].tolist()
        capacity, items = int(instance.capacity[0]), [item for part in solution for item in part]
        unknown = sorted({item for item in items if not 1 <= item <= len(weights)})
        if unknown:
            return Verdict(float("inf"), tuple(f"item {item} does not exist" for item in unknown))
        twice = sorted({item for item in items if items.count(item) > 1})
        faults = [f"item {item} is taken {items.count(item)} times" for item in twice]
        load = sum(weights[item - 1] for item in items)
        if load > capacity:
            faults.append(f"the items weigh {load * instance.unit:g} of {capacity * instance.unit:g}")
        return Verdict(-float(sum(values[item - 1] for item in items)), tuple(faults))
