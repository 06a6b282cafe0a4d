"""docs/add-a-method.md, followed to the letter."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lgs import search

from . import test_methods as contract

PAGE = Path(__file__).parents[2] / "docs" / "add-a-method.md"
FILE, USE = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture(autouse=True)
def elite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's file, where the package looks for methods."""
    (tmp_path / "elite.py").write_text(FILE)
    monkeypatch.setattr(search, "__path__", [*search.__path__, str(tmp_path)])
    yield
    sys.modules.pop("lgs.search.elite", None)


def test_it_is_found_and_keeps_the_contract() -> None:
    assert "elite" in search.names()
    contract.test_params_are_frozen_and_documented("elite")
    contract.test_every_method_solves_every_problem("elite", "cvrp")
    contract.test_a_seed_is_a_result("elite", "sampled")
    contract.test_instances_of_a_batch_do_not_influence_one_another("elite")
    contract.test_the_smallest_budget_still_gives_a_solution("elite", {"rollouts": 1})
    contract.test_any_number_of_particles("elite", 1)


def test_it_runs_as_the_page_says(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(USE, str(PAGE), "exec"), {})
    assert re.match(r"tensor\(\[.*3000 True", capsys.readouterr().out)
