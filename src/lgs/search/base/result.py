"""What a run hands back: the answer, and everything needed to run it again."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal

from torch import Tensor

from ...problems import Solution, Verdict
from .budget import Budget
from .trace import Trace

Stop = Literal["budget", "finished", "interrupted"]


@dataclass(frozen=True)
class Result:
    """The outcome of one run over B instances."""

    costs: Tensor
    """[B] float64, minimised."""
    actions: Tensor
    """[B, T] the best episode of each instance."""
    solutions: list[Solution]
    verdicts: list[Verdict]
    """The independent checker's word on each solution."""
    trace: Trace
    seconds: float
    rollouts: int
    """Per instance."""
    iterations: int
    acceptance: float | None
    """Share of proposals accepted, for methods that accept or reject."""
    stopped: Stop
    method: str
    params: dict[str, Any]
    problem: str
    decoding: str
    augment: int
    seed: int
    budget: Budget

    @property
    def feasible(self) -> bool:
        return all(verdict.feasible for verdict in self.verdicts)

    def settings(self) -> dict[str, Any]:
        """Everything but the weights and the instance that it takes to run this again, ready for JSON or TOML."""
        return {
            "method": self.method,
            "params": self.params,
            "decoding": self.decoding,
            "augment": self.augment,
            "seed": self.seed,
            "budget": {name: limit for name, limit in dataclasses.asdict(self.budget).items() if limit is not None},
        }
