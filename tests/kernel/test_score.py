"""Scores of given episodes and the gradients of every table."""

from __future__ import annotations

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs.kernel import native, reference

from .cases import KNOWN, Case, cases, gradients, make, threads, with_gradients


def native_gradients(
    case: Case, actions: torch.Tensor, weights: torch.Tensor, only: tuple[str, ...] = native.TABLES, level: str = ""
) -> dict[str, torch.Tensor]:
    tables = with_gradients(case.tables, only=only)
    scored = native.score(case.problem, case.instance, tables, actions, case.starts, level=level)
    (scored * weights).sum().backward()
    return gradients(tables)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(cases(), st.integers(1, 2))
def test_scores_and_gradients_are_the_references(case: Case, count: int) -> None:
    actions, log_probs = reference.rollout(*case.call, case.uniforms)
    weights = case.uniforms.new_tensor(range(1, 1 + case.starts.numel())).view(case.starts.shape).sin()
    exact = with_gradients(case.tables, torch.float64)
    # Episodes without a choice do not depend on the tables at all.
    scored = reference.score(case.problem, case.instance, exact, actions, case.starts)
    if scored.requires_grad:
        (scored * weights).sum().backward()
    expected = gradients(exact)
    for level in native.levels():
        scored = native.score(*case.call[:3], actions, case.starts, level=level)
        torch.testing.assert_close(scored, log_probs, rtol=1e-5, atol=1e-4)
        with threads(count):
            found = native_gradients(case, actions, weights, level=level)
        largest = max((float(g.abs().max()) for g in expected.values()), default=0.0)
        for name, gradient in found.items():
            exactly = expected.get(name, torch.zeros_like(gradient))
            # Relative to the table's gradient, to all of them where the table's nearly cancels, or to the weights.
            assert float((gradient - exactly).norm()) <= 1e-3 * float(exactly.norm()) + 1e-5 * largest + 1e-6, name


@pytest.mark.parametrize("name", KNOWN)
def test_gradients_are_finite_differences(name: str) -> None:
    case = make(name, 3 if name == "jobshop" else 5, particles=3, batch=1, extended=True)
    actions, _ = reference.rollout(*case.call, case.uniforms)
    weights = torch.tensor([[0.7, -1.3, 0.4]])
    found = native_gradients(case, actions, weights)
    double = with_gradients(case.tables, torch.float64, only=())
    step = 1e-5
    for table, gradient in found.items():
        values = getattr(double, table)
        for flat in torch.linspace(0, values.numel() - 1, 7).long().unique().tolist():
            sides = []
            for sign in (1, -1):
                moved = values.clone()
                moved.view(-1)[flat] += sign * step
                tables = dataclasses.replace(double, **{table: moved})
                sides.append(
                    (reference.score(case.problem, case.instance, tables, actions, case.starts) * weights).sum()
                )
            slope = float(sides[0] - sides[1]) / (2 * step)
            assert float(gradient.view(-1)[flat]) == pytest.approx(slope, rel=1e-3, abs=1e-5), table


def test_only_the_gradients_asked_for_are_computed_and_they_are_the_same() -> None:
    case = make("cvrp", 15, particles=20, extended=True)
    actions, _ = native.rollout(*case.call, case.uniforms)
    everything = native_gradients(case, actions, torch.ones(2, 20))
    for only in (("logit_keys",), ("residual",), ("query",), ("keys", "pairwise")):
        some = native_gradients(case, actions, torch.ones(2, 20), only)
        assert some.keys() == set(only)
        for name in only:
            assert torch.equal(some[name], everything[name]), name


def test_known_log_probabilities_are_kept_and_change_no_gradient() -> None:
    case = make("cvrp", 15, particles=20, extended=True)
    actions, log_probs = native.rollout(*case.call, case.uniforms)
    expected = native_gradients(case, actions, torch.ones(2, 20))
    tables = with_gradients(case.tables)
    # Taken for granted, even where they are not true: nothing is computed.
    scored = native.score(case.problem, case.instance, tables, actions, case.starts, known=log_probs - 1)
    assert torch.equal(scored.detach(), log_probs - 1)
    scored.sum().backward()
    for name, gradient in gradients(tables).items():
        assert torch.equal(gradient, expected[name]), name


def test_gradients_do_not_depend_on_the_number_of_threads() -> None:
    case = make("tsp", 25, particles=70, batch=3, extended=True)
    actions, _ = native.rollout(*case.call, case.uniforms)
    weights = torch.randn(3, 70, generator=torch.Generator().manual_seed(1))
    with threads(1):
        expected = native_gradients(case, actions, weights)
    for count in (2, 4):
        with threads(count):
            found = native_gradients(case, actions, weights)
        for name, gradient in found.items():
            assert torch.equal(gradient, expected[name]), name


def test_weightless_trajectories_change_nothing() -> None:
    case = make("cvrp", 10, particles=4)
    actions, _ = native.rollout(*case.call, case.uniforms)
    some = native_gradients(case, actions, torch.tensor([[1.0, 0, 0, 2.0]] * 2))
    few = dataclasses.replace(case, tables=dataclasses.replace(case.tables, query=case.tables.query[:, [0, 3]]))
    few = dataclasses.replace(few, starts=case.starts[:, [0, 3]])
    same = native_gradients(few, actions[:, [0, 3]], torch.tensor([[1.0, 2.0]] * 2))
    for name in ("keys", "values", "logit_keys", "anchors"):
        torch.testing.assert_close(some[name], same[name], rtol=1e-4, atol=1e-6)


def test_an_action_against_the_rules_has_probability_zero() -> None:
    case = make("tsp", 5, particles=1, batch=1)
    twice = torch.tensor([[[0, 1, 1, 2, 3]]])
    assert native.score(*case.call[:3], twice, case.starts).item() == float("-inf")
