"""Every metric exact on distances known by hand or published; what the network sees, apart from what is measured."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lgs import problems
from lgs.problems.cvrp import Instance as Deliveries
from lgs.problems.geometry import METRICS, embed, from_coords, from_matrix, normalised, uniform
from lgs.problems.tsp import Instance

from .contract import same
from .episodes import seeded

#: TSPLIB's ulysses16 (GEO), its optimal tour (length 6859) and the first row of its distances, as published.
ULYSSES16 = [
    (38.24, 20.42), (39.57, 26.15), (40.56, 25.32), (36.26, 23.12), (33.48, 10.54), (37.56, 12.19), (38.42, 13.11),
    (37.52, 20.44), (41.23, 9.10), (41.17, 13.05), (36.08, -5.21), (38.47, 15.13), (38.15, 15.35), (37.51, 15.17),
    (35.49, 14.32), (39.36, 19.56),
]  # fmt: skip
ULYSSES16_ROW = [0, 509, 501, 312, 1019, 736, 656, 60, 1039, 726, 2314, 479, 448, 479, 619, 150]
ULYSSES16_TOUR = [1, 14, 13, 12, 7, 6, 15, 5, 11, 9, 10, 16, 3, 2, 4, 8]

RECTANGLE = [(0, 0), (5, 0), (5, 3), (0, 3)]


def tour_cost(instance: Instance, tour: list[int]) -> float:
    problem = problems.load("tsp")
    cost = float(problem.cost(instance, torch.tensor([[tour]])))
    verdict = problem.check(instance, [tour])
    assert verdict.feasible and verdict.cost == cost
    return cost


def places(points: list[tuple[float, float]], metric: str = "euclidean") -> Instance:
    return Instance(from_coords(torch.tensor([points], dtype=torch.float64), metric))


@pytest.mark.parametrize(
    ("metric", "p", "q", "expected"),
    [
        ("euclidean", (0, 0), (3, 4), 5.0),
        ("euclidean", (-1, -1), (0, 0), math.sqrt(2)),
        ("rounded", (0, 0), (1, 1), 1),
        ("rounded", (0, 0), (2, 2), 3),
        ("rounded", (0, 0), (1.5, 2), 3),  # 2.5 exactly: half rounds up
        ("rounded", (-3, -4), (0, 0), 5),
        ("ceil", (0, 0), (1, 1), 2),
        ("ceil", (0, 0), (3, 4), 5),
        ("att", (0, 0), (30, 10), 10),  # sqrt(1000 / 10) = 10
        ("att", (0, 0), (10, 10), 5),  # sqrt(20) = 4.47 is rounded to 4, which is less: 5
        ("att", (0, 0), (10, 0), 4),  # sqrt(10) = 3.16 is rounded to 3: 4
        ("att", (0, 0), (0, 9), 3),  # sqrt(8.1) = 2.85 is rounded to 3
        ("geo", (0, 0), (0, 90), 10020),  # a quarter of the equator: 6378.388 * pi / 2 = 10019.1, + 1, cut
        ("geo", (0, 0), (0, 0.3), 56),  # 0.30 is half a degree: 55.66, + 1, cut
        ("geo", (0, 0), (0, -0.3), 56),
        (
            "geo",
            (0, 0),
            (0, 176),
            19593,
        ),  # 19592.997 + 1, cut, by TSPLIB's own pi; the true one gives 19593.001
        ("geo", (10, 20), (10, 20), 1),  # two places at one spot are 1 apart in this metric
    ],
)
def test_distance(metric: str, p: tuple[float, float], q: tuple[float, float], expected: float) -> None:
    table = places([p, q], metric).places.distances()[0]
    assert table[0, 1] == table[1, 0] == expected
    assert table[0, 0] == table[1, 1] == 0


def test_geo_on_published_distances() -> None:
    instance = places(ULYSSES16, "geo")
    assert instance.places.distances()[0, 0].tolist() == ULYSSES16_ROW
    assert tour_cost(instance, [node - 1 for node in ULYSSES16_TOUR]) == 6859


@pytest.mark.parametrize(
    ("metric", "around", "crossed"),
    [
        ("euclidean", 16.0, 10 + 2 * math.sqrt(34)),
        ("rounded", 16, 10 + 2 * 6),
        ("ceil", 16, 10 + 2 * 6),
        ("att", 6, 4 + 2 * 2),
        # Twice 5 degrees of a meridian (557), 3 degrees at latitude 5 (333) and at the equator (334); diagonals of 649.
        ("geo", 557 + 333 + 557 + 334, 557 + 649 + 557 + 649),
    ],
)
def test_known_tours_of_a_rectangle(metric: str, around: float, crossed: float) -> None:
    """Around a 5 x 3 rectangle (the optimum), and along its long sides and both diagonals."""
    instance = places(RECTANGLE, metric)
    assert tour_cost(instance, [0, 1, 2, 3]) == around
    assert tour_cost(instance, [0, 1, 3, 2]) == pytest.approx(crossed, rel=1e-15)
    costs = problems.load("tsp").cost(instance, torch.tensor([list(itertools.permutations(range(4)))]))
    assert costs.min() == around


def test_explicit_matrices_symmetric_and_not() -> None:
    symmetric = torch.tensor([[[0, 1, 9, 2], [1, 0, 3, 9], [9, 3, 0, 4], [2, 9, 4, 0]]])
    instance = Instance(from_matrix(symmetric))
    assert tour_cost(instance, [0, 1, 2, 3]) == tour_cost(instance, [3, 2, 1, 0]) == 10
    one_way = torch.tensor([[[0, 1, 7], [8, 0, 2], [3, 9, 0]]])
    instance = Instance(from_matrix(one_way))
    assert tour_cost(instance, [0, 1, 2]) == 1 + 2 + 3
    assert tour_cost(instance, [2, 1, 0]) == 9 + 8 + 7


def test_routes_on_an_asymmetric_matrix() -> None:
    matrix = torch.tensor([[[0, 1, 7], [8, 0, 2], [3, 9, 0]]])
    problem = problems.load("cvrp")
    instance = Deliveries(from_matrix(matrix), torch.tensor([[0, 1, 1]]), torch.tensor([2]))
    assert problem.check(instance, [[1, 2]]) == problems.Verdict(6.0)
    assert problem.check(instance, [[2, 1]]) == problems.Verdict(7.0 + 9 + 8)
    assert problem.check(instance, [[1], [2]]) == problems.Verdict(1.0 + 8 + 7 + 3)
    actions = torch.tensor([[[1, 2, -1, -1], [2, 1, -1, -1], [1, 0, 2, -1]]])
    assert problem.cost(instance, actions).tolist() == [[6.0, 24.0, 19.0]]


@pytest.mark.parametrize("legs", [2, 11])
@pytest.mark.parametrize("metric", METRICS)
def test_legs_are_entries_of_the_table(metric: str, legs: int) -> None:
    """Computed one by one where they are few, looked up where they are many: the same numbers."""
    geometry = from_coords(torch.rand(3, 6, 2, generator=seeded(0), dtype=torch.float64) * 80, metric)
    start, end = torch.randint(6, (2, 3, 4, legs), generator=seeded(1))
    table = geometry.distances()
    expected = torch.stack([table[b, start[b], end[b]] for b in range(3)])
    assert torch.equal(geometry.lengths(start, end), expected)


def test_unknown_metric_is_named() -> None:
    with pytest.raises(ValueError, match="unknown metric 'manhattan'; known: euclidean, rounded, ceil, geo, att"):
        from_coords(torch.rand(1, 2, 2), "manhattan")


def seen(name: str, scale: float, shift: Tensor) -> list[Tensor]:
    """The features of the same places in other units, elsewhere on the map."""
    problem = problems.load(name)
    instance = problem.generate(3, 8, seeded(5))
    moved = from_coords(instance.places.coords * scale + shift)
    changes = {"places": moved}
    if name == "cvrptw":
        later = float(shift.abs().sum())
        changes |= {"ready": instance.ready * scale + later, "due": instance.due * scale + later}
        changes |= {"service": instance.service * scale}
    other = type(instance)(**{**vars(instance), **changes})
    return [*problem.features(other), problem.pair_features(other)]


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(["tsp", "cvrp", "cvrptw"]),
    scale=st.floats(1e-3, 1e4),
    shift=st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)),
)
def test_features_do_not_know_units_nor_origin(name: str, scale: float, shift: tuple[float, float]) -> None:
    plain = seen(name, 1.0, torch.zeros(2, dtype=torch.float64))
    changed = seen(name, scale, torch.tensor(shift, dtype=torch.float64) * scale)
    for a, b in zip(plain, changed):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-4)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 9))
def test_view_fills_the_unit_square(seed: int, count: int) -> None:
    coords = torch.rand(2, count, 2, generator=seeded(seed), dtype=torch.float64) * torch.tensor([30.0, 7.0])
    view = normalised(coords)
    assert view.dtype == torch.float32 and view.min() >= -1e-6 and view.max() <= 1 + 1e-6
    extent = (view.amax(1) - view.amin(1)).amax(-1)
    torch.testing.assert_close(extent, torch.full((2,), float(count > 1)), rtol=0, atol=1e-6)


def test_places_at_one_spot_are_seen_in_the_middle() -> None:
    assert torch.equal(normalised(torch.full((1, 3, 2), 7.0)), torch.full((1, 3, 2), 0.5))
    assert from_coords(torch.full((1, 3, 2), 7.0)).log_distances().isfinite().all()


def test_the_eight_images_are_the_symmetries_of_the_square() -> None:
    geometry = uniform(1, 5, seeded(3))
    images = geometry.images(8)
    for image in images:
        assert torch.equal(image.distances(), geometry.distances()), "costs are measured in the coordinates"
        torch.testing.assert_close(torch.cdist(image.view, image.view), torch.cdist(geometry.view, geometry.view))
        assert image.view.min() >= 0 and image.view.max() <= 1
    assert same(images[0], geometry)
    assert len({tuple(image.view.flatten().tolist()) for image in images}) == 8
    with pytest.raises(ValueError, match="a square has 8 symmetries, 9 asked for"):
        geometry.images(9)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(1, 10))
def test_scaling_a_matrix_recovers_the_map(seed: int, count: int) -> None:
    """Places that have coordinates are put back at the same distances (the map may be turned or mirrored)."""
    table = uniform(2, count, seeded(seed)).distances()
    torch.testing.assert_close(from_coords(embed(table)).distances(), table, rtol=1e-6, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(2, 10))
def test_a_matrix_with_one_way_streets_is_seen_by_its_mean_distances(seed: int, count: int) -> None:
    table = uniform(1, count, seeded(seed)).distances()
    one_way = 0.4 * torch.rand(table.shape, generator=seeded(seed), dtype=torch.float64).tril(-1)
    shifted = table + table * (one_way - one_way.mT)
    torch.testing.assert_close(from_coords(embed(shifted)).distances(), table, rtol=1e-6, atol=1e-6)


def test_a_matrix_is_seen_at_the_coordinates_given() -> None:
    coords = torch.rand(2, 4, 2, generator=seeded(0), dtype=torch.float64)
    geometry = from_matrix(torch.rand(2, 4, 4, generator=seeded(1)), coords)
    assert torch.equal(geometry.view, normalised(coords))


def test_log_distances_of_a_matrix_match_those_of_its_map() -> None:
    mapped = uniform(2, 12, seeded(4))
    by_matrix = from_matrix(mapped.distances() * 17, mapped.coords * 17)
    torch.testing.assert_close(by_matrix.log_distances(), mapped.log_distances(), rtol=1e-3, atol=1e-3)


def test_log_distances_are_exact_between_close_neighbours() -> None:
    coords = torch.rand(1, 60, 2, generator=seeded(6), dtype=torch.float64)
    coords[0, 1] = coords[0, 0] + 1e-4
    exact = from_coords(coords).view.double()
    exact = ((exact[:, :, None] - exact[:, None]).square().sum(-1).sqrt() * math.sqrt(60) + 0.01).log()
    torch.testing.assert_close(from_coords(coords).log_distances(), exact.float(), rtol=0, atol=1e-5)
