"""The decoder's last layer, adapted per instance: W_O, or the keys that its outcome is compared with.

The logit of node i is (W_O a) . k_i, with a the heads' glimpse. W_O moves all nodes at once, a key moves its own node.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from . import overlay as overlays
from .overlay import OUTPUT, Overlay
from .target import Target

Part = Literal["output", "keys"]

LOGIT_KEYS = "logit_keys"
"""The table that the keys become once W_O is folded in."""


@torch.no_grad()
def trained(target: Target, part: Part) -> Tensor:
    """What is adapted, as it was trained, one copy per row: W_O [R, d, d] or the keys [R, N, d]."""
    if part == "output":
        return overlays.weight(target.model, OUTPUT, target.rows)
    keys: Tensor = target.model.decoder.logit_keys(target.encoded.nodes)
    return keys


def overlay(target: Target, part: Part, weights: Tensor) -> Overlay:
    """A decoder with these in their place."""
    if part == "output":
        return {OUTPUT: weights}
    decoder = target.model.decoder
    return {LOGIT_KEYS: decoder.fold_output(decoder.output.weight, weights)}
