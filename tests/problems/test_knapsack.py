"""Knapsack: exact weights, items numbered from 1, and what the checker says of tampered choices."""

from __future__ import annotations

import dataclasses
import math

import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs import problems
from lgs.problems.knapsack import Instance

from .episodes import random_actions, seeded

PROBLEM = problems.load("knapsack")
BAG = Instance(torch.tensor([[12, 5, 4, 30]]), torch.tensor([[4.0, 2.5, 1, 9]]).double(), torch.tensor([17]), 0.5)


def test_each_fault_is_named() -> None:
    assert PROBLEM.check(BAG, [[1, 2]]) == problems.Verdict(-6.5)
    assert PROBLEM.check(BAG, [[]]) == problems.Verdict(0.0)
    assert PROBLEM.check(BAG, [[1, 2, 3]]) == problems.Verdict(-7.5, ("the items weigh 10.5 of 8.5",))
    assert PROBLEM.check(BAG, [[2, 3, 2]]).violations == ("item 2 is taken 2 times",)
    assert PROBLEM.check(BAG, [[1, 5]]) == problems.Verdict(math.inf, ("item 5 does not exist",))
    assert PROBLEM.check(BAG, [[0]]).violations == ("item 0 does not exist",)


def test_the_episode_ends_when_nothing_fits() -> None:
    state = PROBLEM.reset(BAG, 1)
    assert PROBLEM.allowed(BAG, state)[0, 0].tolist() == [True, True, True, False]
    state = PROBLEM.step(BAG, state, torch.tensor([[0]]))
    assert PROBLEM.allowed(BAG, state)[0, 0].tolist() == [False, True, True, False]
    torch.testing.assert_close(PROBLEM.context(BAG, state).scalars, torch.tensor([[[5 / 17]]]))
    state = PROBLEM.step(BAG, state, torch.tensor([[1]]))  # 12 + 5 fill the 17 exactly
    assert not PROBLEM.allowed(BAG, state).any()
    assert PROBLEM.solution(BAG, torch.tensor([1, 0, -1, -1])) == [[1, 2]]


def test_episodes_begin_with_items_that_fit() -> None:
    other = dataclasses.replace(BAG, capacity=torch.tensor([4]))
    both = problems.concatenate([BAG, other])
    assert PROBLEM.first_nodes(both).tolist() == [[0, 1, 2], [2, 2, 2]]
    assert PROBLEM.starts(both, 4, forced=True).tolist() == [[0, 1, 2, 0], [2, 2, 2, 2]]


def test_features_do_not_know_units() -> None:
    instance = PROBLEM.generate(3, 8, seeded(0))
    scaled = Instance(instance.weights * 7, instance.values * 1e3, instance.capacity * 7)
    torch.testing.assert_close(PROBLEM.features(scaled), PROBLEM.features(instance))


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), size=st.integers(4, 20), data=st.data())
def test_tampered_choices(seed: int, size: int, data: st.DataObject) -> None:
    instance = PROBLEM.generate(1, size, seeded(seed))
    (items,) = PROBLEM.solution(instance, random_actions(PROBLEM, instance, 1, seeded(seed))[0, 0])
    weights, values = instance.weights[0].tolist(), instance.values[0].tolist()
    if items:
        item = data.draw(st.sampled_from(items))
        left = [other for other in items if other != item]
        without = PROBLEM.check(instance, [left])
        assert without.feasible and math.isclose(-without.cost, sum(values[i - 1] for i in left), rel_tol=1e-12)
        assert f"item {item} is taken 2 times" in PROBLEM.check(instance, [[*items, item]]).violations
    # The episode took all that fits, so that one more is always too much.
    rest = sorted(set(range(1, size + 1)) - set(items))
    if rest:
        more = [*items, data.draw(st.sampled_from(rest))]
        weight, room = sum(weights[i - 1] for i in more) * instance.unit, float(instance.capacity) * instance.unit
        assert PROBLEM.check(instance, [more]).violations == (f"the items weigh {weight:g} of {room:g}",)
