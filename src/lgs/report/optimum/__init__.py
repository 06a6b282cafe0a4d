"""Exact optima, one file per problem where computing them is easy; found by listing this folder."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from torch import Tensor


def names() -> list[str]:
    """The problems whose optimum is computed here."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def costs(problem: str, instance: Any) -> Tensor:
    """[B] float64 cost of an optimal solution of every instance."""
    optima: Tensor = importlib.import_module(f"{__name__}.{problem}").costs(instance)
    return optima
