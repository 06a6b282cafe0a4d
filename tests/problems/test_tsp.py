"""The tour checker: what it says of tours that were tampered with."""

from __future__ import annotations

import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs import problems
from lgs.problems.geometry import from_coords
from lgs.problems.tsp import Instance

from .episodes import seeded

PROBLEM = problems.load("tsp")
SQUARE = Instance(from_coords(torch.tensor([[[0.0, 0.0], [1, 0], [1, 1], [0, 1]]])))


def violations(tour: list[int]) -> tuple[str, ...]:
    return PROBLEM.check(SQUARE, [tour]).violations


def test_each_fault_is_named() -> None:
    assert violations([0, 1, 2, 3]) == ()
    assert violations([0, 1, 3]) == ("node 2 is never visited",)
    assert violations([0, 1, 2, 3, 1]) == ("node 1 is visited 2 times",)
    assert violations([0, 1, 1, 3]) == ("node 2 is never visited", "node 1 is visited 2 times")
    assert violations([0, 1, 2, 4]) == ("node 4 does not exist",)
    assert violations([0, 1, 2, -1]) == ("node -1 does not exist",)
    assert violations([]) == tuple(f"node {node} is never visited" for node in range(4))


def test_costs_of_the_square() -> None:
    assert PROBLEM.check(SQUARE, [[0, 1, 2, 3]]).cost == 4
    assert math.isclose(PROBLEM.check(SQUARE, [[0, 2, 1, 3]]).cost, 2 + 2 * math.sqrt(2))
    assert PROBLEM.check(SQUARE, [[0, 1, 2, 9]]).cost == math.inf


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(3, 12), data=st.data())
def test_tampered_tours(seed: int, size: int, data: st.DataObject) -> None:
    instance = PROBLEM.generate(1, size, seeded(seed))
    tour = data.draw(st.permutations(range(size)))
    cost = float(PROBLEM.cost(instance, torch.tensor([[tour]])))
    # Where it begins and which way it goes costs nothing; the tour stays feasible.
    turned = PROBLEM.check(instance, [[*tour[2:], *tour[:2]][::-1]])
    assert turned.feasible and math.isclose(turned.cost, cost, rel_tol=1e-12)
    place = data.draw(st.integers(0, size - 1))
    dropped, doubled = [*tour[:place], *tour[place + 1 :]], [*tour, tour[place]]
    assert PROBLEM.check(instance, [dropped]).violations == (f"node {tour[place]} is never visited",)
    assert PROBLEM.check(instance, [doubled]).violations == (f"node {tour[place]} is visited 2 times",)
