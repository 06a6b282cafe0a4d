"""How solutions are looked for: one file per method in this folder, and what they share in `base`.

A method is found by its file's name; see docs/add-a-method.md. Importing this package costs nothing: methods
and torch are only loaded on use.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .base.budget import Budget, Exhausted
    from .base.diagnostics import ChainRecorder
    from .base.method import Info, Method
    from .base.observers import Observer, Progress
    from .base.result import Result
    from .base.run import run
    from .base.settings import SettingsError
    from .base.target import Target
    from .base.trace import Trace

__all__ = [
    "Budget",
    "ChainRecorder",
    "Exhausted",
    "Info",
    "Method",
    "Observer",
    "Progress",
    "Result",
    "SettingsError",
    "Target",
    "Trace",
    "load",
    "names",
    "parameters",
    "run",
]

_HOMES = {
    "Budget": "budget",
    "ChainRecorder": "diagnostics",
    "Exhausted": "budget",
    "Info": "method",
    "Method": "method",
    "Observer": "observers",
    "Progress": "observers",
    "Result": "result",
    "SettingsError": "settings",
    "Target": "target",
    "Trace": "trace",
    "run": "run",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.base.{_HOMES[name]}"), name)


def names() -> list[str]:
    """Every method, by the name of its file."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg)


def load(name: str) -> Method:
    """The method of this name."""
    if name not in names():
        raise ValueError(f"unknown method {name!r}; known: {', '.join(names())}")
    method: Any = importlib.import_module(f"{__name__}.{name}")
    found: Method = method
    return found


def parameters(name: str, values: dict[str, Any]) -> Any:
    """A method's `Params` with some settings given, from TOML or as text from the command line."""
    from .base.settings import SettingsError, parse

    try:
        return parse(load(name).Params, values)
    except SettingsError as error:
        raise SettingsError(f"method {name}: {error}") from error
