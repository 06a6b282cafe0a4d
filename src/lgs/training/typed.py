"""Values from a TOML file as the fields of a dataclass: unknown names and wrong types are refused by name."""

from __future__ import annotations

import dataclasses
import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints


def checked(kind: type[Any], values: dict[str, Any], where: str, besides: tuple[str, ...] = ()) -> dict[str, Any]:
    """`values` as arguments of the dataclass `kind`: lists become tuples, whole numbers floats where asked for.

    Fields named in `besides` come from elsewhere.
    """
    fields = [field for field in dataclasses.fields(kind) if field.name not in besides]
    hints, known = get_type_hints(kind), [field.name for field in fields]
    for name in values:
        if name not in known:
            raise ValueError(f"{where}: unknown key {name!r}; known: {', '.join(known) or 'none'}")
    for field in fields:
        if field.default is field.default_factory is dataclasses.MISSING and field.name not in values:
            raise ValueError(f"{where}: {field.name} is missing")
    return {name: _value(hints[name], value, f"{where}: {name}") for name, value in values.items()}


def _value(hint: Any, value: Any, where: str) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        if value not in parts:
            raise ValueError(f"{where} must be one of {', '.join(map(repr, parts))}, is {value!r}")
        return value
    if origin in (Union, types.UnionType):
        return _value(parts[0], value, where)
    if origin is tuple:
        each = parts[0]
        length = None if parts[-1] is Ellipsis else len(parts)
        if not isinstance(value, list) or (length is not None and len(value) != length):
            raise ValueError(f"{where} must be a list of {length or 'one or more'} numbers, is {value!r}")
        return tuple(_value(each, item, where) for item in value)
    expected = origin or hint
    if expected is float and type(value) is int:
        return float(value)
    if type(value) is not expected:
        raise ValueError(f"{where} must be {_words(expected)}, is {value!r}")
    return value


def _words(kind: type[Any]) -> str:
    names = {int: "a whole number", float: "a number", str: "text", bool: "true or false", dict: "a table"}
    return names.get(kind, kind.__name__)
