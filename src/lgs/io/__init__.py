"""Files in and out: instances in the formats that people have, solutions in those that they share.

text.py, jsontext.py, tables.py, sections.py   text -> cells that know their line or field
formats/<format>.py                            cells -> named fields of one instance, and back
schemas/<problem>.py                           named fields -> the problem's instance, and back
solutions/<format>.py                          solutions
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypeVar

from ..problems import Solution
from .errors import ReadError
from .formats import Format, formats, native
from .named import Named
from .schemas import wrap
from .solutions import SolutionFormat
from .solutions import formats as solution_formats
from .text import MAX_NODES, load

F = TypeVar("F")

__all__ = [
    "Format",
    "Named",
    "ReadError",
    "check_writable",
    "formats",
    "native",
    "read",
    "read_solution",
    "solution_formats",
    "wrap",
    "write",
    "write_solution",
]


def read(path: str | os.PathLike[str]) -> Named:
    """The instance in a file, whatever its format and problem: both are recognised from the text."""
    text = load(Path(path))
    for found in formats().values():
        if found.recognises(text, str(path)):
            return found.read(text, str(path))
    known = ", ".join(found.TITLE for found in formats().values())
    raise ReadError(f"{path}: no known format ({known})")


def write(path: str | os.PathLike[str], named: Named) -> None:
    """Write an instance in the format that the file's suffix names; `read` reads it back exactly."""
    problem = named.problem.name
    if named.size > MAX_NODES:
        raise ValueError(f"{path}: {named.size} nodes are too many for a file (at most {MAX_NODES:,})")
    able = {found.SUFFIX: found for found in formats().values() if problem in found.PROBLEMS}
    Path(path).write_text(_by_suffix(path, able, problem).write(named), encoding="utf-8")


def read_solution(path: str | os.PathLike[str], named: Named) -> Solution:
    """A solution of `named`; it fits the instance, but nobody has checked yet that it is feasible."""
    return _solution_format(path, named.problem.name).read(load(Path(path)), str(path), named)


def write_solution(path: str | os.PathLike[str], named: Named, solution: Solution, cost: float) -> None:
    """Write a solution in the format that the file's suffix names; `cost` as people count it."""
    text = _solution_format(path, named.problem.name).write(named, solution, cost)
    Path(path).write_text(text, encoding="utf-8")


def check_writable(path: str | os.PathLike[str], problem: str | None = None) -> None:
    """Raise a ValueError if `path` cannot be written, before any work is spent on what goes there.

    With `problem`, also if no format of its solutions has that suffix.
    """
    if problem:
        _solution_format(path, problem)
    target = Path(path)
    if target.is_dir():
        raise ValueError(f"{path}: is a directory; name a file")
    if not target.parent.is_dir():
        raise ValueError(f"{path}: the directory {target.parent} does not exist")
    # Permissions do not say everything, so it is opened, and left as it was.
    existed = target.exists()
    try:
        with target.open("ab"):
            pass
        if not existed:
            target.unlink()
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror}") from None


def _solution_format(path: str | os.PathLike[str], problem: str) -> SolutionFormat:
    return _by_suffix(path, {found.SUFFIX: found for found in solution_formats(problem).values()}, problem)


def _by_suffix(path: str | os.PathLike[str], able: dict[str, F], problem: str) -> F:
    found = able.get(Path(path).suffix.lower())
    if found is None:
        raise ReadError(f"{path}: {problem} has files that end in {', '.join(able)}")
    return found
