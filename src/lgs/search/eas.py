"""Efficient active search (Hottung et al.): a few weights per instance adapted at every step, with imitation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from .base import adaptation, last_layer
from .base import overlay as overlays
from .base.adaptation import AdaptationParams, Adapting
from .base.method import Info
from .base.noise import Noise
from .base.overlay import OUTPUT, Overlay
from .base.target import Target


@dataclass(frozen=True)
class Params(AdaptationParams):
    variant: Literal["emb", "lay"] = "emb"
    """`emb` (EAS-Emb): the embeddings k_i that the last, single-head attention compares the glimpse with.
    `lay` (EAS-Lay): a residual layer g + A g before W_O, the identity at first. The published one has a ReLU
    between two matrices; this one is linear, so that it folds into the decoder's tables."""


def init(target: Target, params: Params, noise: Noise) -> Adapting:
    return adaptation.begin(target, params, _leaves(target, params), noise)


def step(target: Target, params: Params, state: Adapting, noise: Noise) -> tuple[Adapting, Info]:
    lay = _embeddings if params.variant == "emb" else _layer

    def overlay(leaves: Sequence[Tensor]) -> Overlay:
        return lay(target, leaves[0])

    return adaptation.adapt(target, params, state, overlay, noise)


def _leaves(target: Target, params: Params) -> list[Tensor]:
    if params.variant == "emb":
        return [last_layer.trained(target, "keys")]
    dim = target.model.config.dim
    return [target.encoded.nodes.new_zeros((target.rows, dim, dim))]


def _embeddings(target: Target, keys: Tensor) -> Overlay:
    return last_layer.overlay(target, "keys", keys)


def _layer(target: Target, extra: Tensor) -> Overlay:
    output = overlays.weight(target.model, OUTPUT, target.rows)
    return {OUTPUT: output + output @ extra}
