"""The comparison of methods, the study behind the defaults, and their commands."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from lgs.cli import build
from lgs.model import save
from lgs.report import bootstrap, methods, tuning
from lgs.report.methods import Contestant, Runs
from lgs.search import algorithm1, lgs

from . import small


def runs(costs: Any) -> Runs:
    values = np.asarray(costs, dtype=np.float64)
    return Runs(values, values[:, :1], 1.0, 10.0, 3.0, None, True)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.safetensors"
    save(small.model("cvrp"), path)
    return path


class TestBootstrap:
    def test_covers_the_mean(self) -> None:
        """A 95% interval from 40 draws misses the true mean in about 1 of 20 cases: at most 30 of 200 here."""
        random = np.random.default_rng(0)
        missed = 0
        for _ in range(200):
            low, high = bootstrap.interval(random.normal(1.0, 2.0, 40))
            missed += not low <= 1.0 <= high
        assert missed <= 30

    def test_constant_values_have_no_width(self) -> None:
        assert bootstrap.interval(np.full(5, 2.5)) == (2.5, 2.5)


class TestContestant:
    def test_settings_in_the_name(self) -> None:
        who = Contestant.parse("lgs:lam=50:intervals=[1,2]:decoding=sampled:augment=4")
        assert (who.method, who.params.lam, who.params.intervals) == ("lgs", 50.0, (1, 2))
        assert who.decoding == "sampled" and who.augment == 4

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("nobody", "unknown method 'nobody'"),
            ("lgs:lam", "'lam' is not of the form setting=value"),
            ("lgs:speed=3", "unknown setting 'speed'"),
            ("lgs:augment=x", "lgs:augment=x: augment must be a whole number from 1, is 'x'"),
            ("lgs:augment=0", "augment must be a whole number from 1, is '0'"),
            ("lgs:decoding=best", "lgs:decoding=best: decoding must be one of greedy, sampled, is 'best'"),
        ],
    )
    def test_nonsense(self, text: str, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            Contestant.parse(text)

    def test_nobody_runs_twice_under_one_name(self) -> None:
        net, twice = small.model("cvrp"), [Contestant.parse("greedy"), Contestant.parse("greedy")]
        with pytest.raises(ValueError, match="greedy is there 2 times"):
            methods.compare(net, small.instances("cvrp"), twice, 0.01)


class TestFigures:
    comparison = methods.Comparison(
        np.asarray([1.0]),
        {"lgs": runs([[2.0, 4.0]]), "eas": runs([[2.5, 4.5], [3.5, 4.5]])},
        np.asarray([2.0, 2.0]),
        "x",
    )

    def test_by_hand(self) -> None:
        found = methods.figures(self.comparison)["methods"]
        assert list(found) == ["lgs", "eas"], "best first"
        assert found["lgs"]["cost"] == 3.0 and found["lgs"]["gap"] == pytest.approx(50.0)
        assert found["eas"]["above_lgs"]["mean"] == pytest.approx(0.75)
        assert found["eas"]["above_lgs"]["low"] == pytest.approx(0.5)
        assert "above_lgs" not in found["lgs"]

    def test_maximised(self) -> None:
        negative = methods.Comparison(np.asarray([1.0]), {"lgs": runs([[-9.0]])}, np.asarray([-10.0]), "x")
        found = methods.figures(negative, sense=-1)["methods"]["lgs"]
        assert found["cost"] == 9.0 and found["gap"] == pytest.approx(10.0)

    def test_table_names_everyone(self) -> None:
        text = methods.table(methods.figures(self.comparison))
        assert "eas" in text and "+0.7500 (+0.5000 to +1.0000)" in text


def test_reference_files(tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    path.write_text('{"costs": [1.0, 2.0]}')
    assert methods.load_reference(path, 2).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="2 reference costs for 3 instances"):
        methods.load_reference(path, 3)
    path.write_text("[]")
    with pytest.raises(ValueError, match="not a JSON file with reference costs"):
        methods.load_reference(path, 1)


def test_bench_methods(weights: Path, tmp_path: Path) -> None:
    plot = tmp_path / "out.png"
    arguments = ["bench", "methods", "--size", "6", "--instances", "3", "--batch", "2"]
    chosen = [
        "--seconds-per-instance",
        "0.02",
        "--method",
        "lgs:particles=5",
        "--method",
        "sampling:particles=5",
        "--method",
        "greedy",
    ]
    runner = CliRunner()
    result = runner.invoke(
        build(), [*arguments, *chosen, "--model", str(weights), "--json", "--plot", str(plot), "--seeds", "2"]
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert set(found["methods"]) == {"lgs:particles=5", "sampling:particles=5", "greedy"}
    for row in found["methods"].values():
        assert {"cost", "gap", "seconds", "rollouts"} <= row.keys() and row["feasible"] and row["gap"] >= 0
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_a_picture_that_cannot_be_written_does_not_cost_the_figures(weights: Path, tmp_path: Path) -> None:
    arguments = ["bench", "methods", "--size", "5", "--instances", "1", "--seconds-per-instance", "0", "--json"]
    chosen = ["--method", "greedy", "--model", str(weights), "--plot", str(tmp_path / "new" / "picture.nope")]
    result = CliRunner().invoke(build(), [*arguments, *chosen])
    assert result.exit_code != 0 and "greedy" in json.loads(result.stdout)["methods"]
    assert (tmp_path / "new").is_dir()


def test_an_interrupted_search_ends_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C and SIGTERM end one search with its best so far; the next must not begin."""
    begun = []

    def run(*arguments: Any) -> Any:
        begun.append(arguments)
        return SimpleNamespace(stopped="interrupted")

    monkeypatch.setattr(methods.search, "run", run)
    with pytest.raises(KeyboardInterrupt):
        methods.compare(small.model(), small.instances(batch=2), [Contestant.parse("lgs"), Contestant.parse("eas")], 1)
    assert len(begun) == 1


def found_before(trials: list[dict[str, Any]]) -> str:
    """lam of the best of the study's three starts: the one value that its factor need not try again."""
    lam: str = [trial for trial in trials[:3] if trial["kept"]][-1]["settings"]["lam"]
    return lam


def test_bench_tune(weights: Path, tmp_path: Path) -> None:
    out = tmp_path / "studies" / "tiny.json"
    result = CliRunner().invoke(
        build(),
        ["bench", "tune", "--size", "5", "--instances", "2", "--seconds-per-instance", "0.01", "--factor", "lam",
         "--model", str(weights), "--out", str(out)],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    found = json.loads(out.read_text())
    trials = found["trials"]
    assert [trial["factor"] for trial in trials] == ["paper", "released", "defaults", "lam", "lam"]
    tried = {trial["settings"]["lam"] for trial in trials[3:]} | {found_before(trials)}
    assert tried == {"100.0", "1000.0", "10000.0"}
    assert found["chosen"] == [trial for trial in trials if trial["kept"]][-1]["settings"]
    assert min(trial["cost"] for trial in trials) == [trial for trial in trials if trial["kept"]][-1]["cost"]


def test_study_settings_are_settings_of_lgs() -> None:
    for settings in (tuning.PAPER, tuning.PAPER | tuning.RELEASED, tuning.DEFAULTS):
        Contestant.parse(":".join(["lgs", *(f"{name}={value}" for name, value in settings.items())]))
    for name, values in tuning.FACTORS:
        for value in values:
            Contestant.parse(f"lgs:{name}={value}")
    defaults = Contestant.parse(":".join(["lgs", *(f"{name}={value}" for name, value in tuning.DEFAULTS.items())]))
    assert defaults.params == lgs.Params() and defaults.decoding == Contestant.parse("lgs").decoding
    paper = Contestant.parse(":".join(["lgs", *(f"{name}={value}" for name, value in tuning.PAPER.items())]))
    assert dataclasses.asdict(paper.params) == dataclasses.asdict(algorithm1.Params())


def test_a_value_brings_the_settings_that_go_with_it() -> None:
    before = {"part": "output", "rate": "0.001", "lam": "10"}
    assert tuning.with_value(before, "lam", "20") == {"part": "output", "rate": "0.001", "lam": "20"}
    after = tuning.with_value(before, "part", "keys:rate=0.01:decay=0.5")
    assert after == {"part": "keys", "rate": "0.01", "lam": "10", "decay": "0.5"}
    assert before["part"] == "output"
