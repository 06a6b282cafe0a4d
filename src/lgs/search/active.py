"""Active search: every weight of the decoder adapted to the instance (Bello et al.), with or without imitation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from .base import adaptation
from .base.adaptation import AdaptationParams, Adapting
from .base.method import Info
from .base.noise import Noise
from .base.overlay import Overlay, weight
from .base.target import Target


@dataclass(frozen=True)
class Params(AdaptationParams):
    rate: float = 0.0003


def init(target: Target, params: Params, noise: Noise) -> Adapting:
    leaves = [weight(target.model, name, target.rows) for name in _names(target)]
    return adaptation.begin(target, params, leaves, noise)


def step(target: Target, params: Params, state: Adapting, noise: Noise) -> tuple[Adapting, Info]:
    def overlay(leaves: Sequence[Tensor]) -> Overlay:
        return dict(zip(_names(target), leaves))

    return adaptation.adapt(target, params, state, overlay, noise)


def _names(target: Target) -> list[str]:
    return [name for name, _ in target.model.decoder.named_parameters()]
