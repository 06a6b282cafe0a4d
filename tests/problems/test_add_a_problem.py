"""docs/add-a-problem.md, followed to the letter."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import lgs
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


def test_the_page_names_every_folder_with_a_file_per_problem() -> None:
    """What a new problem still lacks when the contract holds."""
    source = Path(lgs.__file__).parent
    folders = [folder for folder in source.rglob("*") if folder.is_dir() and folder != source / "problems"]
    expected = set()
    for folder in folders:
        named = {path.stem.rsplit("-", 1)[-1] for path in folder.iterdir() if path.suffix in (".py", ".toml")}
        if named >= set(problems.names()):
            expected.add(str(folder.relative_to(source)))
    assert "io/schemas" in expected
    assert set(re.findall(r"`([\w/]+)/[\w-]*orienteering\.\w+`", PAGE.read_text())) - {
        "src/lgs/problems", "tests/problems",
    } == expected  # fmt: skip
