"""docs/add-a-problem.md, followed to the letter."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lgs import problems

from .contract import CHECKS

PAGE = Path(__file__).parents[2] / "docs" / "add-a-problem.md"
FILE, USE = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.fixture
def orienteering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The page's file, where the package looks for problems."""
    (tmp_path / "orienteering.py").write_text(FILE)
    monkeypatch.setattr(problems, "__path__", [*problems.__path__, str(tmp_path)])
    yield
    sys.modules.pop("lgs.problems.orienteering", None)


@pytest.mark.usefixtures("orienteering")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_pages_problem_keeps_the_contract(check: Any) -> None:
    assert "orienteering" in problems.names()
    check(problems.load("orienteering"))


@pytest.mark.usefixtures("orienteering")
def test_the_pages_problem_is_decoded(capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(USE, str(PAGE), "exec"), {})
    assert re.match(r"\[\[\d+(, \d+)*\]\] tensor\(\d", capsys.readouterr().out)


@pytest.mark.usefixtures("orienteering")
def test_the_page_names_every_attribute_of_the_contract() -> None:
    text = PAGE.read_text()
    assert {name for name in problems.Problem.__annotations__ if f"| `{name}` |" not in text} == set()
