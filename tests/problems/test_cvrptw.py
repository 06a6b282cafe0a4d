"""Time windows by the clock: waiting, closing, vehicles first, and what the checker says of tampered routes."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs import problems
from lgs.problems.cvrptw import CVRPTW, Instance, vehicle_price
from lgs.problems.geometry import from_coords, from_matrix

from .episodes import all_actions, random_actions, seeded

PROBLEM = problems.load("cvrptw")


def times(*values: float) -> torch.Tensor:
    return torch.tensor([values], dtype=torch.float64)


#: One street: the depot at 0, customers 1, 2, 3 at 10, 20 and -10.
STREET = Instance(
    places=from_coords(torch.tensor([[[0.0, 0], [10, 0], [20, 0], [-10, 0]]])),
    demands=torch.tensor([[0, 30, 20, 25]]),
    capacity=torch.tensor([60]),
    ready=times(0, 30, 0, 0),
    due=times(100, 40, 50, 10),
    service=times(0, 5, 5, 0),
)


def violations(routes: list[list[int]], instance: Instance = STREET) -> tuple[str, ...]:
    return PROBLEM.check(instance, routes).violations


def play(*nodes: int, instance: Instance = STREET) -> torch.Tensor:
    """Ready to leave after each step."""
    state, clock = PROBLEM.reset(instance, 1), []
    for node in nodes:
        assert PROBLEM.allowed(instance, state)[0, 0, node]
        state = PROBLEM.step(instance, state, torch.tensor([[node]]))
        clock.append(float(state.time))
    return clock


def test_the_clock_waits_serves_and_starts_again_at_the_depot() -> None:
    assert play(1, 2) == [35, 50]  # waits from 10 to 30, serves until 35; there at 45
    assert play(2, 1) == [25, 40]  # there at 35: no wait
    assert play(3, 1, 0, 2) == [10, 35, 0, 25]


def test_the_next_steps_slack_and_waiting() -> None:
    state = PROBLEM.reset(STREET, 1)
    begin = PROBLEM.dynamic_features(STREET, state)[0, 0]
    torch.testing.assert_close(begin, torch.tensor([[1, 0], [0.3, 0.2], [0.3, 0], [0, 0]]))
    state = PROBLEM.step(STREET, state, torch.tensor([[3]]))
    later = PROBLEM.dynamic_features(STREET, state)[0, 0]
    torch.testing.assert_close(later[:3], torch.tensor([[0.8, 0], [0.1, 0], [0.1, 0]]))
    torch.testing.assert_close(PROBLEM.context(STREET, state).scalars[0, 0], torch.tensor([35 / 60, 0.1]))


def test_what_is_too_late_is_masked() -> None:
    state = PROBLEM.step(STREET, PROBLEM.reset(STREET, 1), torch.tensor([[2]]))
    # Customer 3 closed at 10, and customer 1 fits: 20 + 30 of 60, there at 35 of 40.
    assert PROBLEM.allowed(STREET, state)[0, 0].tolist() == [True, True, False, False]
    hurried = dataclasses.replace(STREET, due=times(49, 40, 50, 10))
    # Served at 40, customer 1 would be left for home by 40 and reach it at 50, a minute after closing.
    assert PROBLEM.allowed(hurried, state)[0, 0].tolist() == [True, False, False, False]
    assert violations([[2, 1], [3]], hurried) == ("route 1 is back at 50, after the depot closes at 49",)


def test_the_day_may_begin_at_any_hour() -> None:
    """The same street a thousand hours later: the depot opens then, and every clock with it."""
    later = dataclasses.replace(STREET, ready=STREET.ready + 1000, due=STREET.due + 1000)
    assert play(3, 1, 0, 2, instance=later) == [1010, 1035, 1000, 1025]
    assert violations([[3], [1, 2]], later) == ()
    assert violations([[1, 3], [2]], later) == ("route 1 reaches customer 3 at 1055, after it closes at 1010",)
    assert PROBLEM.obstacles(later) == []
    hurried = dataclasses.replace(later, due=times(1100, 1040, 1050, 1009))
    assert violations([[3], [1, 2]], hurried) == ("route 1 reaches customer 3 at 1010, after it closes at 1009",)
    states = [PROBLEM.step(day, PROBLEM.reset(day, 1), torch.tensor([[3]])) for day in (STREET, later)]
    for table in (PROBLEM.allowed, PROBLEM.dynamic_features):
        assert torch.equal(table(STREET, states[0]), table(later, states[1]))
    assert torch.equal(PROBLEM.context(STREET, states[0]).scalars, PROBLEM.context(later, states[1]).scalars)


def test_the_way_home_counts_in_its_own_direction() -> None:
    """An hour out, five hours back: whoever is served after 5 is not home by 10."""
    slope = Instance(
        places=from_matrix(torch.tensor([[[0, 1], [5, 0]]])),
        demands=torch.tensor([[0, 1]]),
        capacity=torch.tensor([1]),
        ready=times(0, 0),
        due=times(10, 10),
        service=times(0, 0),
    )
    assert slope.latest().tolist() == [[10, 5]]
    assert PROBLEM.obstacles(slope) == [] and violations([[1]], slope) == ()
    early = dataclasses.replace(slope, due=times(5, 10))
    assert PROBLEM.obstacles(early) != []
    assert violations([[1]], early) == ("route 1 is back at 6, after the depot closes at 5",)


def test_each_fault_is_named() -> None:
    assert violations([[3], [1, 2]]) == ()
    assert violations([[1, 2]]) == ("customer 3 is never visited",)
    assert violations([[3], [1, 2], [2]]) == ("customer 2 is visited 2 times",)
    assert violations([[1, 3], [2]]) == ("route 1 reaches customer 3 at 55, after it closes at 10",)
    assert violations([[3, 1, 2]]) == ("route 1 carries 75 of 60",)
    assert violations([[3], [1, 2, 4]]) == ("route 2 visits 4, which is no customer",)
    assert violations([[3], [2, 1]], dataclasses.replace(STREET, due=times(49, 40, 50, 10))) == (
        "route 2 is back at 50, after the depot closes at 49",
    )


def test_the_distance_is_the_cost() -> None:
    assert PROBLEM.check(STREET, [[3], [1, 2]]).cost == 20 + 40
    assert PROBLEM.check(STREET, [[3], [1], [2]]).cost == 20 + 20 + 40


def test_vehicles_may_come_first() -> None:
    """Two customers side by side, far from the depot, the second closing just before the first can be left."""
    fleet = CVRPTW(vehicles_first=True)
    price = float(vehicle_price(STREET))
    assert price == 1000  # the first power of ten over 2 * 4 legs of at most 30
    assert fleet.check(STREET, [[3], [1, 2]]).cost == 2 * price + 60
    assert fleet.check(STREET, [[3], [1], [], [2]]).cost == 3 * price + 80
    actions = torch.tensor([[[3, 0, 1, 2, -1, -1], [3, 0, 1, 0, 2, -1]]])
    assert fleet.cost(STREET, actions).tolist() == [[2 * price + 60, 3 * price + 80]]
    assert PROBLEM.cost(STREET, actions).tolist() == [[60, 80]]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32))
def test_one_vehicle_less_beats_any_distance(seed: int) -> None:
    instance = PROBLEM.generate(1, 4, seeded(seed))
    actions = all_actions(PROBLEM, instance)[None]
    price = vehicle_price(instance)[0]
    assert PROBLEM.cost(instance, actions).max() < price
    fleet = CVRPTW(vehicles_first=True).cost(instance, actions)[0]
    vehicles = torch.tensor([len(PROBLEM.solution(instance, row)) for row in actions[0]])
    assert torch.equal((fleet / price).floor().long(), vehicles)


LATE = "cannot be served within its hours by a vehicle back before the depot closes"


@pytest.mark.parametrize(
    ("change", "obstacle"),
    [
        ({"due": times(100, 40, 50, 9)}, f"customer 3 {LATE}"),  # closes before anyone can be there
        ({"ready": times(0, 30, 0, 95)}, f"customer 3 {LATE}"),  # opens after it closes
        # Customer 1 is left at 35 for a way home of 10, a minute too long.
        ({"due": times(44, 40, 50, 10), "service": times(0, 5, 4, 0)}, f"customer 1 {LATE}"),
        ({"demands": torch.tensor([[0, 30, 61, 25]])}, "customer 2 demands 61, more than the vehicle's capacity of 60"),
    ],
)
def test_without_a_solution_the_episode_still_ends(change: dict[str, torch.Tensor], obstacle: str) -> None:
    instance = dataclasses.replace(STREET, **change)
    assert PROBLEM.obstacles(instance) == [obstacle]
    actions = all_actions(PROBLEM, instance)
    assert PROBLEM.cost(instance, actions[None]).isinf().all()
    for table in (*PROBLEM.features(instance), PROBLEM.dynamic_features(instance, PROBLEM.reset(instance, 2))):
        assert table.isfinite().all()
    for row in actions:
        verdict = PROBLEM.check(instance, PROBLEM.solution(instance, row))
        assert any("is never visited" in fault for fault in verdict.violations)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(2, 10), data=st.data())
def test_tampered_routes(seed: int, size: int, data: st.DataObject) -> None:
    instance = PROBLEM.generate(1, size, seeded(seed))
    routes = PROBLEM.solution(instance, random_actions(PROBLEM, instance, 1, seeded(seed))[0, 0])
    assert violations(routes, instance) == ()
    number = data.draw(st.integers(0, len(routes) - 1))
    customer = data.draw(st.sampled_from(routes[number]))

    # Leaving a customer out never makes the others late (the shortcut is no longer), nor anyone too heavy.
    dropped = [[stop for stop in route if stop != customer] for route in routes]
    assert violations(dropped, instance) == (f"customer {customer} is never visited",)
    assert f"customer {customer} is visited 2 times" in violations([*routes, [customer]], instance)

    # A customer that closed before its route began.
    due = instance.due.clone()
    due[0, customer] = -1.0
    (late,) = violations(routes, dataclasses.replace(instance, due=due))
    assert late.startswith(f"route {number + 1} reaches customer {customer} at ")
    assert late.endswith(", after it closes at -1")

    # Everyone in one vehicle.
    everyone = [stop for route in routes for stop in route]
    total, capacity = int(instance.demands.sum()), int(instance.capacity)
    assert (f"route 1 carries {total} of {capacity}" in violations([everyone], instance)) == (total > capacity)


def test_a_rounding_error_is_no_lateness() -> None:
    """0.1 + 0.2 + ... reaches a customer a hair after the sum written in a file."""
    instance = dataclasses.replace(STREET, due=times(100, 40, 50, 10 * (1 - 1e-13)))
    assert violations([[3], [1, 2]], instance) == ()
    assert violations([[3], [1, 2]], dataclasses.replace(STREET, due=times(100, 40, 50, 10 - 1e-6))) != ()


def test_images_change_what_is_seen_and_not_what_is_measured() -> None:
    for image in PROBLEM.symmetries(STREET, 8):
        assert math.isclose(PROBLEM.check(image, [[3], [1, 2]]).cost, 60)
        assert torch.equal(image.ready, STREET.ready)
