"""The route checker: what it says of routes that were tampered with, and instances without a solution."""

from __future__ import annotations

import dataclasses
import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs import problems
from lgs.problems.cvrp import Instance
from lgs.problems.geometry import from_coords

from .episodes import random_actions, seeded

PROBLEM = problems.load("cvrp")
#: A depot in the middle of four customers at distance 1.
CROSS = Instance(
    from_coords(torch.tensor([[[0.0, 0.0], [1, 0], [0, 1], [-1, 0], [0, -1]]])),
    torch.tensor([[0, 30, 20, 25, 2]]),
    torch.tensor([50]),
)


def violations(routes: list[list[int]], instance: Instance = CROSS) -> tuple[str, ...]:
    return PROBLEM.check(instance, routes).violations


def test_each_fault_is_named() -> None:
    assert violations([[1, 2], [3, 4]]) == ()
    assert violations([[1, 2], [4]]) == ("customer 3 is never visited",)
    assert violations([[1, 2], [3, 4, 4]]) == ("customer 4 is visited 2 times",)
    assert violations([[1, 2], [3, 4], [2]]) == ("customer 2 is visited 2 times",)
    assert violations([[2], [4], [1, 3]]) == ("route 3 carries 55 of 50",)
    assert violations([[1, 2], [3, 4, 7]]) == ("route 2 visits 7, which is no customer",)
    assert violations([[1, 2], [0, 3, 4]]) == ("route 2 visits 0, which is no customer",)
    assert violations([[1, 3], [4, 4]]) == (
        "route 1 carries 55 of 50",
        "customer 2 is never visited",
        "customer 4 is visited 2 times",
    )
    assert violations([]) == tuple(f"customer {customer} is never visited" for customer in range(1, 5))


def test_loads_are_told_in_the_files_own_numbers() -> None:
    assert violations([[1, 3], [2, 4]], dataclasses.replace(CROSS, unit=0.1)) == ("route 1 carries 5.5 of 5",)


def test_costs_of_the_cross() -> None:
    assert math.isclose(PROBLEM.check(CROSS, [[1, 2], [3, 4]]).cost, 4 + 2 * math.sqrt(2), rel_tol=1e-15)
    assert PROBLEM.check(CROSS, [[1], [2], [3], [4]]).cost == 8
    assert PROBLEM.check(CROSS, [[1], [], [2], [3], [4]]).cost == 8, "a vehicle that stays at home is free"
    assert PROBLEM.check(CROSS, [[1, 2], [3, 4, 7]]).cost == math.inf


def test_actions_of_routes() -> None:
    actions = PROBLEM.actions(CROSS, [[3, 4], [], [2], [1]])
    assert actions.tolist() == [3, 4, 0, 2, 0, 1, -1, -1]
    assert PROBLEM.solution(CROSS, actions) == [[3, 4], [2], [1]]
    assert PROBLEM.actions(CROSS, []).tolist() == [-1] * 8
    assert PROBLEM.solution(CROSS, torch.tensor([-1] * 8)) == []


def test_the_episode_ends_with_the_last_customer() -> None:
    """The way home from there is no choice."""
    state = PROBLEM.reset(CROSS, 1)
    for node in (1, 2, 0, 3, 4):
        assert PROBLEM.allowed(CROSS, state)[0, 0, node]
        state = PROBLEM.step(CROSS, state, torch.tensor([[node]]))
    assert not PROBLEM.allowed(CROSS, state).any()


def test_a_demand_over_the_capacity_has_no_solution() -> None:
    instance = dataclasses.replace(CROSS, capacity=torch.tensor([25]), unit=0.1)
    assert PROBLEM.obstacles(instance) == ["customer 1 demands 3, more than the vehicle's capacity of 2.5"]
    actions = random_actions(PROBLEM, instance, 10, seeded(0))
    assert PROBLEM.cost(instance, actions).isinf().all()
    for row in actions[0]:
        assert PROBLEM.check(instance, PROBLEM.solution(instance, row)).violations == ("customer 1 is never visited",)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 12), data=st.data())
def test_tampered_routes(seed: int, size: int, data: st.DataObject) -> None:
    instance = PROBLEM.generate(1, size, seeded(seed))
    routes = PROBLEM.solution(instance, random_actions(PROBLEM, instance, 1, seeded(seed))[0, 0])
    assert violations(routes, instance) == ()
    number = data.draw(st.integers(0, len(routes) - 1))
    place = data.draw(st.integers(0, len(routes[number]) - 1))
    customer = routes[number][place]

    dropped = [[stop for stop in route if stop != customer] for route in routes]
    assert violations(dropped, instance) == (f"customer {customer} is never visited",)
    assert f"customer {customer} is visited 2 times" in violations([*routes, [customer]], instance)

    demands, capacity = instance.demands[0].tolist(), int(instance.capacity)
    everyone = [stop for route in routes for stop in route]
    total = sum(demands)
    expected = (f"route 1 carries {total} of {capacity}",) if total > capacity else ()
    assert violations([everyone], instance) == expected

    # Swapping two customers keeps every visit: only the loads of their routes can be wrong.
    other = data.draw(st.sampled_from(everyone))
    swap = {customer: other, other: customer}
    swapped = [[swap.get(stop, stop) for stop in route] for route in routes]
    loads = [sum(demands[stop] for stop in route) for route in swapped]
    assert violations(swapped, instance) == tuple(
        f"route {i} carries {load} of {capacity}" for i, load in enumerate(loads, 1) if load > capacity
    )
