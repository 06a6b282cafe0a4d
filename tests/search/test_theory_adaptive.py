"""The paper's theorem for adapted weights, and the stochastic approximation's estimator, against enumeration."""

from __future__ import annotations

import dataclasses
import math

import pytest
import torch
from torch import Tensor

from lgs import kernel, search
from lgs.search import algorithm1, lgs
from lgs.search.base import latents, overlay
from lgs.search.base.chains import draw_prior
from lgs.search.base.overlay import OUTPUT

from .enumerated import LAMBDA, Bulk, Enumerated, begin, population, three_customers, total_variation

pytestmark = pytest.mark.theory


@pytest.mark.parametrize("gamma", [0.7, 1.0])
def test_converging_weights_carry_the_law_along(gamma: float) -> None:
    """theta_m = theta_inf + D / m^gamma: the law of the inhomogeneous chain approaches pi at theta_inf.

    The theorem's rate is m^-gamma log m: a constant fitted on the first 40 steps must hold for the next 80.
    """
    one = Enumerated(three_customers(), 16)
    final = overlay.weight(one.target.model, OUTPUT, 1)
    direction = 0.2 * torch.randn(final.shape, generator=torch.Generator().manual_seed(0))
    law_final = one.law(over={OUTPUT: final}).flatten()
    now, distances = one.law(lam=0.0).flatten(), [math.nan]
    for m in range(1, 121):
        now = now @ one.kernel(over={OUTPUT: final + direction / m**gamma})
        distances.append(total_variation(now, law_final))
    rate = [math.nan] + [math.log(m + 1) / m**gamma for m in range(1, 121)]
    constant = max(distances[m] / rate[m] for m in range(1, 41))
    assert all(distances[m] <= constant * rate[m] for m in range(41, 121))
    assert distances[120] < 0.25 * distances[10], "and it goes to zero"
    assert distances[10] > 0.1, "though not at once: the weights' way was worth following"


def test_chains_of_lgs_follow_their_weights() -> None:
    """10,000 chains, a decreasing step at every iteration: their law ends at pi of the last weights, not the first.

    Noise alone is about 0.025 (see the fixed case).
    """
    count, target = 10_000, three_customers()
    one, noise = Enumerated(target, 40), Bulk(0, 1)
    params = algorithm1.Params(count, lam=LAMBDA, sigma2=0.3, intervals=(1,), rate=0.5, decay=1.0, optimizer="sgd")
    state = dataclasses.replace(lgs.init(target, params, noise), chains=begin(target, count, noise))
    first = one.binned(one.law(), 10)
    for _ in range(30):
        state, _ = lgs.step(target, params, state, noise)
    last = one.binned(one.law(over=lgs.adapted(target, params, state)), 10)
    found = one.empirical(state.chains.z[0], state.chains.actions[0], 10)
    assert total_variation(first, last) > 0.1, "the weights have moved the target"
    assert total_variation(found, last) < 0.04
    assert total_variation(found, first) > 0.1
    assert expected_cost(one, last) < expected_cost(one, first), "towards cheaper solutions"


def expected_cost(one: Enumerated, law: Tensor) -> float:
    return float((law.sum(0) * one.costs).sum())


def test_the_estimator_is_the_gradient() -> None:
    """Its mean over 20,000 populations equals (1 - 1/K) grad E[C] by enumeration, entry by entry.

    With the baseline over the same K samples the estimator is K - 1 over K times the gradient, exactly.
    """
    rows, count = 20_000, 4
    target, noise = three_customers(rows), Bulk(5, rows)
    one = Enumerated(three_customers(), 8)
    z = draw_prior(one.target, count, Bulk(6, 1)).expand(rows, -1, -1)
    made = target.evaluate(z, target.starts(count), noise.uniform(count, target.horizon))
    output = overlay.weight(target.model, OUTPUT, rows)
    drawn = population(target, z, made.actions)
    estimates = lgs.gradient(target, "output", output, drawn, lgs.advantages(drawn))

    leaf, kinds = output[:1].clone().requires_grad_(), len(one.episodes)
    tables = overlay.tables(target.model, one.target.encoded, z[:1].repeat_interleave(kinds, 1), {OUTPUT: leaf})
    actions = one.episodes.repeat(count, 1)[None]
    starts = torch.full(actions.shape[:2], -1)
    probability = kernel.score(target.problem, one.target.images, tables, actions, starts).exp().view(count, kinds)
    objective = (probability * one.costs.float()).sum(1).mean()
    (exact,) = torch.autograd.grad(objective, leaf)

    error = estimates.std(0) / rows**0.5
    assert (estimates.mean(0) - (1 - 1 / count) * exact[0]).abs().le(5 * error + 1e-7).all()
    assert float(exact.abs().max()) > 20 * float(error.max()), "the gradient stands out of the noise"


def test_the_estimator_on_latents_is_the_gradient() -> None:
    """The same for z (SGLD and Adam); with the others' mean as baseline there is no factor."""
    rows, count = 20_000, 3
    target, noise = three_customers(rows, latent=2), Bulk(7, rows)
    one = Enumerated(three_customers(latent=2), 4)
    z = draw_prior(one.target, count, Bulk(8, 1))
    unit = torch.ones(rows, 1, dtype=torch.float64)
    cloud = latents.Cloud(z.expand(rows, -1, -1), target.starts(count), unit)
    estimates, _ = latents.expected_cost_gradient(target, cloud, noise)

    leaf, kinds = z.clone().requires_grad_(), len(one.episodes)
    tables = overlay.tables(target.model, one.target.encoded, leaf.repeat_interleave(kinds, 1), {})
    actions = one.episodes.repeat(count, 1)[None]
    starts = torch.full(actions.shape[:2], -1)
    probability = kernel.score(target.problem, one.target.images, tables, actions, starts).exp().view(count, kinds)
    (exact,) = torch.autograd.grad((probability * one.costs.float()).sum(), leaf)

    error = estimates.std(0) / rows**0.5
    assert (estimates.mean(0) - exact[0]).abs().le(5 * error + 1e-7).all()
    assert float(exact.abs().max()) > 20 * float(error.max())


def test_the_methods_descend_the_expected_cost() -> None:
    """Adam moves latents to where the enumerated expected cost is lower."""
    target = three_customers()
    one = Enumerated(target, 16)
    method = search.load("adam")
    params, noise = method.Params(particles=200, rate=0.05), Bulk(9, 1)
    state = method.init(target, params, noise)
    profile = (one.decoder() * one.costs).sum(1)

    def mean_cost(z: Tensor) -> float:
        nearest = (z[0] - one.grid[:, 0].float()).abs().argmin(1)
        return float(profile[nearest].mean())

    before = mean_cost(state.cloud.z)
    for _ in range(15):
        state, _ = method.step(target, params, state, noise)
    assert mean_cost(state.cloud.z) < before - 0.2 * float(profile.std())
