"""Where the chains of a search were in the latent space, and what their solutions cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import search
from ..model import LGSNet
from ..search import Budget, Progress, Target
from .methods import Contestant


class Latents:
    """An observer that remembers the chains of the first instance."""

    def __init__(self) -> None:
        self.z: list[NDArray[np.float64]] = []
        self.costs: list[NDArray[np.float64]] = []

    def __call__(self, progress: Progress) -> None:
        info = progress.info
        if info is None:
            return
        if info.latents is None:
            raise ValueError("this method does not move in the latent space; use lgs, interacting or parallel")
        self.z.append(info.latents[0].double().cpu().numpy())
        self.costs.append(info.costs[0].cpu().numpy())


def record(
    model: LGSNet, instance: Any, who: Contestant, iterations: int, seed: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latents [S, K, d_z] and costs [S, K] (minimised) of a search's first S iterations."""
    if not model.config.latent:
        raise ValueError("this model has no latent space to draw; choose another with --model")
    seen = Latents()
    target = Target(model, instance, decoding=who.decoding, augment=1, seed=seed)
    search.run(search.load(who.method), target, Budget(iterations=iterations), who.params, [seen])
    return np.stack(seen.z), np.stack(seen.costs)
