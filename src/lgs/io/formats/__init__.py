"""How instances are written down, one file per format; the files in this folder are the list of formats.

A format has `TITLE`, `SUFFIX`, `PROBLEMS` (those it can write), `NATIVE` (those whose home it is) and

- `recognises(text, path) -> bool`: whether the text looks like this format, right or wrong;
- `read(text, path) -> Named`: raises a ReadError for whatever is wrong;
- `write(named) -> str`, unless `PROBLEMS` is empty: the text that `read` reads back exactly.
"""

from __future__ import annotations

from typing import Protocol, cast

from ..listing import modules
from ..named import Named


class Format(Protocol):
    TITLE: str
    SUFFIX: str
    PROBLEMS: tuple[str, ...]
    NATIVE: tuple[str, ...]

    def recognises(self, text: str, path: str) -> bool: ...
    def read(self, text: str, path: str) -> Named: ...
    def write(self, named: Named) -> str: ...


def formats() -> dict[str, Format]:
    """Every format by name."""
    return {name: cast(Format, module) for name, module in modules(__name__).items()}


def native(problem: str) -> Format:
    """The format that others exchange a problem's instances in."""
    for found in formats().values():
        if problem in found.NATIVE:
            return found
    raise ValueError(f"{problem} has no format of its own; use json")
