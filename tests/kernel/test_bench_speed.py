"""`lgs bench speed` prints what it promises."""

from __future__ import annotations

import json
import re

import pytest
from typer.testing import CliRunner

from lgs.cli import build
from lgs.cli.errors import UserError
from lgs.report import overhead, speed


def run(*arguments: str) -> str:
    result = CliRunner().invoke(build(), ["bench", "speed", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_json_has_every_figure() -> None:
    small = ("--problem", "cvrp", "--size", "5", "--particles", "4", "--instances", "2", "--rounds", "1")
    figures = json.loads(run(*small, "--json"))
    for what in ("rollout_greedy", "rollout_sampled", "gradient"):
        assert set(figures[what]) == {"native", "reference"}
        assert all(rate > 0 for rate in figures[what].values())
    assert figures["native_macs"] > 0 and figures["matmul_macs"] > 0
    assert all(figures["search"][part] > 0 for part in ("rollouts_ms", "iteration_ms", "update_ms"))


def test_people_read_the_overhead_of_a_search() -> None:
    last = run("--size", "5", "--particles", "4", "--instances", "1", "--rounds", "1").splitlines()[-1]
    assert re.fullmatch(r"search, algorithm1: .* ms an iteration, .* over its schedule \S+% is not rollouts, .*", last)


def test_shares_of_a_search_by_hand() -> None:
    """Eight iterations of 5 ms, 4 of them rollouts, and two updates of 10 ms: 60 ms, of which 32 are rollouts."""
    found = overhead.shares(0.004, 0.005, 0.010, (3, 5))
    assert found["overhead"] == pytest.approx(28 / 60) and found["updates"] == pytest.approx(20 / 60)


def test_growth_lists_the_sizes_asked_for() -> None:
    lines = run(
        "--problem", "tsp", "--sizes", "4,8", "--particles", "3", "--instances", "1", "--rounds", "1"
    ).splitlines()
    assert [line.split()[0] for line in lines] == ["n", "4", "8"]
    assert lines[1].split()[-1] == "1.00"


@pytest.mark.parametrize("sizes", ["many", "0,5", "5,,6"])
def test_sizes_that_are_no_numbers_are_said_in_one_line(sizes: str) -> None:
    with pytest.raises(UserError, match="--sizes"):
        run("--sizes", sizes)


def test_multiply_adds_count_every_node_of_every_step() -> None:
    case = speed.case("tsp", 7, particles=2, instances=1)
    assert speed.multiply_adds(case.tables, steps=14) == 3 * 128 * 7 * 14
