"""Every problem in the folder keeps the contract, and a problem that breaks it is caught."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch

from lgs import problems
from lgs.problems import Rules, Verdict
from lgs.problems.cvrptw import CVRPTW
from lgs.problems.jobshop import JobShop
from lgs.problems.knapsack import Knapsack

from .contract import CHECKS, AnyProblem
from .episodes import random_actions, seeded


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", problems.names())
def test_every_problem_keeps_the_contract(name: str, check: Any) -> None:
    problem = problems.load(name)
    assert problem.name == name
    check(problem)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("problem", [CVRPTW(vehicles_first=True), JobShop(machines=3)], ids=["vehicles", "3 machines"])
def test_options_keep_the_contract(problem: AnyProblem, check: Any) -> None:
    check(problem)


@pytest.mark.parametrize("name", problems.names())
def test_environment_and_checker_agree_on_thousands_of_episodes(name: str) -> None:
    """Every random episode is feasible in the checker's eyes, at the cost that the environment says."""
    problem = problems.load(name)
    instances = problem.generate(40, 6, seeded(20))
    actions = random_actions(problem, instances, 50, seeded(21))
    costs = problem.cost(instances, actions)
    for row in range(40):
        one = instances.rows([row])
        verdicts = [problem.check(one, problem.solution(one, episode)) for episode in actions[row]]
        assert [fault for verdict in verdicts for fault in verdict.violations] == []
        assert [verdict.cost for verdict in verdicts] == pytest.approx(costs[row].tolist(), rel=1e-12)


class Impure(Knapsack):
    """Marks items in place"""

    def step(self, instance: Any, state: Any, action: Any) -> Any:
        state.taken.scatter_(-1, action.clamp_min(0)[..., None], True)
        return super().step(instance, state, action)


class Endless(Knapsack):
    """Never says that the episode is over"""

    def allowed(self, instance: Any, state: Any) -> Any:
        return torch.ones_like(state.taken)


class Overfull(Knapsack):
    """Lets everything in"""

    def allowed(self, instance: Any, state: Any) -> Any:
        return ~state.taken


class WrongCost(Knapsack):
    """Counts the items, not their value"""

    def cost(self, instance: Any, actions: Any) -> Any:
        return -(actions >= 0).sum(-1).double()


class SingleCost(Knapsack):
    """Costs in half the precision"""

    def cost(self, instance: Any, actions: Any) -> Any:
        return super().cost(instance, actions).float()


class SilentChecker(Knapsack):
    """Judges nothing"""

    def check(self, instance: Any, solution: Any) -> Verdict:
        return Verdict(0.0)


class RawFeatures(Knapsack):
    """Shows the network weights in millionths"""

    def features(self, instance: Any) -> Any:
        (table,) = super().features(instance)
        return (torch.cat((instance.weights[..., None].float(), table[..., 1:]), -1),)


class MissingFeature(Knapsack):
    """Declares one more feature than it has"""

    feature_widths = (4,)


class GlobalRandom(Knapsack):
    """Ignores the generator"""

    def generate(self, batch: int, size: int, generator: Any = None) -> Any:
        return super().generate(batch, size, None)


class ForgetsAnItem(Knapsack):
    """Solutions lack their last item"""

    def solution(self, instance: Any, actions: Any) -> Any:
        return [part[:-1] for part in super().solution(instance, actions)]


class FalseSymmetry(Knapsack):
    """Calls other values a symmetric image"""

    def symmetries(self, instance: Any, count: int) -> Any:
        return [dataclasses.replace(instance, values=instance.values * (1 + i)) for i in range(count)]


class Crowded(Knapsack):
    """Shares one knapsack among the batch"""

    def reset(self, instance: Any, particles: int) -> Any:
        state = super().reset(instance, particles)
        return dataclasses.replace(state, left=state.left - len(instance) * int(1e5))


class ForeignRules(Knapsack):
    """Plays by another problem's rules"""

    def rules(self, instance: Any) -> Rules:
        return Rules("tsp")


class NoneMatters(JobShop):
    """Takes `NONE` for an operation"""

    def step(self, instance: Any, state: Any, action: Any) -> Any:
        return super().step(instance, state, action.clamp_min(0))


BROKEN = {
    Impure: "purity", Endless: "termination", Overfull: "costs", WrongCost: "costs", SingleCost: "costs",
    SilentChecker: "costs", RawFeatures: "features", MissingFeature: "features", GlobalRandom: "generation",
    ForgetsAnItem: "solutions", FalseSymmetry: "images", Crowded: "batching", ForeignRules: "rules",
    NoneMatters: "purity",
}  # fmt: skip


@pytest.mark.parametrize("broken", BROKEN, ids=lambda kind: kind.__name__)
def test_a_broken_problem_is_caught(broken: type[AnyProblem]) -> None:
    (check,) = [check for check in CHECKS if check.__name__ == BROKEN[broken]]
    with pytest.raises(AssertionError):
        check(broken())


SIXTH = '''
"""A problem whose author forgot that episodes end."""

from .knapsack import Knapsack


class Forgetful(Knapsack):
    """Knapsack without a bottom"""

    def allowed(self, instance, state):
        return ~state.taken
'''


def test_a_sixth_file_is_found_and_held_to_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "forgetful.py").write_text(SIXTH)
    monkeypatch.setattr(problems, "__path__", [*problems.__path__, str(tmp_path)])
    assert "forgetful" in problems.names()
    problem = problems.load("forgetful")
    caught = []
    for check in CHECKS:
        try:
            check(problem)
        except AssertionError:
            caught.append(check.__name__)
    assert "costs" in caught


def test_an_unknown_problem_is_named_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=f"unknown problem 'vrp'; known: {', '.join(problems.names())}"):
        problems.load("vrp")


def test_options_are_given_by_name() -> None:
    assert problems.load("jobshop", machines=3).generate(1, 2, seeded(0)).steps == 3
    assert problems.load("jobshop").generate(1, 2, seeded(0)).steps == 2
    with pytest.raises(ValueError, match="cvrptw has no option 'vehicles'; it has vehicles_first"):
        problems.load("cvrptw", vehicles=2)
    with pytest.raises(ValueError, match="tsp has no option 'machines'; it has none"):
        problems.load("tsp", machines=2)


def test_a_file_defines_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "twins.py").write_text(SIXTH + "\n\nclass Other(Forgetful):\n    pass\n")
    monkeypatch.setattr(problems, "__path__", [*problems.__path__, str(tmp_path)])
    with pytest.raises(TypeError, match="exactly one subclass of Problem, it defines 2"):
        problems.load("twins")
