"""JSON whose numbers stay text, so that decimals are exact and errors can quote them."""

from __future__ import annotations

import json
from typing import Any

from .errors import ReadError
from .text import MAX_NODES, Cell

_MAX_BRACKETS = 500_000
_MAX_VALUES = 5_000_000
"""Empty lists and short numbers take far more memory than the characters that they are written with."""


def parse(text: str, path: str) -> Any:
    """Objects, lists, strings (numbers too), True, False and None."""
    if text.count("[") + text.count("{") > _MAX_BRACKETS:
        raise ReadError(f"{path}: more than {_MAX_BRACKETS:,} lists and objects")
    if text.count(",") > _MAX_VALUES:
        raise ReadError(f"{path}: more than {_MAX_VALUES:,} values")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ReadError(f"{path}: field {twice!r} appears twice")
        return found

    try:
        return json.loads(
            text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=unique, strict=False
        )
    except json.JSONDecodeError as error:
        raise ReadError(f"{path}:{error.lineno}: not valid JSON: {error.msg} (column {error.colno})") from None
    except RecursionError:
        raise ReadError(f"{path}: lists within lists without end") from None


def cell(value: Any, where: str) -> Cell:
    """A number or string."""
    if not isinstance(value, str):
        raise ReadError(f"{where}: a number or text expected, not {_kind(value)}")
    return Cell(value, where)


def column(value: Any, where: str) -> list[Cell]:
    """A list of numbers or strings."""
    return [cell(entry, f"{where}[{i}]") for i, entry in enumerate(items(value, where))]


def items(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise ReadError(f"{where}: a list expected, not {_kind(value)}")
    if len(value) > MAX_NODES:
        raise ReadError(f"{where}: {len(value)} values are too many (at most {MAX_NODES:,})")
    return value


def words(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise ReadError(f"{where}: text expected, not {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    if isinstance(value, (dict, list)):
        return "a list" if isinstance(value, list) else "an object"
    return repr(value[:20]) if isinstance(value, str) else json.dumps(value)
