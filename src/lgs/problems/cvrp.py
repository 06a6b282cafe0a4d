"""Capacitated vehicle routing: serve every customer once, from one depot, with vehicles of one capacity."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Generator, Tensor

from .base import NONE, Context, Problem, Rules, Solution, Verdict, at, mark
from .batched import Batched
from .geometry import Geometry, from_coords, uniform

DEPOT = 0


@dataclass(frozen=True)
class Instance(Batched):
    """Node 0 is the depot. Demands and capacities are integers, so that no comparison needs a tolerance."""

    places: Geometry
    demands: Tensor
    """[B, N] int64, in units of `unit`; the depot's is 0."""
    capacity: Tensor
    """[B] int64, in units of `unit`."""
    unit: float = 1.0
    """What one integer unit of demand means in the file's own numbers."""


@dataclass(frozen=True)
class State(Batched):
    served: Tensor
    """[B, K, N]; the depot's entry is meaningless."""
    left: Tensor
    """[B, K] int64 remaining capacity, the paper's D-hat."""
    last: Tensor
    """[B, K] where the vehicle is."""


def capacity_for(size: int) -> int:
    """The literature's capacity for `size` customers, interpolated between the published sizes."""
    sizes, capacities = (10, 20, 50, 100, 125, 150, 200), (20, 30, 40, 50, 55, 60, 70)
    return round(float(np.interp(size, sizes, capacities)))


class CVRP(Problem[Instance, State]):
    """Capacitated vehicle routing problem"""

    anchors = ("last",)
    scalars = ("remaining capacity",)
    pairwise = ("log_distance",)
    feature_widths = (2, 3)

    def generate(self, batch: int, size: int, generator: Generator | None = None) -> Instance:
        demands = torch.randint(1, 10, (batch, size + 1), generator=generator)
        demands[:, DEPOT] = 0
        capacity = torch.full((batch,), capacity_for(size))
        return Instance(uniform(batch, size + 1, generator), demands, capacity)

    def paper_set(self, size: int, count: int = 1000) -> Instance:
        random = np.random.RandomState(1235)
        depots = random.uniform(size=(1000, 2))
        customers = random.uniform(size=(1000, size, 2))
        demands = random.randint(1, 10, (1000, size))
        coords = torch.from_numpy(np.concatenate((depots[:, None], customers), 1)[:count])
        whole = torch.from_numpy(np.pad(demands, ((0, 0), (1, 0)))[:count]).long()
        return Instance(from_coords(coords), whole, torch.full((count,), capacity_for(size)))

    def num_nodes(self, instance: Instance) -> int:
        return instance.places.size

    def features(self, instance: Instance) -> tuple[Tensor, ...]:
        view = instance.places.view
        share = (instance.demands / instance.capacity[:, None]).float()
        return view[:, :1], torch.cat((view[:, 1:], share[:, 1:, None]), -1)

    def pair_features(self, instance: Instance) -> Tensor:
        return instance.places.log_distances()[..., None]

    def symmetries(self, instance: Instance, count: int) -> list[Instance]:
        return [replace(instance, places=image) for image in instance.places.images(count)]

    def rules(self, instance: Instance) -> Rules:
        return Rules("cvrp", {"demands": instance.demands, "capacity": instance.capacity})

    def horizon(self, instance: Instance) -> int:
        return 2 * (instance.places.size - 1)

    def first_nodes(self, instance: Instance) -> Tensor:
        return torch.arange(1, instance.places.size, device=instance.device).expand(len(instance), -1)

    def reset(self, instance: Instance, particles: int) -> State:
        shape = (len(instance), particles)
        served = torch.zeros(*shape, instance.places.size, dtype=torch.bool, device=instance.device)
        return State(served, instance.capacity[:, None].expand(shape), instance.capacity.new_zeros(shape))

    def step(self, instance: Instance, state: State, action: Tensor) -> State:
        left = state.left - at(instance.demands, action)
        left = torch.where(action == DEPOT, instance.capacity[:, None], left)
        return State(mark(state.served, action), left, torch.where(action >= 0, action, state.last))

    def allowed(self, instance: Instance, state: State) -> Tensor:
        waiting = ~state.served
        waiting[..., DEPOT] = False
        fits = instance.demands[:, None] <= state.left[..., None]
        allowed = waiting & fits
        # The way home ends the episode by itself once everyone is served.
        allowed[..., DEPOT] = (state.last != DEPOT) & waiting.any(-1)
        return allowed

    def context(self, instance: Instance, state: State) -> Context:
        share = (state.left / instance.capacity[:, None]).float()
        return Context(state.last[..., None], share[..., None])

    def cost(self, instance: Instance, actions: Tensor) -> Tensor:
        """Every leg, from the depot and back to it; the padding after the end stays at the depot."""
        stops = torch.nn.functional.pad(actions.clamp_min(DEPOT), (1, 1), value=DEPOT)
        return instance.places.lengths(stops[..., :-1], stops[..., 1:]).sum(-1)

    def solution(self, instance: Instance, actions: Tensor) -> Solution:
        routes: Solution = [[]]
        for node in actions.tolist():
            if node > DEPOT:
                routes[-1].append(node)
            elif routes[-1]:
                routes.append([])
        return [route for route in routes if route]

    def actions(self, instance: Instance, solution: Solution) -> Tensor:
        stops = [stop for route in solution if route for stop in (*route, DEPOT)]
        padding = [NONE] * (self.horizon(instance) - len(stops) + 1)
        return torch.tensor(stops[:-1] + padding, device=instance.device)

    def check(self, instance: Instance, solution: Solution) -> Verdict:
        return check_routes(instance, solution)


def check_routes(instance: Instance, routes: Solution) -> Verdict:
    """Visits, loads and length of routes, counted one stop at a time."""
    demands, capacity = instance.demands[0].tolist(), int(instance.capacity[0])
    length = instance.places.distances()[0].cpu().numpy()
    visits, faults, cost = [0] * len(demands), [], 0.0
    for number, route in enumerate(routes, 1):
        unknown = [stop for stop in route if not 0 < stop < len(demands)]
        if unknown:
            faults += [f"route {number} visits {stop}, which is no customer" for stop in unknown]
            continue
        load = sum(demands[stop] for stop in route)
        if load > capacity:
            faults.append(f"route {number} carries {load * instance.unit:g} of {capacity * instance.unit:g}")
        for stop in route:
            visits[stop] += 1
        path = [DEPOT, *route, DEPOT]
        cost += float(sum(length[i, j] for i, j in itertools.pairwise(path)))
    for customer, count in enumerate(visits[1:], 1):
        if count == 0:
            faults.append(f"customer {customer} is never visited")
        elif count > 1:
            faults.append(f"customer {customer} is visited {count} times")
    return Verdict(cost, tuple(faults))
