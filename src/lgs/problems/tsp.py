"""Travelling salesman: visit every node once and come back, as short as possible."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Generator, Tensor

from .base import PAPER_COUNT, Context, Problem, Rules, Solution, Verdict, mark, mark_before, of_paper_set, trim
from .batched import Batched
from .geometry import Geometry, from_coords, uniform


@dataclass(frozen=True)
class Instance(Batched):
    places: Geometry


@dataclass(frozen=True)
class State(Batched):
    visited: Tensor
    """[B, K, N]"""
    first: Tensor
    """[B, K] the node where the tour began."""
    last: Tensor
    """[B, K] the node where it is now."""


class TSP(Problem[Instance, State]):
    """Travelling salesman problem"""

    anchors = ("last", "first")
    pairwise = ("log_distance",)
    feature_widths = (2,)
    forced_start = True

    def generate(self, batch: int, size: int, generator: Generator | None = None) -> Instance:
        return Instance(uniform(batch, size, generator))

    def paper_set(self, size: int, count: int = PAPER_COUNT) -> Instance:
        coords = np.random.RandomState(1235).uniform(size=(PAPER_COUNT, size, 2))
        return Instance(from_coords(torch.from_numpy(coords[of_paper_set(count)])))

    def num_nodes(self, instance: Instance) -> int:
        return instance.places.size

    def features(self, instance: Instance) -> tuple[Tensor, ...]:
        return (instance.places.view,)

    def pair_features(self, instance: Instance) -> Tensor:
        return instance.places.log_distances()[..., None]

    def symmetries(self, instance: Instance, count: int) -> list[Instance]:
        return [replace(instance, places=image) for image in instance.places.images(count)]

    def rules(self, instance: Instance) -> Rules:
        return Rules("tsp")

    def horizon(self, instance: Instance) -> int:
        return instance.places.size

    def first_nodes(self, instance: Instance) -> Tensor:
        return torch.arange(instance.places.size, device=instance.device).expand(len(instance), -1)

    def reset(self, instance: Instance, particles: int) -> State:
        shape = (len(instance), particles)
        nowhere = torch.full(shape, -1, device=instance.device)
        visited = torch.zeros(*shape, instance.places.size, dtype=torch.bool, device=instance.device)
        return State(visited, nowhere, nowhere)

    def step(self, instance: Instance, state: State, action: Tensor) -> State:
        last = torch.where(action >= 0, action, state.last)
        return State(mark(state.visited, action), torch.where(state.first >= 0, state.first, last), last)

    def unroll(self, instance: Instance, state: State, actions: Tensor) -> tuple[State, State]:
        last = torch.cat((state.last[..., None], actions[..., :-1]), -1)
        first = torch.where(state.first >= 0, state.first, actions[..., 0])
        firsts = torch.cat((state.first[..., None], first[..., None].expand_as(actions)[..., 1:]), -1)
        visited = mark_before(state.visited, actions)
        after = State(mark(visited[:, :, -1], actions[..., -1]), first, actions[..., -1])
        return State(visited.flatten(1, 2), firsts.flatten(1), last.flatten(1)), after

    def allowed(self, instance: Instance, state: State) -> Tensor:
        return ~state.visited

    def context(self, instance: Instance, state: State) -> Context:
        anchors = torch.stack((state.last, state.first), -1)
        return Context(anchors, anchors.new_zeros((*anchors.shape[:2], 0), dtype=torch.float32))

    def cost(self, instance: Instance, actions: Tensor) -> Tensor:
        """Eq. (tour length): every leg and the way back."""
        return instance.places.lengths(actions, actions.roll(-1, -1)).sum(-1)

    def solution(self, instance: Instance, actions: Tensor) -> Solution:
        return [trim(actions)]

    def actions(self, instance: Instance, solution: Solution) -> Tensor:
        return torch.tensor(solution[0], device=instance.device)

    def check(self, instance: Instance, solution: Solution) -> Verdict:
        size, tour = instance.places.size, [node for part in solution for node in part]
        unknown = sorted({node for node in tour if not 0 <= node < size})
        if unknown:
            return Verdict(float("inf"), tuple(f"node {node} does not exist" for node in unknown))
        times = np.bincount(np.asarray(tour, dtype=np.int64), minlength=size)
        faults = [f"node {node} is never visited" for node in np.flatnonzero(times == 0)]
        faults += [f"node {node} is visited {times[node]} times" for node in np.flatnonzero(times > 1)]
        length = instance.places.distances()[0].cpu().numpy()
        legs = [length[i, j] for i, j in zip(tour, tour[1:] + tour[:1])]
        return Verdict(float(sum(legs)), tuple(faults))
