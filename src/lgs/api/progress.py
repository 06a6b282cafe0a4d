"""What a callback hears while instances are solved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ..io import Named
from ..search import Progress as SearchProgress
from ..search import Target

MOST_STEPS = 1000
"""Steps that a solution remembers: with more, every second one is forgotten."""


class Step(NamedTuple):
    """One iteration of a search, of all the instances that are searched together."""

    seconds: float
    """Per instance."""
    acceptance: float | None
    """Share of proposals accepted, for methods that accept or reject."""
    mean: float
    """Mean cost of the population of the first instance, as people count it."""


@dataclass(frozen=True)
class Progress:
    """Where the search of a batch of instances is."""

    instances: tuple[Named, ...]
    costs: tuple[float, ...]
    """The best of each instance so far, as people count it; infinite while there is none."""
    seconds: float
    """Of the whole batch."""
    time_limit: float
    """Of the whole batch."""
    iteration: int
    rollouts: int
    """Per instance."""
    acceptance: float | None
    """Share of proposals accepted in this iteration, for methods that accept or reject."""

    @property
    def rate(self) -> float:
        """Rollouts per second, of all instances."""
        return self.rollouts * len(self.instances) / max(self.seconds, 1e-9)


class Watch:
    """An observer of one run: remembers its steps and tells the callback, in people's terms."""

    def __init__(
        self,
        instances: tuple[Named, ...],
        target: Target,
        time_limit: float,
        callback: Callable[[Progress], None] | None = None,
    ) -> None:
        self.steps: list[Step] = []
        self._instances, self._target, self._time_limit, self._callback = instances, target, time_limit, callback
        self._seen, self._stride = 0, 1

    def tell(self, iteration: int = 0, acceptance: float | None = None) -> None:
        """Let the callback know how things are."""
        if self._callback:
            sense, target = self._target.problem.sense, self._target
            costs = tuple((sense * target.best_costs).tolist())
            limit = self._time_limit
            self._callback(
                Progress(self._instances, costs, target.seconds, limit, iteration, target.rollouts, acceptance)
            )

    def __call__(self, progress: SearchProgress) -> None:
        info = progress.info
        acceptance = None if info is None or info.accepted is None else float(info.accepted.double().mean())
        if info is not None and self._seen % self._stride == 0:
            mean = self._target.problem.sense * float(info.costs[0].mean())
            self.steps.append(Step(progress.seconds / len(self._instances), acceptance, mean))
            if len(self.steps) > MOST_STEPS:
                self.steps, self._stride = self.steps[::2], 2 * self._stride
        self._seen += info is not None
        self.tell(progress.iteration, acceptance)
