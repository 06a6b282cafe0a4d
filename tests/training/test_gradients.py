"""Every gradient estimator against its expectation, computed by enumerating solutions and integrating over z.

The estimates are means over 30,000 independent batches of one instance. Each is projected on the gradient that it
should have; the projection has a standard error of at most 5%, known from 40 chunks, and must lie within 4 of them
(error rate 6e-5 per comparison); what is orthogonal to it must be no longer than chance makes it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from lgs.training.losses import load
from lgs.training.recipe import Phase

from . import enumerated
from .enumerated import Gradients, States

CHUNKS, ROWS = 40, 750


def phase(loss: str, particles: int, scored: int = 0, **settings: Any) -> Phase:
    return Phase("test", 1.0, (3,), 1, particles, loss, settings, scored=scored)


def assert_unbiased(estimates: Gradients, exact: Gradients) -> None:
    for part, expected in exact.items():
        length = expected.norm()
        assert length > 1e-3, f"{part}: nothing to estimate"
        along = estimates[part] @ expected / length**2
        error = along.std() / CHUNKS**0.5
        assert error < 0.05, f"{part}: too noisy to tell"
        assert abs(along.mean() - 1) < 4 * error, f"{part}: {along.mean():.3f} of the exact gradient"
        # Half the chunks against the other half: the noise of both is independent, a bias would be in both.
        rest = estimates[part] - along[:, None] * expected
        first, second = rest[: CHUNKS // 2].mean(0), rest[CHUNKS // 2 :].mean(0)
        assert first @ second < (0.05 * length) ** 2, f"{part}: a part orthogonal to the exact gradient"


def paper_objective(known: States, particles: int, tau: float, beta: float) -> Tensor:
    """Eq. (obj_training) itself, as a function of the network: sum over k of E[w C] - beta H."""
    law = (known.log_probs.double() - known.log_probs.detach().double()).exp()
    law = law * (known.log_prior.double() - known.log_prior.detach().double()).exp() * known.probability
    reward = (-known.costs / tau).exp() * known.costs + beta * known.log_probs.double()
    return particles * (law * reward).sum()


@pytest.mark.parametrize(("particles", "scored"), [(2, 0), (5, 0), (5, 2)])
def test_the_papers_estimator_is_the_gradient_of_its_objective(particles: int, scored: int) -> None:
    """Its baseline b(x) contains the sample itself, so that its mean is (1 - 1/K) times the gradient."""
    net, tau, beta = enumerated.model(), 8.0, 0.1
    known = enumerated.states(net)
    exact = enumerated.gradients((1 - 1 / particles) * paper_objective(known, particles, tau, beta), net)
    recipe = phase("cost_weighted", particles, scored, form="paper", tau=tau, tau_end=tau, beta=beta)
    assert_unbiased(enumerated.estimates(net, recipe, 0.5, CHUNKS, ROWS, seed=particles), exact)


def test_shared_baseline_is_the_gradient_of_the_expected_cost() -> None:
    net, particles = enumerated.model(), 4
    known = enumerated.states(net)
    exact = enumerated.gradients((1 - 1 / particles) * paper_objective(known, 1, 1e12, 0.0), net)
    recipe = phase("shared_baseline", particles)
    assert_unbiased(enumerated.estimates(net, recipe, 0.5, CHUNKS, ROWS, seed=7), exact)


def pairwise_mean(known: States, loss: Callable[[Tensor, Tensor, float], Any]) -> Tensor:
    """What the estimator with K = 2 means: both particles through all states, both coefficients as the loss says."""
    count = len(known.costs)
    own, other = torch.cartesian_prod(torch.arange(count), torch.arange(count)).unbind(-1)
    costs = torch.stack((known.costs[own], known.costs[other]), -1)
    log_probs = torch.stack((known.log_probs[own], known.log_probs[other]), -1).detach().double()
    both = loss(costs, log_probs, 0.5)
    law = (known.probability[own] * known.probability[other])[:, None]
    total = torch.zeros((), dtype=torch.float64)
    for particle, index in enumerate((own, other)):
        decoder = torch.zeros(count, dtype=torch.float64).index_add_(0, index, (law * both.decoder)[:, particle])
        encoder = torch.zeros(count, dtype=torch.float64).index_add_(0, index, (law * both.encoder)[:, particle])
        total = total + (decoder * known.log_probs).sum() + (encoder * known.log_prior).sum()
    return total


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("cost_weighted", {"form": "normalised", "tau": 1.0, "tau_end": 0.5, "beta": 0.1}),
        ("poppy", {}),
        ("self_label", {}),
        ("shared_baseline", {"standardise": True}),
    ],
)
def test_other_losses_mean_what_their_coefficients_say(name: str, settings: dict[str, Any]) -> None:
    net = enumerated.model()
    exact = enumerated.gradients(pairwise_mean(enumerated.states(net), load(name, settings)), net)
    assert_unbiased(enumerated.estimates(net, phase(name, 2, **settings), 0.5, CHUNKS, ROWS, seed=11), exact)


def test_the_states_are_a_law_and_the_paper_objective_is_its_expectation() -> None:
    net = enumerated.model()
    known = enumerated.states(net)
    assert known.probability.sum() == pytest.approx(1.0, abs=1e-5)
    assert len(known.costs) == enumerated.POINTS * 14
    expected = (known.probability * known.costs).sum()
    assert paper_objective(known, 3, 1e12, 0.0).item() == pytest.approx(3 * expected.item(), rel=1e-6)
