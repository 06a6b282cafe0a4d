"""Greedy: the decoder's most likely solution at the prior's mean, once from every start."""

from __future__ import annotations

from dataclasses import dataclass

from .base.method import Info
from .base.noise import Noise
from .base.settings import require
from .base.target import Target


@dataclass(frozen=True)
class Params:
    starts: int = 0
    """How many starts; 0 is one for every first node, or a single one where the decoder chooses its start."""

    def __post_init__(self) -> None:
        require("starts", self.starts, at_least=0)


def init(target: Target, params: Params, noise: Noise) -> None:
    """Nothing is evaluated and nothing remembered."""


def step(target: Target, params: Params, state: None, noise: Noise) -> tuple[None, Info]:
    forced = target.starts(1).min() >= 0
    every = target.problem.first_nodes(target.images).shape[1] if forced else 1
    starts = target.starts(params.starts or every)
    mean = target.encoded.mean[:, None].expand(-1, starts.shape[1], -1)
    return state, Info(target.evaluate(mean, starts).costs, done=True)
