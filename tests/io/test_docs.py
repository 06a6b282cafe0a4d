"""The examples of docs/file-formats.md are read as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lgs import io

PAGE = Path(__file__).parents[2] / "docs" / "file-formats.md"
EXAMPLES = dict(re.findall(r'```\w+ title="([\w.-]+)"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.S))
INSTANCES = {
    "square.tsp": ("tsp", 4),
    "three.vrp": ("cvrp", 4),
    "R3.txt": ("cvrptw", 3),
    "two.jsp": ("jobshop", 6),
    "taillard.txt": ("jobshop", 6),
    "items.kp": ("knapsack", 4),
    "bakery.json": ("cvrp", 3),
    "hours.json": ("cvrptw", 3),
    "items.json": ("knapsack", 3),
    "two.json": ("jobshop", 6),
    "bakery.csv": ("cvrp", 3),
    "matrix.csv": ("cvrp", 3),
}
SOLUTIONS = {"two-solution.json": "two.jsp", "bakery-solution.csv": "bakery.csv"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in EXAMPLES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_example_is_tried() -> None:
    assert set(EXAMPLES) == {*INSTANCES, *SOLUTIONS}


@pytest.mark.parametrize("name", INSTANCES)
def test_instances(folder: Path, name: str) -> None:
    named = io.read(folder / name)
    assert (named.problem.name, named.size) == INSTANCES[name]


@pytest.mark.parametrize("name", SOLUTIONS)
def test_solutions(folder: Path, name: str) -> None:
    named = io.read(folder / SOLUTIONS[name])
    assert named.check(io.read_solution(folder / name, named)).feasible


def test_every_format_is_described() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for found in io.formats().values():
        assert f"[{found.TITLE}]" in text
        assert f"`{found.SUFFIX}`" in text
