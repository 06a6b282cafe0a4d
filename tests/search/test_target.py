"""The target: counting, time, the best so far, augmentation, gradients in blocks."""

from __future__ import annotations

import copy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from lgs import kernel, search
from lgs.search import Budget, Exhausted, Target
from lgs.search.base import speed
from lgs.search.base import target as targets
from lgs.search.base.chains import draw_prior
from lgs.search.base.noise import Noise
from lgs.search.base.overlay import OUTPUT, weight

from . import small


def particles(target: Target, count: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    noise = Noise(seed, len(target.instance), target.augment)
    return draw_prior(target, count, noise), target.starts(count), noise.uniform(count, target.horizon)


def test_best_is_the_cheapest_over_particles_and_images() -> None:
    target = small.target("cvrp", batch=3, augment=8)
    made = target.evaluate(*particles(target, 5))
    assert target.rows == 24 and made.costs.shape == (24, 5)
    by_instance = made.costs.view(8, 3, 5).transpose(0, 1).flatten(1)
    assert torch.equal(target.best_costs, by_instance.amin(1))
    again = target.problem.cost(target.instance, target.best_actions[:, None])[:, 0]
    assert torch.allclose(again, target.best_costs), "the kept episode is the one that costs this, on the real instance"
    assert target.rollouts == 40


def test_a_worse_evaluation_changes_nothing() -> None:
    target = small.target("tsp", batch=2)
    for seed in range(4):
        target.evaluate(*particles(target, 6, seed))
    before, points = target.best_costs.clone(), len(target.trace.points)
    costs = target.submit(target.problem.first_nodes(target.instance)[:, None])
    assert (costs[:, 0] > before).all(), "the tour in the order of the nodes is no good one"
    assert torch.equal(target.best_costs, before) and len(target.trace.points) == points
    assert target.rollouts == 25


def test_submitted_episodes_count_and_may_win() -> None:
    target = small.target("tsp")
    tour = torch.arange(6)[None, None]
    costs = target.submit(tour)
    assert target.rollouts == 1
    assert target.best_costs.tolist() == costs[0].tolist()
    assert target.best_actions[0].tolist() == list(range(6))


def test_the_model_given_is_left_alone() -> None:
    model = small.model("cvrp").train()
    before = copy.deepcopy(model.state_dict())
    target = Target(model, small.instances("cvrp"))
    search.run(search.load("active"), target, Budget(iterations=3), search.parameters("active", {"particles": 4}))
    assert model.training and all(parameter.requires_grad for parameter in model.parameters())
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_no_block_begins_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each particle takes 1 ms on this clock: a run of a second may end a block late, never more."""
    clock, ends = small.Clock(), []
    rollout = kernel.rollout

    def timed(problem: Any, instance: Any, tables: Any, starts: Tensor, uniforms: Tensor | None) -> Any:
        clock.now += 0.001 * starts.numel()
        ends.append(clock.now)
        return rollout(problem, instance, tables, starts, uniforms)

    monkeypatch.setattr(kernel, "rollout", timed)
    target = Target(small.model(), small.instances(batch=2), clock=clock)
    params = search.parameters("parallel", {"particles": 5000})
    result = search.run(search.load("parallel"), target, Budget(seconds=1.0), params)
    assert result.stopped == "budget"
    assert 0.9 <= ends[-1] <= 1.0 + speed.BLOCK_SECONDS
    assert result.rollouts == pytest.approx(500, abs=100), "and the time is used, not given away"


def test_blocks_do_not_change_an_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, pieces = small.target("tsp", batch=2), small.target("tsp", batch=2)
    z, starts, uniforms = particles(whole, 40)
    expected = whole.evaluate(z, starts, uniforms)
    pieces.budget = Budget(seconds=60.0)
    monkeypatch.setattr(speed.Speed, "size", lambda self, seconds: 14)
    found = pieces.evaluate(z, starts, uniforms)
    assert torch.equal(found.actions, expected.actions) and torch.equal(found.costs, expected.costs)


def test_blocks_do_not_change_a_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    target = small.target("cvrp", batch=2)
    z, starts, uniforms = particles(target, 9)
    made = target.evaluate(z, starts, uniforms)
    weights = torch.linspace(-1, 1, 9).expand(2, -1)
    found = []
    for size in (1000, 4):
        monkeypatch.setattr(targets, "GRADIENT_WORK", size * 2 * target.horizon * 6)
        leaf, output = z.clone().requires_grad_(), weight(target.model, OUTPUT, 2).requires_grad_()
        found.append(target.gradient(weights, leaf, starts, made.actions, [leaf, output], {OUTPUT: output}))
    for one, other in zip(*found):
        assert torch.allclose(one, other, rtol=1e-4, atol=1e-6) and one.abs().max() > 0


def test_a_search_that_has_begun_imports_nothing_large() -> None:
    """Half a second of imports in the first gradient is half a second after a short deadline."""
    code = """
import sys
from lgs import search
from tests.search import small
for name in search.names():
    method, before = search.load(name), set(sys.modules)
    search.run(method, small.target("cvrp"), search.Budget(rollouts=250, iterations=2))
    new = set(sys.modules) - before
    assert len(new) < 40, (name, len(new), sorted(new)[:9])
"""
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    assert done.returncode == 0, done.stderr[-500:]


def test_the_budget_of_rollouts_is_exact() -> None:
    target = small.target("tsp", augment=2)
    target.budget = Budget(rollouts=21)
    with pytest.raises(Exhausted):
        target.evaluate(*particles(target, 30))
    assert target.rollouts == 20, "two images each: the twenty-first cannot be shared out"


def test_a_target_cost_ends_the_search() -> None:
    target = small.target("tsp", batch=2)
    target.budget = Budget(target_cost=1e6)
    target.evaluate(*particles(target, 3))
    with pytest.raises(Exhausted):
        target.check()


def test_trace_at_a_moment() -> None:
    trace = search.Trace()
    trace.note(1.0, 5, torch.tensor([3.0]))
    trace.note(2.0, 9, torch.tensor([2.0]))
    assert trace.at(0.5) is None
    assert trace.at(1.5).tolist() == [3.0] and trace.at(9.0).tolist() == [2.0]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"rollouts": 0}, "0 rollouts finds nothing"),
        ({"seconds": -1.0}, "not negative"),
        ({"seconds": float("nan")}, "finite"),
        ({"iterations": -2}, "not be negative"),
    ],
)
def test_impossible_budgets(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Budget(**limits)


def test_impossible_targets() -> None:
    with pytest.raises(ValueError, match="greedy, sampled, is 'random'"):
        small.target(decoding="random")
    with pytest.raises(ValueError, match="8 symmetries"):
        small.target(augment=9)
    with pytest.raises(ValueError, match="8 images need at least as many rollouts, the budget has 3"):
        search.run(search.load("sampling"), small.target(augment=8), Budget(rollouts=3))
    with pytest.raises(ValueError, match="seed"):
        search.run(search.load("sampling"), small.target(seed=-1), Budget(rollouts=3))


class TestSpeed:
    def test_learns_both_parts(self) -> None:
        made = speed.Speed()
        for count in (32, 128, 400, 64, 300):
            made.measured(count, 0.02 + 0.001 * count)
        assert made.fixed == pytest.approx(0.02, rel=0.01) and made.each == pytest.approx(0.001, rel=0.01)
        assert made.fits(1.0) and not made.fits(-0.1)
        assert made.size(1.0) == pytest.approx(100, abs=2)
        assert made.size(5.0) == pytest.approx(500, abs=10), "further off, larger blocks"
        assert made.size(0.05) == pytest.approx(30, abs=2)

    def test_a_large_fixed_part_asks_for_large_blocks(self) -> None:
        made = speed.Speed()
        for count in (32, 128, 512, 2048):
            made.measured(count, 1.0 + 1e-5 * count)
        assert made.size(100.0) == 4 * 2048
        assert made.size(0.5) == 1

    def test_time_that_does_not_depend_on_the_count(self) -> None:
        made = speed.Speed()
        for count in (32, 128):
            made.measured(count, 0.5)
        assert made.each == 0 and made.size(2.0) == 4 * 128 and made.size(0.2) == 1

    def test_grows_step_by_step(self) -> None:
        made = speed.Speed()
        assert made.size(10.0) == speed.FIRST_BLOCK
        made.measured(32, 1e-6)
        assert made.size(10.0) == 4 * 32
