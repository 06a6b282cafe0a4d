"""What a method is: a module of this package with `Params`, `init` and `step`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from torch import Tensor

from .noise import Noise
from .target import Target


@dataclass(frozen=True)
class Info:
    """What one step says of itself, apart from the state that the next step needs."""

    costs: Tensor
    """[R, K] of the population after the step."""
    accepted: Tensor | None = None
    """[R, K] which chains moved, for methods that accept or reject."""
    latents: Tensor | None = None
    """[R, K, d_z] where the chains are, for methods that have chains."""
    done: bool = False
    """The method has nothing left to do, whatever the budget."""


class Method(Protocol):
    """`init` makes a state, `step` makes the next one; neither keeps anything anywhere else.

    Both raise `Exhausted` through the target when the budget ends in the middle of them.
    """

    @property
    def Params(self) -> Any:
        """A frozen dataclass of settings, every one with a default."""

    @property
    def __name__(self) -> str: ...

    def init(self, target: Target, params: Any, noise: Noise) -> Any: ...

    def step(self, target: Target, params: Any, state: Any, noise: Noise) -> tuple[Any, Info]: ...
