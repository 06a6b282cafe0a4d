"""Capacitated vehicle routing: serve every customer once, from one depot, with vehicles of one capacity."""

from __future__ import annotations

import numpy as np
import torch
from torch import Generator, Tensor

from .base import PAPER_COUNT, Context, Rules, Solution, Verdict, at, mark, mark_before, of_paper_set
from .geometry import from_coords, uniform
from .routes import DEPOT, Instance, Routing, State, check_routes

__all__ = ["CVRP", "DEPOT", "Instance", "State", "capacity_for", "check_routes"]


def capacity_for(size: int) -> int:
    """The literature's capacity for `size` customers, interpolated between the published sizes."""
    sizes, capacities = (10, 20, 50, 100, 125, 150, 200), (20, 30, 40, 50, 55, 60, 70)
    return round(float(np.interp(size, sizes, capacities)))


class CVRP(Routing[Instance, State]):
    """Capacitated vehicle routing problem"""

    scalars = ("remaining capacity",)
    feature_widths = (2, 3)

    def generate(self, batch: int, size: int, generator: Generator | None = None) -> Instance:
        demands = torch.randint(1, 10, (batch, size + 1), generator=generator)
        demands[:, DEPOT] = 0
        capacity = torch.full((batch,), capacity_for(size))
        return Instance(uniform(batch, size + 1, generator), demands, capacity)

    def paper_set(self, size: int, count: int = PAPER_COUNT) -> Instance:
        random = np.random.RandomState(1235)
        depots = random.uniform(size=(PAPER_COUNT, 2))
        customers = random.uniform(size=(PAPER_COUNT, size, 2))
        demands = random.randint(1, 10, (PAPER_COUNT, size))
        first = of_paper_set(count)
        coords = torch.from_numpy(np.concatenate((depots[:, None], customers), 1)[first])
        whole = torch.from_numpy(np.pad(demands, ((0, 0), (1, 0)))[first]).long()
        return Instance(from_coords(coords), whole, torch.full((count,), capacity_for(size)))

    def features(self, instance: Instance) -> tuple[Tensor, ...]:
        view = instance.places.view
        share = (instance.demands / instance.capacity[:, None]).float()
        return view[:, :1], torch.cat((view[:, 1:], share[:, 1:, None]), -1)

    def rules(self, instance: Instance) -> Rules:
        return Rules("cvrp", {"demands": instance.demands, "capacity": instance.capacity})

    def reset(self, instance: Instance, particles: int) -> State:
        shape = (len(instance), particles)
        served = torch.zeros(*shape, instance.places.size, dtype=torch.bool, device=instance.device)
        return State(served, instance.capacity[:, None].expand(shape), instance.capacity.new_zeros(shape))

    def step(self, instance: Instance, state: State, action: Tensor) -> State:
        left = state.left - at(instance.demands, action)
        left = torch.where(action == DEPOT, instance.capacity[:, None], left)
        return State(mark(state.served, action), left, torch.where(action >= 0, action, state.last))

    def unroll(self, instance: Instance, state: State, actions: Tensor) -> tuple[State, State]:
        capacity, home = instance.capacity[:, None], actions == DEPOT
        places = torch.cat((state.last[..., None], actions), -1)
        moves = torch.arange(places.shape[-1], device=places.device)
        moved = places.gather(-1, torch.where(places >= 0, moves, 0).cummax(-1).values)
        # Delivered since the beginning, less what had been delivered at the last visit to the depot.
        delivered = torch.cat(((capacity - state.left)[..., None], at(instance.demands, actions)), -1).cumsum(-1)
        reloaded = torch.where(home, delivered[..., 1:], 0).cummax(-1).values
        left = capacity[..., None] - delivered
        left[..., 1:] += reloaded
        served = mark_before(state.served, actions)
        before = State(served.flatten(1, 2), left[..., :-1].flatten(1), moved[..., :-1].flatten(1))
        return before, State(mark(served[:, :, -1], actions[..., -1]), left[..., -1], moved[..., -1])

    def context(self, instance: Instance, state: State) -> Context:
        share = (state.left / instance.capacity[:, None]).float()
        return Context(state.last[..., None], share[..., None])

    def check(self, instance: Instance, solution: Solution) -> Verdict:
        return check_routes(instance, solution)
