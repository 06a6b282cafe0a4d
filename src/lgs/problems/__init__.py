"""What is solved. One file per problem; the files in this folder are the list of problems."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from typing import Any

from .base import NONE, Context, Problem, Rules, Solution, Verdict
from .batched import Batched, concatenate

__all__ = [
    "NONE",
    "Batched",
    "Context",
    "Problem",
    "Rules",
    "Solution",
    "Verdict",
    "concatenate",
    "load",
    "names",
]

_HELPERS = {"base", "batched", "geometry", "routes"}


def names() -> list[str]:
    """Every problem, by the name of its file."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in _HELPERS)


def load(name: str, **options: Any) -> Problem[Any, Any]:
    """The problem of this name; `options` are what its class can be told, such as the machines of a job shop."""
    if name not in names():
        raise ValueError(f"unknown problem {name!r}; known: {', '.join(names())}")
    module = importlib.import_module(f"{__name__}.{name}")
    kinds = [
        kind
        for _, kind in inspect.getmembers(module, inspect.isclass)
        if issubclass(kind, Problem) and kind.__module__ == module.__name__
    ]
    if len(kinds) != 1:
        raise TypeError(f"{module.__file__} must define exactly one subclass of Problem, it defines {len(kinds)}")
    known = inspect.signature(kinds[0]).parameters
    for option in options:
        if option not in known:
            raise ValueError(f"{name} has no option {option!r}; it has {', '.join(known) or 'none'}")
    return kinds[0](**options)
