"""How the best cost fell over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from torch import Tensor


class Point(NamedTuple):
    seconds: float
    rollouts: int
    """Per instance."""
    best: Tensor
    """[B] float64, the best cost of each instance by then."""


@dataclass(frozen=True)
class Trace:
    """A point whenever an instance improved, and one at the end."""

    points: list[Point] = field(default_factory=list)

    def note(self, seconds: float, rollouts: int, best: Tensor) -> None:
        self.points.append(Point(seconds, rollouts, best.clone()))

    def at(self, seconds: float) -> Tensor | None:
        """[B] the best costs known at a moment; None before the first."""
        best = None
        for point in self.points:
            if point.seconds > seconds:
                break
            best = point.best
        return best
