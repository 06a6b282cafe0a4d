"""`lgs bench quality` and the exact optima it measures against."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from lgs import cli, problems
from lgs.model import LGSNet, weights
from lgs.problems.knapsack import Instance
from lgs.report import benchmark, optimum, quality
from lgs.training import validation

from ..search import small


@st.composite
def knapsacks(draw: st.DrawFn) -> Instance:
    """Up to ten items with zeros, ties and capacities from nothing to everything."""
    count = draw(st.integers(1, 10))
    heavy = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    dear = draw(st.lists(st.integers(0, 12), min_size=count, max_size=count))
    capacity = draw(st.integers(0, sum(heavy) + 1))
    values = torch.tensor([dear], dtype=torch.float64) / 7
    return Instance(torch.tensor([heavy]), values, torch.tensor([capacity]))


def by_trying(instance: Instance) -> float:
    rows = list(zip(instance.weights[0].tolist(), instance.values[0].tolist()))
    choices = itertools.product((0, 1), repeat=len(rows))
    fitting = [c for c in choices if sum(w for x, (w, _) in zip(c, rows) if x) <= int(instance.capacity[0])]
    return max(sum(v for x, (_, v) in zip(choice, rows) if x) for choice in fitting)


@given(knapsacks())
@settings(max_examples=150, deadline=None)
def test_knapsack_optimum_of_small_instances(instance: Instance) -> None:
    assert -optimum.costs("knapsack", instance).item() == pytest.approx(by_trying(instance), abs=1e-12)


def test_knapsack_optimum_against_a_table_over_capacities() -> None:
    """Sixty items with coarse weights, where the textbook's dynamic program is exact."""
    generator = torch.Generator().manual_seed(2)
    heavy = torch.randint(1, 60, (5, 60), generator=generator)
    dear = torch.rand(5, 60, generator=generator, dtype=torch.float64)
    instance = Instance(heavy, dear, torch.full((5,), 500))
    for row in range(5):
        table = torch.zeros(501, dtype=torch.float64)
        for weight, value in zip(heavy[row].tolist(), dear[row].tolist()):
            table[weight:] = torch.maximum(table[weight:], table[:-weight] + value)
        assert -optimum.costs("knapsack", instance)[row].item() == pytest.approx(table[500].item(), abs=1e-9)


def test_optima_are_found_for_known_problems() -> None:
    assert set(optimum.names()) <= set(problems.names())


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.safetensors"
    weights.save(small.model("knapsack"), path, {"problem": "knapsack"})
    return path


def test_figures_are_those_of_the_costs() -> None:
    """Recomputed from the definitions: the best, the mean, and one latent for all, against the optimum."""
    net = small.model("knapsack")
    yardstick = quality.generated(net, 8, 6)
    found = quality.measure(net, yardstick)
    costs = validation.evaluate(net, yardstick.instance, 100)
    single = validation.evaluate(net, yardstick.instance, 100, same=True)
    best = -optimum.costs("knapsack", yardstick.instance)
    for name, cost in (("best_of_100", costs.amin(-1)), ("mean", costs.mean(-1)), ("single_z", single.amin(-1))):
        assert found[name] == pytest.approx(-cost.mean().item())
        assert found[f"{name}_gap"] == pytest.approx(100 * ((best + cost) / best).mean().item())
        assert found[f"{name}_gap"] >= -1e-9
    margin = found["latent_margin"]
    assert margin["mean"] == pytest.approx(found["single_z_gap"] - found["best_of_100_gap"])
    assert margin["low"] <= margin["mean"] <= margin["high"]
    assert (single == single[:, :1]).all(), "one latent and free starts: one greedy episode"
    assert costs.amin(-1).le(single.amin(-1)).all() and (costs != costs[:, :1]).any()


def lgs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["lgs", "bench", "quality", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    code = stopped.value.code or 0
    assert isinstance(code, int)
    return code, *capsys.readouterr()


def test_the_command(model: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["--problem", "knapsack", "--size", 8, "--instances", 5, "--weights", model]
    code, out, err = lgs(capsys, monkeypatch, *words, "--json")
    found = json.loads(out)
    assert code == 0, err
    assert (found["weights"], found["reference"], found["set"]) == (str(model), "optimum", "validation")
    assert all(found[key] >= -1e-9 for key in ("best_of_100_gap", "mean_gap", "single_z_gap"))
    assert lgs(capsys, monkeypatch, *words, "--json")[1] == out, "the same figures again"
    _, table, _ = lgs(capsys, monkeypatch, *words, "--seed", 9)
    assert "knapsack 8, 5 instances (generated, seed 9)" in table and "best of 100" in table


def references(folder: Path, **changes: Any) -> Path:
    path = folder / "references.json"
    values = {"problem": "tsp", "size": 6, "solver": "by hand", "first": 2, "costs": [2.0, 3.0, 2.5]}
    path.write_text(json.dumps({key: value for key, value in (values | changes).items() if value is not None}))
    return path


def test_the_papers_set_with_given_references(tmp_path: Path) -> None:
    net = small.model("tsp")
    yardstick = quality.published(net, 6, 2, references(tmp_path))
    expected = net.problem.paper_set(6, 4).rows([2, 3])
    assert torch.equal(yardstick.instance.places.coords, expected.places.coords)
    assert yardstick.name == "by hand" and yardstick.instances == "paper"
    assert yardstick.costs is not None and yardstick.costs.tolist() == [2.0, 3.0]
    found = quality.measure(net, yardstick)
    assert found["reference_mean"] == 2.5
    assert "by hand" in quality.table(
        {"problem": "tsp", "size": 6, "instances": 2, "set": "paper", "weights": "x"} | found
    )


@pytest.mark.parametrize(
    ("changes", "size", "words"),
    [
        ({"problem": "cvrp"}, 6, "made for problem cvrp, not tsp"),
        ({}, 7, "made for size 6, not 7"),
        ({"costs": [1.0]}, 6, "has 1 costs, 2 instances asked for; lower --instances"),
        ({"costs": None}, 6, "not a file of references"),
    ],
)
def test_references_that_do_not_fit(tmp_path: Path, changes: dict[str, Any], size: int, words: str) -> None:
    with pytest.raises(ValueError) as caught:
        quality.published(small.model("tsp"), size, 2, references(tmp_path, **changes))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_two_sets_at_once_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _, err = lgs(capsys, monkeypatch, "--references", references(tmp_path), "--seed", 3)
    assert code == 2 and err.startswith("lgs: --references measures the paper's test set") and err.count("\n") == 1


def test_own_instances_without_a_reference() -> None:
    net = small.model("jobshop")
    yardstick = quality.generated(net, 3, 2, seed=5)
    found = quality.measure(net, yardstick)
    assert yardstick.costs is None and found["reference"] == "none"
    assert "best_of_100_gap" not in found and found["best_of_100"] <= found["mean"]


def test_validation_references_are_used_where_they_exist() -> None:
    net = small.model("tsp")
    yardstick = quality.generated(net, 100, 3)
    assert yardstick.costs is not None and yardstick.name == validation.solver("tsp", 100)
    assert torch.equal(yardstick.costs, validation.references("tsp", 100, 3))


def test_weights_are_found_by_problem_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "SHIPPED", tmp_path)
    made: dict[str, LGSNet] = {name: small.model(name) for name in ("cvrp", "cvrptw", "jobshop", "knapsack")}
    for name in ("cvrp50", "cvrp100", "cvrptw100", "jobshop10x10", "knapsack"):
        weights.save(made[name.rstrip("0123456789x")], tmp_path / f"{name}.safetensors")
    chosen = {
        ("cvrp", 60): "cvrp50", ("cvrp", 200): "cvrp100", ("cvrptw", 20): "cvrptw100", ("jobshop", 6): "jobshop10x10",
        ("knapsack", 50): "knapsack",
    }  # fmt: skip
    for (problem, size), name in chosen.items():
        assert benchmark.model(problem, size)[1] == name
    with pytest.raises(ValueError, match="no weights for tsp"):
        benchmark.model("tsp", 100)
