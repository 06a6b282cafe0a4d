"""Efficient active search (Hottung et al.): a few weights per instance adapted at every step, with imitation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from .base import adaptation
from .base import overlay as overlays
from .base.adaptation import AdaptationParams, Adapting
from .base.method import Info
from .base.noise import Noise
from .base.overlay import OUTPUT, Overlay
from .base.target import Target

EMBEDDINGS = ("keys", "values", "logit_keys")


@dataclass(frozen=True)
class Params(AdaptationParams):
    variant: Literal["emb", "lay"] = "emb"
    """`emb`: the decoder's keys, values and logit keys. `lay`: a layer g + A g before W_O, which starts as the
    identity; it is linear, so that it folds into the decoder's tables."""


def init(target: Target, params: Params, noise: Noise) -> Adapting:
    return adaptation.begin(target, params, _leaves(target, params), noise)


def step(target: Target, params: Params, state: Adapting, noise: Noise) -> tuple[Adapting, Info]:
    def overlay(leaves: Sequence[Tensor]) -> Overlay:
        return _embeddings(leaves) if params.variant == "emb" else _layer(target, leaves)

    return adaptation.adapt(target, params, state, overlay, noise)


def _leaves(target: Target, params: Params) -> list[Tensor]:
    if params.variant == "emb":
        with torch.no_grad():
            tables = target.model.tables(target.encoded, target.encoded.mean[:, None])
        return [getattr(tables, name).clone() for name in EMBEDDINGS]
    dim = target.model.config.dim
    return [target.encoded.nodes.new_zeros((target.rows, dim, dim))]


def _embeddings(leaves: Sequence[Tensor]) -> Overlay:
    return dict(zip(EMBEDDINGS, leaves))


def _layer(target: Target, leaves: Sequence[Tensor]) -> Overlay:
    output = overlays.weight(target.model, OUTPUT, target.rows)
    return {OUTPUT: output + output @ leaves[0]}
