"""Vehicle routing with time windows: serve every customer once, within capacity and within its hours."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Generator, Tensor

from .base import Context, Rules, Solution, Verdict, at, mark
from .geometry import from_coords
from .routes import DEPOT, Routing, check_routes
from .routes import Instance as RoutingInstance
from .routes import State as RoutingState

TOLERANCE = 1e-9
"""The checker forgives lateness of this share of the depot's hours: sums of floats depend on their order."""


@dataclass(frozen=True, kw_only=True)
class Instance(RoutingInstance):
    """A vehicle that arrives early waits; travel takes as long as the distance; times share the distance's unit."""

    ready: Tensor
    """[B, N] float64 earliest start of service; the depot's is its opening."""
    due: Tensor
    """[B, N] float64 latest arrival; the depot's is its closing."""
    service: Tensor
    """[B, N] float64 time that service takes; the depot's is 0."""

    @property
    def opening(self) -> Tensor:
        """[B]"""
        return self.ready[:, DEPOT]

    @property
    def hours(self) -> Tensor:
        """[B] how long the depot is open: the scale of every time that the network sees."""
        return (self.due[:, DEPOT] - self.opening).clamp_min(1e-9)

    def latest(self) -> Tensor:
        """[B, N] latest arrival that also leaves time to serve and drive straight home; -inf where none does."""
        nodes = torch.arange(self.places.size, device=self.device).expand(len(self), -1)
        home = self.places.lengths(nodes, torch.full_like(nodes, DEPOT))
        latest = (self.due[:, :1] - self.service - home).minimum(self.due)
        latest[:, DEPOT] = self.due[:, DEPOT]
        return latest.masked_fill(latest < self.ready, -torch.inf)


@dataclass(frozen=True)
class State(RoutingState):
    time: Tensor
    """[B, K] float64 when the vehicle is ready to leave `last`, the paper's T."""


class CVRPTW(Routing[Instance, State]):
    """Capacitated vehicle routing problem with time windows

    The cost is the distance; with `vehicles_first` the number of vehicles decides and the distance breaks ties.
    """

    scalars = ("remaining capacity", "time")
    dynamic = ("slack", "waiting")
    feature_widths = (3, 6)

    def __init__(self, vehicles_first: bool = False) -> None:
        self.vehicles_first = vehicles_first

    def generate(self, batch: int, size: int, generator: Generator | None = None) -> Instance:
        """Solomon's classes, mixed over the batch, in the unit square (his lengths and times / 100).

        Customers scattered, clustered or half of each (R, C, RC); short or long hours (series 1 and 2); windows
        for a quarter to all of the customers, narrow or wide. One vehicle per customer is always a solution.
        """

        def rand(*shape: int) -> Tensor:
            return torch.rand(*shape, generator=generator, dtype=torch.float64)

        def choice(*values: float) -> Tensor:
            return torch.tensor(values, dtype=torch.float64)[
                torch.randint(len(values), (batch, 1), generator=generator)
            ]

        layout = torch.randint(3, (batch, 1), generator=generator)
        series = torch.randint(2, (batch, 1), generator=generator)
        hours = torch.tensor([[2.3, 10.0], [12.4, 33.9], [2.4, 9.6]], dtype=torch.float64)[layout, series]
        duration = torch.tensor([0.1, 0.9, 0.1], dtype=torch.float64)[layout]
        clustered = rand(batch, size) < torch.tensor([0.0, 1.0, 0.5])[layout]

        depot = 0.35 + 0.3 * rand(batch, 1, 2)
        centres = 0.1 + 0.8 * rand(batch, max(2, size // 10), 2)
        near = centres.gather(
            1, torch.randint(centres.shape[1], (batch, size, 1), generator=generator).expand(-1, -1, 2)
        )
        near = (near + 0.1 * (rand(batch, size, 2) - rand(batch, size, 2))).clamp(0, 1)
        customers = torch.where(clustered[..., None], near, rand(batch, size, 2))

        away = (customers - depot).square().sum(-1).sqrt()
        last = hours - away - duration
        middle = away + (last - away) * rand(batch, size)
        half = hours * choice(0.03, 0.15) * (0.5 + rand(batch, size))
        half = torch.where(rand(batch, size) < choice(0.25, 0.5, 0.75, 1.0), half, hours)
        ready, due = (middle - half).clamp_min(0), (middle + half).minimum(last)

        demands = torch.randint(1, 42, (batch, size), generator=generator)
        nothing = torch.zeros(batch, 1, dtype=torch.float64)
        return Instance(
            places=from_coords(torch.cat((depot, customers), 1)),
            demands=torch.nn.functional.pad(demands, (1, 0)),
            capacity=torch.tensor([200, 1000])[series[:, 0]],
            ready=torch.cat((nothing, ready), 1),
            due=torch.cat((hours, due), 1),
            service=torch.cat((nothing, duration.expand(-1, size)), 1),
        )

    def obstacles(self, instance: Instance) -> list[str]:
        """Also whom a vehicle that drives there straight away cannot serve and be back in time."""
        nodes = torch.arange(instance.places.size, device=instance.device)[None]
        arrival = instance.opening[:, None] + instance.places.lengths(torch.zeros_like(nodes), nodes)
        late = (arrival > instance.latest())[0].nonzero().flatten().tolist()
        return super().obstacles(instance) + [
            f"customer {customer} cannot be served within its hours by a vehicle back before the depot closes"
            for customer in late
            if customer != DEPOT
        ]

    def features(self, instance: Instance) -> tuple[Tensor, ...]:
        """Depot: place, mean trip / hours. Customers: place, demand, window (as it binds) and service time."""
        view = instance.places.view
        trip = (instance.places.distances().mean((1, 2)) / instance.hours).clamp(0, 1)
        depot = torch.cat((view[:, 0], trip[:, None].float()), -1)
        begin, hours = instance.opening[:, None], instance.hours[:, None]
        columns = (
            instance.demands / instance.capacity[:, None],
            (instance.ready - begin) / hours,
            (instance.latest() - begin) / hours,
            instance.service / hours,
        )
        customers = torch.stack(columns, -1).clamp(0, 1).float()
        return depot[:, None], torch.cat((view, customers), -1)[:, 1:]

    def rules(self, instance: Instance) -> Rules:
        """Everything that `step`, `allowed`, `context` and `dynamic_features` read."""
        arrays = {
            "demands": instance.demands,
            "capacity": instance.capacity,
            "travel": instance.places.distances(),
            "ready": instance.ready,
            "latest": instance.latest(),
            "service": instance.service,
            "opening": instance.opening,
            "hours": instance.hours,
        }
        return Rules("cvrptw", arrays)

    def reset(self, instance: Instance, particles: int) -> State:
        shape = (len(instance), particles)
        return State(
            served=torch.zeros(*shape, instance.places.size, dtype=torch.bool, device=instance.device),
            left=instance.capacity[:, None].expand(shape),
            last=instance.capacity.new_zeros(shape),
            time=instance.opening[:, None].expand(shape),
        )

    def step(self, instance: Instance, state: State, action: Tensor) -> State:
        """T' = max(T + travel, ready) + service; the depot sends out a fresh vehicle at its opening."""
        home, over = action == DEPOT, action < 0
        left = torch.where(home, instance.capacity[:, None], state.left - at(instance.demands, action))
        arrival = state.time + instance.places.lengths(state.last, action.clamp_min(DEPOT))
        time = arrival.maximum(at(instance.ready, action)) + at(instance.service, action)
        time = torch.where(home, instance.opening[:, None], time)
        return State(
            served=mark(state.served, action),
            left=left,
            last=torch.where(over, state.last, action),
            time=torch.where(over, state.time, time),
        )

    def allowed(self, instance: Instance, state: State) -> Tensor:
        in_time = _arrivals(instance, state) <= instance.latest()[:, None]
        # Whoever was served left time for the way home: `latest` promises it.
        in_time[..., DEPOT] = True
        return super().allowed(instance, state) & in_time

    def context(self, instance: Instance, state: State) -> Context:
        share = state.left / instance.capacity[:, None]
        time = (state.time - instance.opening[:, None]) / instance.hours[:, None]
        return Context(state.last[..., None], torch.stack((share, time), -1).float())

    def dynamic_features(self, instance: Instance, state: State) -> Tensor:
        """Arriving next: time to spare before `latest`, and time to wait for `ready`, as shares of the hours."""
        arrivals, hours = _arrivals(instance, state), instance.hours[:, None, None]
        slack = (instance.latest()[:, None] - arrivals) / hours
        waiting = (instance.ready[:, None] - arrivals) / hours
        return torch.stack((slack, waiting), -1).clamp(0, 1).float()

    def cost(self, instance: Instance, actions: Tensor) -> Tensor:
        length = super().cost(instance, actions)
        if not self.vehicles_first:
            return length
        stops = torch.nn.functional.pad(actions.clamp_min(DEPOT), (1, 0), value=DEPOT)
        vehicles = ((stops[..., :-1] == DEPOT) & (stops[..., 1:] != DEPOT)).sum(-1)
        return vehicles * vehicle_price(instance)[:, None] + length

    def check(self, instance: Instance, solution: Solution) -> Verdict:
        verdict = check_routes(instance, solution)
        price = float(vehicle_price(instance)[0]) * sum(map(bool, solution)) if self.vehicles_first else 0.0
        return Verdict(verdict.cost + price, verdict.violations + tuple(_lateness(instance, solution)))


def vehicle_price(instance: Instance) -> Tensor:
    """[B] a power of ten that no solution's distance reaches: what one vehicle adds when vehicles come first."""
    legs = 2 * instance.places.size
    longest = instance.places.distances().amax((1, 2))
    return 10.0 ** (legs * longest).clamp_min(1.0).log10().ceil()


def _arrivals(instance: Instance, state: State) -> Tensor:
    """[B, K, N] when the vehicle would be at each node, going there next."""
    shape = (*state.last.shape, instance.places.size)
    nodes = torch.arange(instance.places.size, device=instance.device).expand(shape)
    return state.time[..., None] + instance.places.lengths(state.last[..., None].expand(shape), nodes)


def _lateness(instance: Instance, routes: Solution) -> list[str]:
    """Drive every route of a batch of one by the clock."""
    travel = instance.places.distances()[0].tolist()
    ready, due, service = (times[0].tolist() for times in (instance.ready, instance.due, instance.service))
    forgiven = TOLERANCE * (due[DEPOT] - ready[DEPOT])
    faults = []
    for number, route in enumerate(routes, 1):
        here, time = DEPOT, ready[DEPOT]
        for stop in (stop for stop in route if 0 < stop < len(due)):
            time += travel[here][stop]
            if time > due[stop] + forgiven:
                faults.append(f"route {number} reaches customer {stop} at {time:g}, after it closes at {due[stop]:g}")
            here, time = stop, max(time, ready[stop]) + service[stop]
        time += travel[here][DEPOT]
        if route and time > due[DEPOT] + forgiven:
            faults.append(f"route {number} is back at {time:g}, after the depot closes at {due[DEPOT]:g}")
    return faults
