"""`import lgs`: instances from arrays and files, solutions, what happens at the edges."""

from __future__ import annotations

import doctest
import itertools
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import lgs
from lgs import api, io, problems
from lgs.api import capacity

from .io.samples import VRP
from .search.small import SIZES

COORDS = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [0.0, 8.0], [5.0, 1.0]]
MATRIX = np.array([[0, 2, 9, 9], [9, 0, 2, 9], [9, 9, 0, 2], [2, 9, 9, 0]])


def shortest(named: lgs.Named) -> float:
    return min(named.check([[0, *rest]]).cost for rest in itertools.permutations(range(1, named.size)))


def random(problem: str, seed: int = 3, size: int | None = None) -> lgs.Named:
    instance = problems.load(problem).generate(1, size or SIZES[problem], torch.Generator().manual_seed(seed))
    return io.wrap(problem, instance, f"{problem}-{seed}")


# -- instances from numbers ----------------------------------------------------------------------------
def test_problems_from_arrays() -> None:
    assert lgs.Problem.tsp(coords=np.array(COORDS)).check([[0, 1, 2, 3, 4]]).feasible
    assert lgs.Problem.tsp(matrix=MATRIX).check([[0, 1, 2, 3]]).cost == 8
    assert lgs.Problem.tsp(coords=[[0, 0], [1, 1]], metric="rounded").check([[0, 1]]).cost == 2
    cvrp = lgs.Problem.cvrp(COORDS, demand=np.array([0, 1, 2, 1, 1]), capacity=3, names=["d", "a", "b", "c", "e"])
    assert cvrp.check([[1, 2], [3, 4]]).feasible and not cvrp.check([[1, 2, 3, 4]]).feasible
    assert cvrp.label(1) == "a"
    hours: dict[str, Any] = {"ready": [0] * 5, "due": [100, 5, 100, 100, 100], "service": [0, 1, 1, 1, 1]}
    cvrptw = lgs.Problem.cvrptw(COORDS, [0, 1, 1, 1, 1], 9, **hours)
    assert cvrptw.check([[1, 2, 3, 4]]).feasible and not cvrptw.check([[2, 1, 3, 4]]).feasible
    assert lgs.Problem.knapsack([2, 3], [5, 6], capacity=3).check([[2]]).cost == -6
    assert lgs.Problem.jobshop([[2, 3], [4, 1]], [[0, 1], [1, 0]]).check([[0, 4], [0, 4]]).cost == 7


def test_problems_from_columns_of_a_table() -> None:
    """Whatever NumPy makes an array of will do: pandas columns are such things."""

    class Column:
        def __init__(self, values: list[Any]) -> None:
            self.values = values

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.asarray(self.values, dtype=dtype)

    named = lgs.Problem.cvrp(Column(COORDS), demand=Column([0, 1, 2, 1, 1]), capacity=3)  # type: ignore[arg-type]
    assert named.size == 5 and named.check([[1, 2], [3, 4]]).feasible


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: lgs.Problem.tsp(), "coordinates or a matrix"),
        (lambda: lgs.Problem.tsp(coords=[[0, 0], [1, float("nan")]]), "NaN"),
        (lambda: lgs.Problem.tsp(coords=[[0, 0, 0]]), "x and y"),
        (lambda: lgs.Problem.tsp(coords=COORDS, metric="taxi"), "metric"),
        (lambda: lgs.Problem.cvrp(COORDS, demand=[0, 1, 1, 1, -1], capacity=3), "demand[4]"),
        (lambda: lgs.Problem.cvrp(COORDS, demand=[0, 1], capacity=3), "2 values for 5 nodes"),
        (lambda: lgs.Problem.cvrp(COORDS, demand=[0, 1, 1, 1, 1], capacity=0), "capacity"),
        (lambda: lgs.Problem.jobshop([[1, 2]], [[0, 5]]), "machine '5' of job 1"),
    ],
)
def test_bad_numbers_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError) as error:
        make()
    assert message in str(error.value)


# -- solving ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("problem", problems.names())
def test_every_problem_is_solved_and_written(problem: str, weights: dict[str, Path], tmp_path: Path) -> None:
    named = random(problem)
    solution = lgs.solve(named, time_limit=0.2, model=str(weights[problem]), seed=5)
    assert solution.feasible and solution.violations == ()
    assert solution.cost == named.problem.sense * named.check(solution.routes).cost
    assert (solution.method, solution.seed, solution.interrupted) == ("lgs", 5, False)
    costs = [named.problem.sense * point.cost for point in solution.trace]
    assert costs == sorted(costs, reverse=True) and costs[-1] == pytest.approx(named.problem.sense * solution.cost)
    solution.write(tmp_path / "answer.json")
    assert io.read_solution(tmp_path / "answer.json", named) == solution.routes
    data = json.loads(solution.to_json())
    assert (data["cost"], data["solution"], data["feasible"]) == (solution.cost, solution.solution, True)


def test_a_small_tour_is_optimal(weights: dict[str, Path]) -> None:
    named = lgs.Problem.tsp(COORDS)
    solution = lgs.solve(named, time_limit=30, target=shortest(named) + 1e-9, model=str(weights["tsp"]))
    assert solution.cost == pytest.approx(shortest(named))
    assert sorted(solution.solution) == [1, 2, 3, 4, 5]


def test_a_file_is_solved_and_its_numbers_kept(weights: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "small.vrp").write_text(VRP)
    solution = lgs.solve(tmp_path / "small.vrp", time_limit=0.1, model=str(weights["cvrp"]))
    named = lgs.read(tmp_path / "small.vrp")
    assert named.check(solution.routes).feasible
    if named.reference is not None:
        assert solution.gap == pytest.approx(100 * (solution.cost - named.reference) / named.reference)


def test_many_are_solved_in_their_order_and_each_as_if_alone(weights: dict[str, Path]) -> None:
    """One batch of equal shapes: instance b sees the random numbers of seed + b."""
    named = [random("tsp", 1), random("tsp", 2, size=4), random("tsp", 3)]
    settings: dict[str, Any] = {"method": "sampling:particles=7", "time_limit": 0.3, "model": str(weights["tsp"])}
    together = lgs.solve_many(named, seed=4, **settings)
    assert [solution.instance.name for solution in together] == ["tsp-1", "tsp-2", "tsp-3"]
    assert [solution.seed for solution in together] == [4, 4, 5]
    assert all(one.check(solution.routes).feasible for one, solution in zip(named, together))
    assert sorted(together[1].routes[0]) == [0, 1, 2, 3]


def test_the_initial_solution_is_never_lost(weights: dict[str, Path]) -> None:
    named = lgs.Problem.tsp(matrix=MATRIX)
    for augment in (1, 8):
        solution = lgs.solve(
            named, time_limit=0.05, initial=[[0, 1, 2, 3]], model=str(weights["tsp"]), augment=augment, method="greedy"
        )
        assert solution.cost == 8
    again = lgs.solve(named, time_limit=0.05, initial=solution, model=str(weights["tsp"]), method="greedy")
    assert again.cost == 8


def test_an_initial_solution_that_does_not_fit_is_refused(weights: dict[str, Path]) -> None:
    named = lgs.Problem.cvrp(COORDS, demand=[0, 1, 1, 1, 1], capacity=2)
    with pytest.raises(ValueError, match=r"initial solution does not fit cvrp: route 1 carries 4 of 2"):
        lgs.solve(named, initial=[[1, 2, 3, 4]], model=str(weights["cvrp"]))


def test_what_no_vehicle_can_carry_is_said_without_a_search() -> None:
    """Not even weights are needed to see it."""
    named = lgs.Problem.cvrp(COORDS, demand=[0, 1, 7.5, 1, 1], capacity=3)
    solution = lgs.solve(named, model="no such weights")
    assert not solution.feasible and solution.rollouts == 0
    assert solution.violations == ("customer 2 demands 7.5, more than the vehicle's capacity of 3",)
    assert json.loads(solution.to_json())["cost"] is None


def test_a_customer_out_of_reach_is_named() -> None:
    hours: dict[str, Any] = {"ready": [0, 0, 0], "due": [18, 4, 100], "service": [0, 0, 0]}
    named = lgs.Problem.cvrptw([[0, 0], [3, 4], [6, 8]], [0, 1, 1], 5, **hours)
    solution = lgs.solve(named, model="no such weights")
    assert [fault.split(" ")[1] for fault in solution.violations] == ["1", "2"]


def test_more_vehicles_than_the_file_states_are_noted(weights: dict[str, Path]) -> None:
    """Eight would fit into three times three, but no two of these customers fit together."""
    named = lgs.Problem.cvrp(COORDS, demand=[0, 2, 2, 2, 2], capacity=3, vehicles=3)
    solution = lgs.solve(named, time_limit=0.05, model=str(weights["cvrp"]))
    assert solution.feasible and solution.notes == ("uses 4 vehicles, the file states 3",)


def test_progress_is_told_and_an_interruption_keeps_the_best(weights: dict[str, Path]) -> None:
    heard: list[lgs.Progress] = []

    def listen(progress: lgs.Progress) -> None:
        heard.append(progress)
        if progress.iteration == 2:
            raise KeyboardInterrupt

    named = random("cvrp")
    solution = lgs.solve(named, time_limit=600, model=str(weights["cvrp"]), particles=8, callback=listen)
    assert solution.interrupted and solution.feasible
    assert [progress.iteration for progress in heard] == [0, 0, 1, 2]
    assert heard[-1].costs == (pytest.approx(solution.cost),)
    assert all(0 <= progress.acceptance <= 1 for progress in heard if progress.acceptance is not None)


def test_an_interruption_before_the_first_iteration_keeps_the_first_look(weights: dict[str, Path]) -> None:
    def stop(progress: lgs.Progress) -> None:
        raise KeyboardInterrupt

    solution = lgs.solve(random("cvrp"), time_limit=600, model=str(weights["cvrp"]), callback=stop)
    assert solution.interrupted and solution.feasible and solution.rollouts == api.batches.FIRST_LOOK


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"time_limit": 0}, "time limit"),
        ({"time_limit": float("inf")}, "time limit"),
        ({"particles": 0}, "particles"),
        ({"method": "nope"}, "unknown method"),
        ({"method": "lgs:nope=1"}, "unknown setting"),
        ({"augment": 3}, "augment must be 1, 4 or 8"),
        ({"seed": -1}, "seed"),
        ({"memory": 0.1}, "memory limit"),
        ({"memory": 0}, "memory limit"),
        ({"model": "nope"}, "no weights 'nope'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(
    settings: dict[str, Any], message: str, weights: dict[str, Path]
) -> None:
    with pytest.raises(ValueError) as error:
        lgs.solve(random("tsp"), **{"model": str(weights["tsp"]), **settings})
    assert message in str(error.value)


def test_images_are_refused_where_there_are_none(weights: dict[str, Path]) -> None:
    with pytest.raises(ValueError, match="knapsack has no symmetries"):
        lgs.solve(random("knapsack"), augment=8, model=str(weights["knapsack"]))


def test_an_instance_that_is_too_large_is_refused_before_anything_is_loaded() -> None:
    named = lgs.Problem.tsp(coords=np.arange(2 * capacity.MAX_NODES + 2).reshape(-1, 2))
    with pytest.raises(ValueError, match=r"has 1002 nodes; lgs solves up to 1001"):
        lgs.solve(named, model="no such weights")


# -- capacity ---------------------------------------------------------------------------------------
def test_populations_fit_time_and_memory() -> None:
    small, large = random("cvrp", size=100), random("cvrp", size=1000)
    assert capacity.particles(small, 1, 10, 4, 600) == 600
    assert capacity.particles(small, 8, 10, 4, 600) < 600
    assert capacity.particles(small, 1, 1, 4, 600) < 600
    assert capacity.particles(large, 1, 10, 4, 600) == capacity.FEWEST
    for named, images, limit in itertools.product((small, large), (1, 8), (1.0, 4.0)):
        if capacity.memory(named, 1, images) < (limit - 0.4) * 2**30:
            count = capacity.particles(named, images, 60, limit, 600)
            assert capacity.together(named, count, images, limit) >= 1


def test_the_package_is_imported_without_torch() -> None:
    code = "import sys, lgs; assert 'torch' not in sys.modules; lgs.Problem; assert 'torch' in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    with pytest.raises(AttributeError):
        lgs.nothing  # noqa: B018
    assert set(lgs.__all__) <= set(dir(lgs)) and all(getattr(lgs, name) for name in lgs.__all__)


@pytest.mark.parametrize("module", [api.problem, api.run])
def test_the_examples_in_the_docstrings_run(module: Any) -> None:
    failed, tried = doctest.testmod(module, extraglobs={"lgs": lgs})
    assert failed == 0 and (tried > 0)


def test_the_python_of_the_page_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_page("solve.md") == 2
    assert "rollouts/s" in capsys.readouterr().out


def test_the_python_of_the_reference_runs() -> None:
    assert run_page("api/lgs.md") == 1


def run_page(name: str) -> int:
    """Run the Python of a page of the documentation; how many blocks of it there are."""
    page = Path(__file__).parents[1] / "docs" / name
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
    exec(compile("\n".join(blocks), str(page), "exec"), {})
    return len(blocks)
