"""What vehicle routing problems share: a depot, customers with demands, vehicles of one capacity, routes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TypeVar

import torch
from torch import Tensor

from .base import NONE, Problem, Solution, Verdict
from .batched import Batched
from .geometry import Geometry

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


I = TypeVar("I", bound=Instance)  # noqa: E741
S = TypeVar("S", bound=State)


class Routing(Problem[I, S]):
    """Every customer once, in routes that begin and end at the depot.

    An instance with a customer that no vehicle can serve has no solution: its episodes end with that customer
    unserved, their cost is infinite and the checker names the customer.
    """

    anchors = ("last",)
    pairwise = ("log_distance",)

    def num_nodes(self, instance: I) -> int:
        return instance.places.size

    def pair_features(self, instance: I) -> Tensor:
        return instance.places.log_distances()[..., None]

    def symmetries(self, instance: I, count: int) -> list[I]:
        return [replace(instance, places=image) for image in instance.places.images(count)]

    def obstacles(self, instance: I) -> list[str]:
        demands, capacity, unit = instance.demands[0].tolist(), int(instance.capacity[0]), instance.unit
        return [
            f"customer {customer} demands {demand * unit:g}, more than the vehicle's capacity of {capacity * unit:g}"
            for customer, demand in enumerate(demands)
            if demand > capacity
        ]

    def horizon(self, instance: I) -> int:
        return 2 * (instance.places.size - 1)

    def first_nodes(self, instance: I) -> Tensor:
        return torch.arange(1, instance.places.size, device=instance.device).expand(len(instance), -1)

    def allowed(self, instance: I, state: S) -> Tensor:
        waiting = ~state.served
        waiting[..., DEPOT] = False
        allowed = waiting & (instance.demands[:, None] <= state.left[..., None])
        # The way home ends the episode by itself once everyone is served.
        allowed[..., DEPOT] = (state.last != DEPOT) & waiting.any(-1)
        return allowed

    def cost(self, instance: I, actions: Tensor) -> Tensor:
        """Every leg, from the depot and back to it; the padding after the end stays at the depot."""
        stops = torch.nn.functional.pad(actions, (1, 1), value=DEPOT).clamp_min_(DEPOT)
        length = instance.places.lengths(stops[..., :-1], stops[..., 1:]).sum(-1)
        served = length.new_zeros((*length.shape, instance.places.size), dtype=torch.bool).scatter(-1, stops, True)
        return length.masked_fill(~served.all(-1), torch.inf)

    def solution(self, instance: I, actions: Tensor) -> Solution:
        routes: Solution = [[]]
        for node in actions.tolist():
            if node > DEPOT:
                routes[-1].append(node)
            elif routes[-1]:
                routes.append([])
        return [route for route in routes if route]

    def actions(self, instance: I, solution: Solution) -> Tensor:
        stops = [stop for route in solution if route for stop in (*route, DEPOT)][:-1]
        padding = [NONE] * (self.horizon(instance) - len(stops))
        return torch.tensor(stops + padding, dtype=torch.long, device=instance.device)


def check_routes(instance: Instance, routes: Solution) -> Verdict:
    """Visits, loads and length of routes, counted one stop at a time."""
    demands, capacity = instance.demands[0].tolist(), int(instance.capacity[0])
    length = instance.places.distances()[0].cpu().numpy()
    visits, faults, cost = [0] * len(demands), [], 0.0
    for number, route in enumerate(routes, 1):
        unknown = [stop for stop in route if not 0 < stop < len(demands)]
        faults += [f"route {number} visits {stop}, which is no customer" for stop in unknown]
        known = [stop for stop in route if stop not in unknown]
        load = sum(demands[stop] for stop in known)
        if load > capacity:
            faults.append(f"route {number} carries {load * instance.unit:g} of {capacity * instance.unit:g}")
        for stop in known:
            visits[stop] += 1
        path = [DEPOT, *known, DEPOT]
        cost += float("inf") if unknown else float(sum(length[i, j] for i, j in itertools.pairwise(path)))
    for customer, count in enumerate(visits[1:], 1):
        if count == 0:
            faults.append(f"customer {customer} is never visited")
        elif count > 1:
            faults.append(f"customer {customer} is visited {count} times")
    return Verdict(cost, tuple(faults))
