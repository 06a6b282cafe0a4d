"""Who watches a run: anything callable with a `Progress`, after the first population and after every step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from torch import Tensor

from .method import Info


@dataclass(frozen=True)
class Progress:
    """Where a run is."""

    iteration: int
    """0 after `init`."""
    seconds: float
    rollouts: int
    best: Tensor
    """[B] float64 best cost of each instance."""
    info: Info | None
    """The step's own word; None after `init`."""


class Observer(Protocol):
    def __call__(self, progress: Progress) -> None: ...
