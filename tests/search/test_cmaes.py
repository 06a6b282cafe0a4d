"""CMA-ES against the package of that name, and where it has nothing to go by."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from lgs import search
from lgs.search import Exhausted
from lgs.search.base.evolution import LEAST_STEP, MOST_STEP, Rates, Strategy, told
from lgs.search.base.noise import Noise

from . import small

CPU = torch.device("cpu")


def ellipsoid(points: Tensor) -> Tensor:
    return ((points - 1).square() * torch.arange(1, points.shape[-1] + 1)).sum(-1)


def nothing() -> None:
    """Between two rows."""


@pytest.mark.parametrize(("dim", "population"), [(5, 8), (3, 4), (7, 13), (20, 100)])
def test_it_is_cma_es(dim: int, population: int) -> None:
    """Thirty generations on the same points: mean, step size and covariance are the package's."""
    package = pytest.importorskip("cmaes")
    generator, rates = torch.Generator().manual_seed(0), Rates.of(dim, population, CPU)
    ours = Strategy.around_zero(2, dim, 0.7, CPU)
    theirs = package.CMA(torch.zeros(dim).double().numpy(), 0.7, population_size=population)
    for _ in range(30):
        points = ours.points(torch.randn(2, population, dim, generator=generator))
        costs = ellipsoid(points)
        ours = told(rates, ours, points, costs, nothing)
        theirs.tell(list(zip(points[0].numpy(), costs[0].tolist())))
    covariance = (ours.axes * ours.lengths.square()[:, None]) @ ours.axes.mT
    assert torch.allclose(ours.mean[0], torch.from_numpy(theirs.mean), rtol=1e-5, atol=1e-7)
    assert torch.allclose(covariance[0], torch.from_numpy(theirs._C), rtol=1e-5, atol=1e-7)
    assert float(ours.sigma[0]) == pytest.approx(theirs._sigma, rel=1e-5)
    assert float(costs.mean()) < 0.1 * float(ellipsoid(torch.zeros(1, 1, dim)))


@pytest.mark.parametrize(("dim", "population"), [(1, 6), (4, 2), (4, 3), (10, 20)])
def test_costs_that_say_nothing_leave_numbers_finite(dim: int, population: int) -> None:
    generator, rates = torch.Generator().manual_seed(0), Rates.of(dim, population, CPU)
    ours = Strategy.around_zero(1, dim, 1.0, CPU)
    for _ in range(1500):
        points = ours.points(torch.randn(1, population, dim, generator=generator))
        ours = told(rates, ours, points, torch.zeros(1, population), nothing)
    assert all(bool(tensor.isfinite().all()) for tensor in ours._tensors())
    assert LEAST_STEP <= float(ours.sigma) <= MOST_STEP and points.float().square().sum().isfinite()


def test_time_is_looked_at_between_rows() -> None:
    """Eigenvalues of many rows take long: the budget may end a step among them."""
    calls = []

    def second_is_too_late() -> None:
        calls.append(1)
        if len(calls) == 2:
            raise Exhausted

    ours = Strategy.around_zero(3, 4, 1.0, CPU)
    points = ours.points(torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(0)))
    with pytest.raises(Exhausted):
        told(Rates.of(4, 6, CPU), ours, points, ellipsoid(points), second_is_too_late)


def test_a_step_leaves_the_old_state_as_it_was() -> None:
    target, method = small.target("cvrp", batch=2), search.load("cmaes")
    noise, params = Noise(0, 2), search.parameters("cmaes", {"particles": 6})
    before = method.init(target, params, noise)
    after, info = method.step(target, params, before, noise)
    assert float(before.strategy.mean.abs().max()) == 0.0 and before.strategy.generation == 0
    assert after.strategy.generation == 1 and (after.strategy.mean != 0).all()
    assert info.latents is not None and info.latents.shape == (2, 6, 3)
