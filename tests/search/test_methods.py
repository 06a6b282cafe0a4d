"""Every method in the folder keeps the same promises."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from lgs import problems, search
from lgs.problems.geometry import from_coords
from lgs.problems.tsp import Instance
from lgs.search import Budget, Result, Target

from . import small

LEAST, MOST = {"cmaes": 2}, {"single": 1}


def settings(name: str, particles: int = 7) -> Any:
    """A method's settings with few particles."""
    fields = {field.name for field in dataclasses.fields(search.load(name).Params)}
    allowed = max(LEAST.get(name, 1), min(particles, MOST.get(name, particles)))
    few = {"particles": allowed} if "particles" in fields else {}
    return search.parameters(name, few)


def solve(name: str, target: Target, particles: int = 7, **limits: Any) -> Result:
    return search.run(search.load(name), target, Budget(**limits), settings(name, particles))


@pytest.mark.parametrize("name", search.names())
def test_params_are_frozen_and_documented(name: str) -> None:
    method = search.load(name)
    assert method.__doc__ and method.__doc__.splitlines()[0].endswith(".")
    params = method.Params()
    field = dataclasses.fields(params)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(params, field, 1)


@pytest.mark.parametrize("problem", problems.names())
@pytest.mark.parametrize("name", search.names())
def test_every_method_solves_every_problem(name: str, problem: str) -> None:
    target = small.target(problem, batch=2, decoding="sampled")
    result = solve(name, target, iterations=3)
    assert result.feasible, result.verdicts
    assert [verdict.cost for verdict in result.verdicts] == pytest.approx(result.costs.tolist())
    best = torch.stack([point.best for point in result.trace.points])
    assert (best.diff(dim=0) <= 0).all() and torch.equal(best[-1], result.costs)
    assert result.rollouts >= result.iterations
    assert result.method == name and result.problem == problem


@pytest.mark.parametrize("decoding", ["greedy", "sampled"])
@pytest.mark.parametrize("name", search.names())
def test_a_seed_is_a_result(name: str, decoding: Any) -> None:
    first, second = (solve(name, small.target("cvrp", 2, decoding=decoding, seed=5), iterations=3) for _ in range(2))
    assert torch.equal(first.costs, second.costs) and torch.equal(first.actions, second.actions)


@pytest.mark.parametrize("name", search.names())
def test_instances_of_a_batch_do_not_influence_one_another(name: str) -> None:
    net, batch = small.model("tsp"), small.instances("tsp", 8, size=9)
    together = solve(name, Target(net, batch, decoding="sampled", seed=3), iterations=4)
    for b in (0, 5):
        alone = solve(name, Target(net, batch.rows([b]), decoding="sampled", seed=3 + b), iterations=4)
        assert torch.equal(alone.actions[0], together.actions[b])
        assert torch.allclose(
            torch.stack([point.best[0] for point in alone.trace.points])[-1], together.costs[b], rtol=0, atol=0
        )


@pytest.mark.parametrize("name", search.names())
@pytest.mark.parametrize("limits", [{"rollouts": 1}, {"seconds": 0.0}, {"iterations": 1}, {"target_cost": 1e9}])
def test_the_smallest_budget_still_gives_a_solution(name: str, limits: dict[str, Any]) -> None:
    result = solve(name, small.target("tsp"), **limits)
    assert result.feasible
    if "rollouts" in limits:
        assert result.rollouts == 1


@pytest.mark.parametrize("name", search.names())
def test_rollouts_never_exceed_the_budget(name: str) -> None:
    result = solve(name, small.target("tsp", augment=4), rollouts=30)
    assert 4 <= result.rollouts <= 30


@pytest.mark.parametrize("particles", [1, 2, 3, 11])
@pytest.mark.parametrize("name", search.names())
def test_any_number_of_particles(name: str, particles: int) -> None:
    target = small.target("tsp", size=5, decoding="sampled")
    assert solve(name, target, particles, iterations=2).feasible


@pytest.mark.parametrize("name", search.names())
def test_degenerate_instances(name: str) -> None:
    one_place = Instance(from_coords(torch.full((1, 5, 2), 0.5, dtype=torch.float64)))
    one_node = Instance(from_coords(torch.full((1, 1, 2), 0.5, dtype=torch.float64)))
    for instance in (one_place, one_node):
        result = solve(name, Target(small.model(), instance, decoding="sampled"), iterations=2)
        assert result.feasible and result.costs.tolist() == [0.0]


@pytest.mark.parametrize("name", search.names())
def test_capacity_of_the_largest_demand(name: str) -> None:
    instance = small.instances("cvrp", size=4)
    tight = dataclasses.replace(instance, capacity=instance.demands.amax(1))
    assert solve(name, Target(small.model("cvrp"), tight, decoding="sampled"), iterations=2).feasible


@pytest.mark.parametrize("name", search.names())
def test_models_without_latents(name: str) -> None:
    target = Target(small.model("cvrp", latent=0), small.instances("cvrp"), decoding="sampled")
    if name in ("adam", "sgld", "de", "cmaes"):
        with pytest.raises(ValueError, match="latent"):
            solve(name, target, iterations=1)
    else:
        assert solve(name, target, iterations=2).feasible


@pytest.mark.parametrize("name", ["lgs", "eas", "active", "adam"])
def test_learning_beats_a_single_population(name: str) -> None:
    """With an untrained model, methods that learn must find better tours than their first population."""
    first = solve("sampling", small.target("cvrp", 8, size=12, decoding="sampled"), particles=20, iterations=1)
    later = solve(name, small.target("cvrp", 8, size=12, decoding="sampled"), particles=20, iterations=40)
    assert later.costs.mean() < 0.95 * first.costs.mean()


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, lgs.search; print([m for m in ('torch', 'arviz', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_method_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        Path(str(search.__file__)).with_name("sampling.py").read_text().replace("from .base", "from lgs.search.base")
    )
    (tmp_path / "mine.py").write_text(source)
    monkeypatch.setattr(search, "__path__", [*search.__path__, str(tmp_path)])
    assert "mine" in search.names()
    assert solve("mine", small.target(), iterations=1).method == "mine"


def test_unknown_method_and_setting() -> None:
    with pytest.raises(ValueError, match="unknown method 'annealing'; known: active, adam"):
        search.load("annealing")
    with pytest.raises(ValueError, match="method lgs: unknown setting 'lamda'; known: particles, lam"):
        search.parameters("lgs", {"lamda": 1})
