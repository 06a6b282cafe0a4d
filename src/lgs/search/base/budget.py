"""When a search stops: whichever limit comes first."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Budget:
    """Limits of one run; None is no limit. Every run makes at least one rollout, so there is always a solution."""

    seconds: float | None = None
    """Wall clock for the whole batch, from the moment the target was made."""
    rollouts: int | None = None
    """Rollouts per instance, those of its images included."""
    iterations: int | None = None
    """Steps of the method."""
    target_cost: float | None = None
    """Enough once every instance has a solution of this cost."""

    def __post_init__(self) -> None:
        if self.seconds is not None and not (math.isfinite(self.seconds) and self.seconds >= 0):
            raise ValueError(f"a budget's seconds must be finite and not negative, is {self.seconds}")
        if self.rollouts is not None and self.rollouts < 1:
            raise ValueError(f"a budget of {self.rollouts} rollouts finds nothing; give it at least 1")
        if self.iterations is not None and self.iterations < 0:
            raise ValueError(f"a budget's iterations must not be negative, is {self.iterations}")


class Exhausted(Exception):
    """Raised by the target when the budget is used up; the run ends with the best so far."""
