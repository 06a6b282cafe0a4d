"""One iteration of interacting chains, all at once or one half after the other."""

from __future__ import annotations

import torch
from torch import Tensor

from .chains import Chains, advanced, metropolis
from .noise import Noise
from .overlay import Overlay
from .proposals import InteractingParams, interacting
from .target import Target


def iterate(
    target: Target, params: InteractingParams, chains: Chains, noise: Noise, overlay: Overlay | None = None
) -> tuple[Chains, Tensor]:
    """Every chain once proposed a move; accepted [R, K]."""
    if params.interaction != "split":
        proposed = interacting(params, chains.z, chains.z, noise)
        chains, accepted = metropolis(target, params, chains, proposed, noise, overlay)
        return advanced(chains), accepted
    count = chains.z.shape[1]
    red, blue = torch.arange(count, device=chains.z.device).tensor_split(2)
    parts = []
    for moving, still in ((red, blue), (blue, red)):
        # A half may be empty when there is a single chain, which then has nobody to learn from.
        others = chains.z[:, still] if len(still) else chains.z[:, moving]
        if not len(moving):
            continue
        proposed = interacting(params, chains.z[:, moving], others, noise)
        chains, accepted = metropolis(target, params, chains, proposed, noise, overlay, moving)
        parts.append(accepted)
    return advanced(chains), torch.cat(parts, 1)
