"""One iteration of interacting chains, all at once or one half after the other."""

from __future__ import annotations

from dataclasses import replace

import torch

from .chains import Chains, Move, advanced, joined, metropolis
from .noise import Noise
from .overlay import Overlay
from .proposals import InteractingParams, interacting
from .target import Target


def iterate(
    target: Target, params: InteractingParams, chains: Chains, noise: Noise, overlay: Overlay | None = None
) -> Move:
    """Every chain once proposed a move."""
    if params.interaction != "split":
        proposed = interacting(params, chains.z, chains.z, noise)
        move = metropolis(target, params, chains, proposed, noise, overlay)
        return replace(move, chains=advanced(move.chains))
    red, blue = torch.arange(chains.z.shape[1], device=chains.z.device).tensor_split(2)
    moves = []
    for moving, still in ((red, blue), (blue, red)):
        if not len(moving):
            continue
        # A single chain has nobody to learn from: its only difference is with itself.
        others = chains.z[:, still] if len(still) else chains.z[:, moving]
        proposed = interacting(params, chains.z[:, moving], others, noise)
        moves.append(metropolis(target, params, chains, proposed, noise, overlay, moving))
        chains = moves[-1].chains
    accepted = torch.cat([move.accepted for move in moves], 1)
    return Move(advanced(chains), accepted, joined([move.proposed for move in moves]))
