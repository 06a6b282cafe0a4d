"""Masks against exhaustive search: every feasible solution can be decoded, nothing else can, and the best is the
optimum found by other means."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from typing import Any

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs import problems
from lgs.problems import knapsack
from lgs.problems.cvrptw import CVRPTW
from lgs.problems.cvrptw import Instance as WindowsInstance
from lgs.problems.geometry import from_matrix
from lgs.problems.jobshop import Instance as ShopInstance
from lgs.problems.jobshop import JobShop

from .episodes import all_actions, seeded

few = settings(max_examples=30, deadline=None)
seeds = st.integers(0, 2**32)


def best(problem: Any, instance: Any, actions: torch.Tensor) -> float:
    return float(problem.cost(instance, actions[None]).min())


def routings(customers: int) -> Iterator[list[tuple[int, ...]]]:
    """Every way to serve customers 1..n in ordered routes."""
    for order in itertools.permutations(range(1, customers + 1)):
        for cuts in itertools.product((False, True), repeat=customers - 1):
            edges = [0, *(i + 1 for i, cut in enumerate(cuts) if cut), customers]
            yield [order[a:b] for a, b in itertools.pairwise(edges)]


def decoded_routes(problem: Any, instance: Any, actions: torch.Tensor) -> set[tuple[tuple[int, ...], ...]]:
    return {tuple(map(tuple, problem.solution(instance, row))) for row in actions}


def route_length(travel: list[list[float]], route: tuple[int, ...]) -> float:
    return sum(travel[i][j] for i, j in itertools.pairwise((0, *route, 0)))


@few
@given(seed=seeds, size=st.integers(1, 6))
def test_tsp(seed: int, size: int) -> None:
    problem = problems.load("tsp")
    instance = problem.generate(1, size, seeded(seed))
    actions = all_actions(problem, instance)
    orders = list(itertools.permutations(range(size)))
    assert sorted(map(tuple, actions.tolist())) == orders
    places = instance.places.coords[0].tolist()
    optimum = min(sum(math.dist(places[a], places[b]) for a, b in zip(o, o[1:] + o[:1])) for o in orders)
    assert math.isclose(best(problem, instance, actions), optimum, rel_tol=1e-12)


@few
@given(seed=seeds, demands=st.lists(st.integers(0, 9), min_size=1, max_size=4), spare=st.integers(0, 12))
def test_cvrp(seed: int, demands: list[int], spare: int) -> None:
    problem = problems.load("cvrp")
    capacity = max(demands) + spare
    instance = dataclasses.replace(
        problem.generate(1, len(demands), seeded(seed)),
        demands=torch.tensor([[0, *demands]]),
        capacity=torch.tensor([capacity]),
    )
    assert problem.obstacles(instance) == []
    actions = all_actions(problem, instance)
    feasible = {
        tuple(plan)
        for plan in routings(len(demands))
        if all(sum(demands[c - 1] for c in route) <= capacity for route in plan)
    }
    assert len(actions) == len(feasible)
    assert decoded_routes(problem, instance, actions) == feasible
    places = instance.places.coords[0].tolist()
    travel = [[math.dist(p, q) for q in places] for p in places]
    optimum = min(sum(route_length(travel, route) for route in plan) for plan in feasible)
    assert math.isclose(best(problem, instance, actions), optimum, rel_tol=1e-12)


@st.composite
def windows(draw: st.DrawFn) -> tuple[WindowsInstance, list[list[int]], list[int], list[int], list[int], list[int]]:
    """Whole numbers in the taxicab metric, so that arrivals hit the end of a window exactly and often.

    A climb takes its height longer than the way down: no way is as long as the way back.
    """
    customers = draw(st.integers(1, 4))
    small, low = st.integers(0, 4), st.integers(0, 2)
    places = draw(st.lists(st.tuples(small, small, low), min_size=customers + 1, max_size=customers + 1))
    travel = [[abs(a - x) + abs(b - y) + max(0, up - h) for x, y, up in places] for a, b, h in places]
    service = [0, *draw(st.lists(st.integers(0, 2), min_size=customers, max_size=customers))]
    opening = draw(st.integers(0, 5))
    closing = opening + draw(st.integers(4, 30))
    ready, due = [opening], [closing]
    for _ in range(customers):
        start = draw(st.integers(0, 10))
        ready.append(start)
        due.append(start + draw(st.integers(0, 10)))
    demands = [0, *draw(st.lists(st.integers(0, 5), min_size=customers, max_size=customers))]
    instance = WindowsInstance(
        places=from_matrix(torch.tensor([travel])),
        demands=torch.tensor([demands]),
        capacity=torch.tensor([6]),
        ready=torch.tensor([ready], dtype=torch.float64),
        due=torch.tensor([due], dtype=torch.float64),
        service=torch.tensor([service], dtype=torch.float64),
    )
    return instance, travel, ready, due, service, demands


def on_time(route: tuple[int, ...], travel: Any, ready: Any, due: Any, service: Any) -> bool:
    time, here = ready[0], 0
    for stop in route:
        time += travel[here][stop]
        if time > due[stop]:
            return False
        here, time = stop, max(time, ready[stop]) + service[stop]
    return time + travel[here][0] <= due[0]


@settings(max_examples=150, deadline=None)
@given(windows())
def test_cvrptw(drawn: Any) -> None:
    instance, travel, ready, due, service, demands = drawn
    customers = len(ready) - 1
    feasible = {
        tuple(plan)
        for plan in routings(customers)
        if all(sum(demands[c] for c in route) <= 6 and on_time(route, travel, ready, due, service) for route in plan)
    }
    assert bool(CVRPTW().obstacles(instance)) == (not feasible)
    for problem, key in (
        (CVRPTW(), lambda plan: (0, sum(route_length(travel, route) for route in plan))),
        (CVRPTW(vehicles_first=True), lambda plan: (len(plan), sum(route_length(travel, route) for route in plan))),
    ):
        actions = all_actions(problem, instance)
        costs = problem.cost(instance, actions[None])[0]
        verdicts = [problem.check(instance, problem.solution(instance, row)) for row in actions]
        if not feasible:
            # Someone cannot be served, even alone: whatever is decoded is incomplete, and says so.
            assert costs.isinf().all() and not any(verdict.feasible for verdict in verdicts)
            continue
        assert len(actions) == len(feasible)
        assert decoded_routes(problem, instance, actions) == feasible
        assert all(verdict.feasible for verdict in verdicts)
        vehicles, length = min(map(key, feasible))
        winner = problem.solution(instance, actions[costs.argmin()])
        assert key(list(map(tuple, winner))) == (vehicles, length)


def test_windows_do_close_something() -> None:
    """The generator's windows bind: some orders of the same customers are open, others are not."""
    problem = problems.load("cvrptw")
    instances = problem.generate(20, 4, seeded(0))
    counts = [len(all_actions(problem, instances.rows([row]))) for row in range(20)]
    assert min(counts) < max(counts) <= len(list(routings(4)))


@few
@given(
    weights=st.lists(st.integers(0, 8), min_size=1, max_size=5),
    capacity=st.integers(0, 20),
    data=st.data(),
)
def test_knapsack(weights: list[int], capacity: int, data: st.DataObject) -> None:
    problem = problems.load("knapsack")
    size = len(weights)
    values = data.draw(st.lists(st.integers(0, 9), min_size=size, max_size=size))
    instance = knapsack.Instance(torch.tensor([weights]), torch.tensor([values]).double(), torch.tensor([capacity]))
    actions = all_actions(problem, instance)
    fitting = [
        chosen
        for count in range(size + 1)
        for chosen in itertools.combinations(range(size), count)
        if sum(weights[i] for i in chosen) <= capacity
    ]
    full = [c for c in fitting if not any(set(c) < set(other) for other in fitting)]
    orders = sorted(order for chosen in full for order in itertools.permutations(chosen))
    assert sorted(tuple(n for n in row if n >= 0) for row in actions.tolist()) == orders
    assert -best(problem, instance, actions) == max(sum(values[i] for i in chosen) for chosen in fitting)


def shop_optimum(durations: list[list[int]], machines: list[list[int]]) -> int:
    """Least longest path over every order of every machine (the disjunctive graph), cyclic ones left out."""
    jobs, steps = len(durations), len(durations[0])
    operations = list(itertools.product(range(jobs), range(steps)))
    on = [[o for o in operations if machines[o[0]][o[1]] == m] for m in range(steps)]
    least = math.inf
    for orders in itertools.product(*(itertools.permutations(group) for group in on)):
        arcs = [((j, p), (j, p + 1)) for j in range(jobs) for p in range(steps - 1)]
        arcs += [pair for order in orders for pair in itertools.pairwise(order)]
        start = dict.fromkeys(operations, 0)
        for _ in range(len(operations) + 1):
            late = [(a, b) for a, b in arcs if start[b] < start[a] + durations[a[0]][a[1]]]
            if not late:
                least = min(least, max(start[o] + durations[o[0]][o[1]] for o in operations))
                break
            for a, b in late:
                start[b] = max(start[b], start[a] + durations[a[0]][a[1]])
    return int(least)


@settings(max_examples=15, deadline=None)
@given(shape=st.sampled_from([(1, 3), (2, 2), (2, 3), (3, 2)]), data=st.data())
def test_jobshop(shape: tuple[int, int], data: st.DataObject) -> None:
    problem, (jobs, steps) = JobShop(), shape
    durations = [data.draw(st.lists(st.integers(0, 9), min_size=steps, max_size=steps)) for _ in range(jobs)]
    machines = [data.draw(st.permutations(range(steps))) for _ in range(jobs)]
    instance = ShopInstance(torch.tensor(durations).view(1, -1), torch.tensor(machines).view(1, -1), jobs)
    actions = all_actions(problem, instance)
    turns = set(itertools.permutations([j for j in range(jobs) for _ in range(steps)]))
    assert len(actions) == len(turns)
    assert {tuple(node // steps for node in row) for row in actions.tolist()} == turns
    assert all(sorted(row) == list(range(jobs * steps)) for row in actions.tolist())
    assert best(problem, instance, actions) == shop_optimum(durations, machines)
    schedules = [problem.solution(instance, row) for row in actions]
    assert all(problem.check(instance, schedule).feasible for schedule in schedules)
    replayed = [problem.solution(instance, problem.actions(instance, schedule)) for schedule in schedules]
    assert (torch.tensor(replayed) <= torch.tensor(schedules)).all()
    if instance.durations.all():
        assert replayed == schedules, "only operations that take no time can move"


def test_every_problem_has_its_brute_force() -> None:
    assert {f"test_{name}" for name in problems.names()} <= globals().keys()
