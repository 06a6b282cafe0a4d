"""Settings given by people, as text or from TOML, turned into a method's `Params`."""

from __future__ import annotations

import ast
import dataclasses
import math
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

P = TypeVar("P")


class SettingsError(ValueError):
    """A setting that does not exist or has no such value."""


def require(name: str, value: float, at_least: float | None = None, above: float | None = None) -> None:
    """Raise unless a number is finite and in its range."""
    if not math.isfinite(value):
        raise SettingsError(f"{name} must be finite, is {value}")
    if at_least is not None and value < at_least:
        raise SettingsError(f"{name} must be at least {at_least:g}, is {value:g}")
    if above is not None and value <= above:
        raise SettingsError(f"{name} must be above {above:g}, is {value:g}")


def parse(kind: type[P], values: dict[str, Any]) -> P:
    """`kind` (a dataclass) with some fields given, as their own types or as text."""
    hints = get_type_hints(kind)
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for name in values:
        if name not in known:
            raise SettingsError(f"unknown setting {name!r}; known: {', '.join(known) or 'none'}")
    return kind(**{name: _value(name, hints[name], value) for name, value in values.items()})


def _value(name: str, kind: Any, value: Any) -> Any:
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise SettingsError(f"{name} must be one of {', '.join(get_args(kind))}, is {value!r}")
        return value
    if isinstance(value, str):
        value = _literal(name, value)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if get_origin(kind) is tuple:
        return _integers(name, value)
    if type(value) is not kind:
        raise SettingsError(f"{name} must be {kind.__name__}, is {value!r}")
    return value


def _literal(name: str, text: str) -> Any:
    spelled = {"true": True, "false": False}
    if text.lower() in spelled:
        return spelled[text.lower()]
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise SettingsError(f"{name}: cannot read {text!r} as a value") from error


def _integers(name: str, value: Any) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)) or not all(type(item) is int for item in value):
        raise SettingsError(f"{name} must be a list of whole numbers, is {value!r}")
    return tuple(value)
