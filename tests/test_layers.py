"""Imports point one way: a file may use its own layer and those before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import lgs
from lgs import problems

LAYERS = (
    "problems", "io", "model", "kernel", "rollout", "subset", "training", "search", "report", "api", "cli",
)  # fmt: skip
SOURCE = Path(lgs.__file__).parent


def imported(path: Path, root: Path) -> Iterator[tuple[int, str]]:
    """(line, layer) of every import of the package in a file, also inside functions and under TYPE_CHECKING."""
    package = [root.name, *path.relative_to(root).parent.parts]
    for node in ast.walk(ast.parse(path.read_text(), str(path))):
        names: list[list[str]] = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            origin = package[: len(package) - node.level + 1] if node.level else []
            origin = origin + (node.module.split(".") if node.module else [])
            names = [[*origin, alias.name] for alias in node.names]
        for name in names:
            if name[0] == root.name and len(name) > 1:
                yield node.lineno, name[1]


def wrong_imports(root: Path) -> list[str]:
    faults = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        layer = relative.parts[0].removesuffix(".py")
        if layer in ("__init__", "__main__"):
            continue
        if layer not in LAYERS:
            faults.append(f"{relative}: {layer} has no place among the layers")
            continue
        for line, other in imported(path, root):
            if other in LAYERS and LAYERS.index(other) > LAYERS.index(layer):
                faults.append(f"{relative}:{line}: {layer} must not import {other}")
    return faults


def named_problems(root: Path) -> list[str]:
    """Comparisons with a problem's name: what a problem is like is said by the problem.

    File formats are exempt: which problems they hold, and by what keyword, is what they are about.
    """
    faults = []
    for path in sorted(root.rglob("*.py")):
        relative = path.relative_to(root)
        if relative.parts[0] == "problems" or relative.parts[:2] == ("io", "formats"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Compare):
                texts = {leaf.value for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)}
                if texts & set(problems.names()):
                    faults.append(f"{relative}:{node.lineno}: compares with the name of a problem")
    return faults


def test_imports_point_only_to_earlier_layers() -> None:
    assert wrong_imports(SOURCE) == []


def test_problems_know_no_network() -> None:
    for path in sorted((SOURCE / "problems").rglob("*.py")):
        tree = ast.parse(path.read_text())
        attributes = {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        assert not any(name.startswith(("torch.nn.Module", "nn.")) for name in attributes), path


@pytest.mark.parametrize(
    ("layer", "line", "fault"),
    [
        ("problems", "from ..model import LGSNet", "problems must not import model"),
        ("problems", "from .. import search", "problems must not import search"),
        ("kernel", "import lgs.rollout", "kernel must not import rollout"),
        ("model", "def late():\n    from lgs.training.trainer import train", "model must not import training"),
        ("search", "if TYPE_CHECKING:\n    from ..report import tables", "search must not import report"),
        ("plugins", "", "plugins has no place among the layers"),
    ],
)
def test_an_import_the_wrong_way_is_caught(tmp_path: Path, layer: str, line: str, fault: str) -> None:
    folder = tmp_path / "lgs" / layer
    folder.mkdir(parents=True)
    (folder / "wrong.py").write_text(line + "\n")
    (found,) = wrong_imports(tmp_path / "lgs")
    assert found.startswith(f"{layer}/wrong.py:") and found.endswith(fault)


@pytest.mark.parametrize("line", ["from ..problems import Problem", "from . import sibling", "import lgs.model.tables"])
def test_imports_of_earlier_layers_are_fine(tmp_path: Path, line: str) -> None:
    (tmp_path / "lgs" / "kernel").mkdir(parents=True)
    (tmp_path / "lgs" / "kernel" / "right.py").write_text(line + "\n")
    assert wrong_imports(tmp_path / "lgs") == []


def test_no_code_asks_which_problem_it_is() -> None:
    assert named_problems(SOURCE) == []


def test_code_that_asks_is_caught(tmp_path: Path) -> None:
    (tmp_path / "search").mkdir()
    (tmp_path / "search" / "odd.py").write_text('def f(problem):\n    return problem.name in ("tsp", "cvrp")\n')
    assert named_problems(tmp_path) == ["search/odd.py:2: compares with the name of a problem"]


DOCUMENT = SOURCE.parents[1] / "docs" / "architecture.md"


def test_the_documented_tree_is_the_tree() -> None:
    """Layers in their order, and nothing in the package that the page leaves out."""
    tree = re.findall(r"^  (\w+)(?:/|\.py) ", DOCUMENT.read_text(), re.MULTILINE)
    assert [name for name in tree if name in LAYERS] == list(LAYERS)
    there = {path.stem for path in SOURCE.iterdir() if not path.name.startswith("_")}
    assert set(tree) == there


def test_the_architecture_names_files_that_exist() -> None:
    named = set(re.findall(r"`([\w/.-]+(?:/|\.py|\.cpp))`", DOCUMENT.read_text()))
    assert len(named) > 40
    missing = [name for name in named if not any((root / name).exists() for root in (SOURCE, SOURCE.parents[1]))]
    assert missing == []


def test_the_architecture_says_where_every_file_is() -> None:
    """By its name, or as one of a folder whose files are a list; what a package's own files share may be left out."""
    text = DOCUMENT.read_text()
    for layer in ("problems", "model", "kernel"):
        for path in sorted((SOURCE / layer).glob("*.py")):
            listed = layer == "problems" and path.stem in problems.names()
            assert listed or f"{layer}/{path.name}" in text or path.name == "__init__.py", path
