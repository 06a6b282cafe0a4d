"""What is generated: the paper's test sets to the digit, the published distributions, Solomon's classes."""

from __future__ import annotations

import hashlib
import math

import pytest
import torch

from lgs import problems
from lgs.problems.cvrp import capacity_for
from lgs.problems.jobshop import JobShop

from .episodes import seeded

TRILLION = 10**12


def digest(*tensors: torch.Tensor) -> str:
    """Hash of numbers in trillionths, so that the last bit of a float does not matter."""
    hashed = hashlib.sha256()
    for tensor in tensors:
        hashed.update((tensor.double() * TRILLION).round().long().numpy().astype("<i8").tobytes())
    return hashed.hexdigest()[:16]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (20, "ed668ce75a691168"),
        (50, "e0bfb66993c368b5"),
        (100, "659814a3ab72d829"),
        (125, "6d2af12e31a38d9f"),
        (150, "b8c8898ee7c1b81d"),
    ],
)
def test_paper_set_of_tsp(size: int, expected: str) -> None:
    instances = problems.load("tsp").paper_set(size)
    assert instances.places.coords.shape == (1000, size, 2)
    assert digest(instances.places.coords) == expected


@pytest.mark.parametrize(
    ("size", "capacity", "expected"),
    [
        (20, 30, "75316fdc1dd241c8"),
        (50, 40, "1f2559acecc76c8d"),
        (100, 50, "9018b8e2440d70ad"),
        (125, 55, "569edfdc74a1bfbf"),
        (150, 60, "e38ecc5381502126"),
        (200, 70, "d796d802a8cd7778"),
    ],
)
def test_paper_set_of_cvrp(size: int, capacity: int, expected: str) -> None:
    instances = problems.load("cvrp").paper_set(size)
    assert instances.places.coords.shape == (1000, size + 1, 2)
    assert instances.demands[:, 1:].min() == 1 and instances.demands[:, 1:].max() == 9
    assert not instances.demands[:, 0].any()
    assert (instances.capacity == capacity).all()
    assert digest(instances.places.coords, instances.demands) == expected


@pytest.mark.parametrize("name", ["tsp", "cvrp"])
def test_a_part_of_the_paper_set_is_its_beginning(name: str) -> None:
    problem = problems.load(name)
    whole, part = problem.paper_set(20), problem.paper_set(20, count=3)
    assert len(part) == 3
    assert torch.equal(part.places.coords, whole.places.coords[:3])
    for count in (0, -1, 1001):
        with pytest.raises(ValueError, match=f"test sets have 1000 instances each, {count} are asked for"):
            problem.paper_set(20, count)


@pytest.mark.parametrize("name", ["cvrptw", "knapsack", "jobshop"])
def test_no_paper_set_is_said_plainly(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}: the paper has no test set; use `generate`"):
        problems.load(name).paper_set(100)


def test_capacity_grows_with_the_size() -> None:
    assert [capacity_for(n) for n in (20, 50, 100, 125, 150, 200)] == [30, 40, 50, 55, 60, 70]
    assert [capacity_for(n) for n in (35, 75, 110, 52, 53)] == [35, 45, 52, 40, 41]


@pytest.mark.parametrize("name", ["tsp", "cvrp"])
def test_places_are_uniform(name: str) -> None:
    """Mean and variance within 5 standard errors of those of U(0, 1): wrong once in 10^6 seeds."""
    coords = problems.load(name).generate(100, 99, seeded(0)).places.coords
    count = coords.numel()
    assert abs(float(coords.mean()) - 1 / 2) < 5 * math.sqrt(1 / 12 / count)
    assert abs(float(coords.var()) - 1 / 12) < 5 * math.sqrt(1 / 180 / count)


def test_demands_of_cvrp() -> None:
    demands = problems.load("cvrp").generate(100, 100, seeded(0)).demands
    assert not demands[:, 0].any()
    counts = demands[:, 1:].flatten().bincount(minlength=10)
    assert counts[0] == 0 and len(counts) == 10
    # Pearson's chi-square with 8 degrees of freedom: above 31.8 once in 10^4 seeds.
    expected = 10_000 / 9
    assert float(((counts[1:] - expected).square() / expected).sum()) < 31.8


def test_knapsack_is_the_papers() -> None:
    problem = problems.load("knapsack")
    for size, capacity in ((50, 12.5), (100, 25.0)):
        instance = problem.generate(200, size, seeded(size))
        assert (instance.capacity * instance.unit == capacity).all()
        weights = instance.weights * instance.unit
        for column in (weights, instance.values):
            assert column.min() > 0 and column.max() <= 1
            assert abs(float(column.mean()) - 1 / 2) < 5 * math.sqrt(1 / 12 / column.numel())
        assert not torch.equal(weights, instance.values)


def test_jobshop_is_taillards() -> None:
    for problem, shape in ((JobShop(), (6, 6)), (JobShop(machines=15), (20, 15))):
        jobs, machines = shape
        instance = problem.generate(50, jobs, seeded(1))
        assert (instance.jobs, instance.steps) == shape
        assert instance.durations.min() == 1 and instance.durations.max() == 99
        orders = instance.machines.view(50, jobs, machines)
        assert torch.equal(orders.sort(-1).values, torch.arange(machines).expand_as(orders))
        # Every machine is as likely to come first: 5 standard errors of a proportion.
        share, count = 1 / machines, 50 * jobs
        firsts = orders[:, :, 0].flatten().bincount(minlength=machines) / count
        assert ((firsts - share).abs() < 5 * math.sqrt(share * (1 - share) / count)).all()


@pytest.mark.parametrize("size", [1, 5, 25, 100])
def test_cvrptw_can_always_be_served_by_one_vehicle_per_customer(size: int) -> None:
    problem = problems.load("cvrptw")
    instances = problem.generate(60, size, seeded(size))
    alone = [[customer] for customer in range(1, size + 1)]
    for row in range(len(instances)):
        verdict = problem.check(instances.rows([row]), alone)
        assert verdict.feasible, verdict.violations
    begin = problem.allowed(instances, problem.reset(instances, 1))[:, 0]
    assert begin[:, 1:].all() and not begin[:, 0].any()
    # No window promises an arrival after which the way home would be too long.
    assert (instances.due <= instances.latest() + 1e-9).all()


def test_cvrptw_mixes_solomons_classes() -> None:
    instances = problems.load("cvrptw").generate(400, 50, seeded(0))
    hours, service = instances.due[:, 0], instances.service[:, 1]
    classes = {(round(float(h), 3), round(float(s), 3)) for h, s in zip(hours, service)}
    assert classes == {(2.3, 0.1), (10.0, 0.1), (12.4, 0.9), (33.9, 0.9), (2.4, 0.1), (9.6, 0.1)}
    assert set(instances.capacity.tolist()) == {200, 1000}
    # A customer's nearest neighbour is far closer in clusters (C, service 0.9) than among scattered ones (R).
    gap = instances.places.distances()[:, 1:, 1:] + 9 * torch.eye(50)
    nearest = gap.amin(-1).mean(-1)
    assert nearest[service > 0.5].mean() < 0.7 * nearest[hours == 2.3].mean()
    # Narrow and wide windows, and instances where some customers have none.
    width = (instances.due - instances.ready)[:, 1:] / hours[:, None]
    assert width.amin(-1).max() > 0.1 and width.amin(-1).min() < 0.05
    free = (width > 0.75).double().mean(-1)
    assert free.min() == 0 and free.max() > 0.5
