"""What is written reads back exactly, in every format of every problem, on the problems' own random instances."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import torch

from lgs import io, problems
from lgs.io.schemas import names, schema
from lgs.problems.geometry import METRICS, from_coords, from_matrix

from .samples import SAMPLES, read

PAIRS = [(problem, form) for problem in names() for form, found in io.formats().items() if problem in found.PROBLEMS]
SOLUTIONS = [(problem, form) for problem in names() for form in io.solution_formats(problem)]


def generated(problem: str, seed: int = 1, size: int = 7) -> io.Named:
    instance = problems.load(problem).generate(1, size, torch.Generator().manual_seed(seed))
    return io.wrap(problem, instance, f"{problem}-{seed}")


def same(one: Any, two: Any) -> bool:
    """Equal field by field, tensors bit by bit."""
    if dataclasses.is_dataclass(one):
        return type(one) is type(two) and all(
            same(getattr(one, field.name), getattr(two, field.name)) for field in dataclasses.fields(one)
        )
    if isinstance(one, torch.Tensor):
        return isinstance(two, torch.Tensor) and one.dtype == two.dtype and torch.equal(one, two)
    return bool(one == two)


def rollout(named: io.Named, seed: int) -> problems.Solution:
    """A random feasible solution."""
    problem, generator = named.problem, torch.Generator().manual_seed(seed)
    state, actions = problem.reset(named.instance, 1), []
    for _ in range(problem.horizon(named.instance)):
        allowed = problem.allowed(named.instance, state)[0].float()
        if not allowed.any():
            break
        action = torch.multinomial(allowed, 1, generator=generator)
        actions.append(int(action))
        state = problem.step(named.instance, state, action)
    return problem.solution(named.instance, torch.tensor(actions))


def test_formats_of_their_own() -> None:
    own = {"tsp": ".tsp", "cvrp": ".vrp", "cvrptw": ".txt", "knapsack": ".kp", "jobshop": ".jsp"}
    assert {problem: io.native(problem).SUFFIX for problem in own} == own


def test_a_problem_without_files_is_told_where_they_go() -> None:
    with pytest.raises(ValueError, match=r"orienteering has no files; add orienteering\.py to lgs/io/schemas"):
        schema("orienteering")
    with pytest.raises(ValueError, match="orienteering has no format of its own; use json"):
        io.native("orienteering")


@pytest.mark.parametrize(("problem", "form"), PAIRS)
@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_instances(tmp_path: Path, problem: str, form: str, size: int) -> None:
    named = generated(problem, size=size)
    path = tmp_path / f"{named.name}{io.formats()[form].SUFFIX}"
    io.write(path, named)
    again = io.read(path)
    assert again.problem.name == problem
    assert again.name == named.name
    assert again.first == named.first
    assert same(again.instance, named.instance)


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_through_json(tmp_path: Path, name: str) -> None:
    named = read(tmp_path, SAMPLES[name], name)
    io.write(tmp_path / "again.json", named)
    again = io.read(tmp_path / "again.json")
    assert dataclasses.replace(again, problem=named.problem, instance=named.instance) == named
    assert same(again.instance, named.instance)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("problem", "suffix"), [("tsp", ".tsp"), ("tsp", ".json"), ("cvrp", ".vrp"), ("cvrp", ".json")]
)
def test_metrics(tmp_path: Path, problem: str, suffix: str, metric: str) -> None:
    named = generated(problem)
    places = from_coords(named.instance.places.coords * 100, metric)
    named = dataclasses.replace(named, instance=dataclasses.replace(named.instance, places=places), reference=12.5)
    io.write(tmp_path / f"x{suffix}", named)
    again = io.read(tmp_path / f"x{suffix}")
    assert same(again.instance, named.instance)
    assert again.reference == 12.5


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize(
    ("problem", "suffix"), [("tsp", ".tsp"), ("tsp", ".json"), ("cvrp", ".vrp"), ("cvrp", ".json")]
)
def test_matrices(tmp_path: Path, problem: str, suffix: str, symmetric: bool) -> None:
    named = generated(problem)
    size = named.instance.places.size
    matrix = torch.rand(1, size, size, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    matrix = (matrix + matrix.mT if symmetric else matrix) * (1 - torch.eye(size))
    named = dataclasses.replace(named, instance=dataclasses.replace(named.instance, places=from_matrix(matrix)))
    io.write(tmp_path / f"x{suffix}", named)
    assert same(io.read(tmp_path / f"x{suffix}").instance, named.instance)


def test_time_windows_as_vrplib(tmp_path: Path) -> None:
    named = dataclasses.replace(generated("cvrptw"), vehicles=4, comment="two\nlines")
    io.write(tmp_path / "x.vrp", named)
    again = io.read(tmp_path / "x.vrp")
    assert same(again.instance, named.instance)
    assert (again.vehicles, again.comment) == (4, "two lines")


def test_solomon_has_no_other_lengths(tmp_path: Path) -> None:
    named = generated("cvrptw")
    places = from_coords(named.instance.places.coords, "rounded")
    named = dataclasses.replace(named, instance=dataclasses.replace(named.instance, places=places))
    with pytest.raises(ValueError, match="no rounded lengths"):
        io.write(tmp_path / "x.txt", named)


@pytest.mark.parametrize(("problem", "form"), SOLUTIONS)
def test_solutions(tmp_path: Path, problem: str, form: str) -> None:
    named = generated(problem)
    path = tmp_path / f"solution{io.solution_formats(problem)[form].SUFFIX}"
    for seed in range(5):
        solution = rollout(named, seed)
        verdict = named.check(solution)
        assert verdict.feasible
        io.write_solution(path, named, solution, verdict.cost)
        assert io.read_solution(path, named) == solution
