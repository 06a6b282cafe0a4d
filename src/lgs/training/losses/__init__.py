"""Training losses, one file each: costs of K particles to the coefficients of their log-probabilities.

Every loss here is a score-function estimator,

    gradient = 1/B sum_i sum_k  decoder[i,k] grad log p_theta(y_ik | x_i, z_ik)
                            + encoder[i,k] grad log p_phi(z_ik | x_i),

so a loss is nothing but the choice of the two coefficients. A file's name is the loss's name in a recipe; it defines
a dataclass `Loss` of its settings.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

from ..typed import checked
from .base import Coefficients, LossFunction

__all__ = ["Coefficients", "LossFunction", "load", "names"]


def names() -> list[str]:
    """Every loss, by the name of its file."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "base")


def load(name: str, settings: dict[str, Any]) -> LossFunction:
    """The loss of this name with its settings."""
    if name not in names():
        raise ValueError(f"unknown loss {name!r}; known: {', '.join(names())}")
    kind = importlib.import_module(f"{__name__}.{name}").Loss
    loss: LossFunction = kind(**checked(kind, settings, f"loss {name!r}"))
    return loss
