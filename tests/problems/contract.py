"""The contract of a problem as checks that any `Problem` must pass; each raises AssertionError."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lgs.problems import NONE, Batched, Problem, Rules, concatenate

from .episodes import random_actions, seeded

AnyProblem = Problem[Any, Any]
BATCH, PARTICLES = 4, 5
SIZES = (1, 2, 7)


def same(a: Batched, b: Batched) -> bool:
    """Bit by bit."""
    return all(x.dtype == y.dtype and torch.equal(x, y) for x, y in zip(a._tensors(), b._tensors(), strict=True))


def declarations(problem: AnyProblem) -> None:
    assert problem.sense in (1, -1)
    assert type(problem).__doc__, "the class says in one line what is solved"
    assert problem.feature_widths and all(width > 0 for width in problem.feature_widths)
    for labels in (problem.anchors, problem.scalars, problem.dynamic, problem.pairwise, problem.relations):
        assert isinstance(labels, tuple) and all(isinstance(label, str) for label in labels)
    assert not problem.pairwise or problem.anchors, "pairwise features start from the first anchor"


def generation(problem: AnyProblem) -> None:
    for size in SIZES:
        instance = problem.generate(BATCH, size, seeded(1))
        assert dataclasses.is_dataclass(instance) and instance.__dataclass_params__.frozen
        assert len(instance) == BATCH
        assert all(len(tensor) == BATCH for tensor in instance._tensors())
        assert [problem.obstacles(instance.rows([row])) for row in range(BATCH)] == [[]] * BATCH, "it can be solved"
    before = torch.random.get_rng_state()
    first, again, other = (problem.generate(BATCH, 7, seeded(seed)) for seed in (1, 1, 2))
    assert torch.equal(before, torch.random.get_rng_state()), "all randomness comes from the generator given"
    assert same(first, again), "the same seed gives the same instances"
    assert not same(first, other), "another seed gives other instances"
    assert not same(first.rows([0]), first.rows([1])), "the instances of a batch differ"


def features(problem: AnyProblem) -> None:
    for size in SIZES:
        instance = problem.generate(BATCH, size, seeded(2))
        parts, nodes = problem.features(instance), problem.num_nodes(instance)
        assert isinstance(parts, tuple)
        assert tuple(part.shape[-1] for part in parts) == problem.feature_widths
        assert sum(part.shape[1] for part in parts) == nodes
        tables = list(parts)
        if problem.pairwise:
            pairs = problem.pair_features(instance)
            assert pairs.shape == (BATCH, nodes, nodes, len(problem.pairwise))
            assert pairs.dtype == torch.float32 and pairs.isfinite().all()
        if problem.relations:
            relation = problem.relation(instance)
            assert relation.shape == (BATCH, len(problem.relations), nodes, nodes)
            assert relation.dtype == torch.bool
        for table in tables:
            assert len(table) == BATCH and table.dtype == torch.float32
            assert table.isfinite().all() and table.abs().max() <= 2, "features are on unit scale"


def context(problem: AnyProblem) -> None:
    instance = problem.generate(BATCH, 7, seeded(3))
    actions = random_actions(problem, instance, PARTICLES, seeded(3))
    nodes, state = problem.num_nodes(instance), problem.reset(instance, PARTICLES)
    for action in actions.unbind(-1):
        seen = problem.context(instance, state)
        assert seen.anchors.shape == (BATCH, PARTICLES, len(problem.anchors))
        assert seen.anchors.dtype == torch.int64
        assert ((seen.anchors >= NONE) & (seen.anchors < nodes)).all()
        assert seen.scalars.shape == (BATCH, PARTICLES, len(problem.scalars))
        assert seen.scalars.dtype == torch.float32
        assert seen.scalars.isfinite().all() and (seen.scalars.abs() <= 2).all(), "scalars are on unit scale"
        if problem.dynamic:
            changing = problem.dynamic_features(instance, state)
            assert changing.shape == (BATCH, PARTICLES, nodes, len(problem.dynamic))
            assert changing.dtype == torch.float32
            assert changing.isfinite().all(), "finite even where they are not read"
        state = problem.step(instance, state, action)


def purity(problem: AnyProblem) -> None:
    """No call changes what it is given, none remembers anything, and `NONE` is no step at all."""
    instance = problem.generate(BATCH, 7, seeded(4))
    actions = random_actions(problem, instance, PARTICLES, seeded(4))
    kept, state = copy.deepcopy(instance), problem.reset(instance, PARTICLES)
    for action in actions.unbind(-1):
        before = copy.deepcopy(state)
        allowed, again = problem.allowed(instance, state), problem.allowed(instance, state)
        assert allowed.shape == (BATCH, PARTICLES, problem.num_nodes(instance)) and allowed.dtype == torch.bool
        assert torch.equal(allowed, again)
        problem.context(instance, state)
        if problem.dynamic:
            problem.dynamic_features(instance, state)
        resting = problem.step(instance, state, torch.full_like(action, NONE))
        following = problem.step(instance, state, action)
        assert same(following, problem.step(instance, state, action)), "a step is a function of the state"
        assert same(state, before), "nothing changes the state in place"
        assert same(resting, before), "NONE changes nothing"
        assert same(instance, kept), "nothing changes the instance"
        state = following


def termination(problem: AnyProblem) -> None:
    for size in SIZES:
        instance = problem.generate(BATCH, size, seeded(5))
        actions = random_actions(problem, instance, 50, seeded(5))
        state = problem.reset(instance, 50)
        running = problem.allowed(instance, state).any(-1)
        for action in actions.unbind(-1):
            state = problem.step(instance, state, action)
            still = problem.allowed(instance, state).any(-1)
            assert not (still & ~running).any(), "an episode that is over stays over"
            running = still
        assert not running.any(), "every episode ends within the horizon"


def beginnings(problem: AnyProblem) -> None:
    batch = 50
    instance = problem.generate(batch, 7, seeded(6))
    firsts = problem.first_nodes(instance)
    assert len(firsts) == batch and firsts.shape[1] > 0
    allowed = problem.allowed(instance, problem.reset(instance, 1))[:, 0]
    assert allowed.gather(1, firsts).all(), "episodes may begin at every first node"
    starts = problem.starts(instance, PARTICLES, True)
    assert starts.shape == (batch, PARTICLES)
    # By default as the problem says; where an episode must begin with a given node, nobody may leave it open.
    assert torch.equal(problem.starts(instance, PARTICLES), starts) == problem.forced_start
    try:
        assert (problem.starts(instance, PARTICLES, False) == NONE).all() and not problem.forced_start
    except ValueError:
        assert problem.forced_start


def costs(problem: AnyProblem) -> None:
    """The cost of any complete episode is what the independent checker finds, and the checker has no objection."""
    for size in SIZES:
        instance = problem.generate(BATCH, size, seeded(7))
        actions = random_actions(problem, instance, 20, seeded(7))
        cost = problem.cost(instance, actions)
        assert cost.shape == (BATCH, 20) and cost.dtype == torch.float64 and cost.isfinite().all()
        for row in range(BATCH):
            one = instance.rows([row])
            for particle in range(20):
                verdict = problem.check(one, problem.solution(one, actions[row, particle]))
                assert verdict.feasible, verdict.violations
                torch.testing.assert_close(verdict.cost, float(cost[row, particle]), rtol=1e-9, atol=1e-9)


def solutions(problem: AnyProblem) -> None:
    for size in SIZES:
        instance = problem.generate(BATCH, size, seeded(8))
        actions = random_actions(problem, instance, PARTICLES, seeded(8))
        cost = problem.cost(instance, actions)
        for row in range(BATCH):
            one = instance.rows([row])
            for particle in range(PARTICLES):
                solution = problem.solution(one, actions[row, particle])
                assert isinstance(solution, list)
                assert all(isinstance(part, list) and all(type(node) is int for node in part) for part in solution)
                back = problem.actions(one, solution)
                assert back.shape == actions.shape[-1:] and back.dtype == torch.int64
                assert problem.solution(one, back) == solution, "actions inverts solution"
                again = problem.cost(one, back[None, None])[0, 0]
                torch.testing.assert_close(again, cost[row, particle], rtol=1e-12, atol=1e-12)


def images(problem: AnyProblem) -> None:
    """Symmetric images cost exactly the same and look different, or the problem says that it has none."""
    instance = problem.generate(BATCH, 7, seeded(9))
    actions = random_actions(problem, instance, PARTICLES, seeded(9))
    (itself,) = problem.symmetries(instance, 1)
    assert same(itself, instance)
    try:
        found = problem.symmetries(instance, 8)
    except ValueError:
        return
    assert len(found) == 8 and len(problem.symmetries(instance, 4)) == 4
    seen = [torch.cat([part.flatten(1) for part in problem.features(image)], 1) for image in found]
    for number, image in enumerate(found):
        assert torch.equal(problem.cost(image, actions), problem.cost(instance, actions))
        for row in range(BATCH):
            assert all(not torch.equal(seen[number][row], earlier[row]) for earlier in seen[:number])


def batching(problem: AnyProblem) -> None:
    """An instance's episode does not depend on its company; rows, repeat, concatenate and to keep the meaning."""
    instance = problem.generate(BATCH, 7, seeded(10))
    actions = random_actions(problem, instance, PARTICLES, seeded(10))
    cost = problem.cost(instance, actions)
    assert same(concatenate([instance.rows([0, 1]), instance.rows(slice(2, None))]), instance)
    assert same(instance.to("cpu"), instance) and instance.device == torch.device("cpu")
    twice = instance.repeat(2)
    assert same(twice.rows([1, 3]), instance.rows([0, 1]))
    torch.testing.assert_close(problem.cost(twice, actions.repeat_interleave(2, 0)), cost.repeat_interleave(2, 0))
    order = [2, 0]
    for whole, part in zip(problem.features(instance), problem.features(instance.rows(order))):
        torch.testing.assert_close(whole[order], part)
    torch.testing.assert_close(problem.cost(instance.rows(order), actions[order]), cost[order])
    together = problem.reset(instance, PARTICLES)
    apart = problem.reset(instance.rows(order), PARTICLES)
    for action in actions.unbind(-1):
        assert torch.equal(problem.allowed(instance, together)[order], problem.allowed(instance.rows(order), apart)), (
            "what is allowed depends on the instance alone"
        )
        together = problem.step(instance, together, action)
        apart = problem.step(instance.rows(order), apart, action[order])
    assert same(together.rows(order), apart)


def rules(problem: AnyProblem) -> None:
    found = problem.rules(problem.generate(BATCH, 7, seeded(11)))
    if found is None:
        return
    assert isinstance(found, Rules) and found.name == problem.name
    assert all(isinstance(array, Tensor) and len(array) == BATCH for array in found.arrays.values())


CHECKS: list[Callable[[AnyProblem], None]] = [
    declarations, generation, features, context, purity, termination, beginnings,
    costs, solutions, images, batching, rules,
]  # fmt: skip
