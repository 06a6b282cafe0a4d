"""Models and instances small enough to search in milliseconds."""

from __future__ import annotations

import collections
from typing import Any

import torch

from lgs.model import Config, LGSNet
from lgs.search import Target

SIZES = collections.defaultdict(lambda: 5, tsp=6, knapsack=6, jobshop=3)


def model(problem: str = "tsp", latent: int = 3, seed: int = 0, **settings: Any) -> LGSNet:
    """An untrained network whose choices depend on z."""
    torch.manual_seed(seed)
    made = LGSNet(Config(problem=problem, dim=16, heads=2, layers=1, hidden=16, latent=latent, **settings)).eval()
    with torch.no_grad():
        made.decoder.logit_keys.weight *= 4
        if made.decoder.query_latent is not None:
            made.decoder.query_latent.weight *= 3
    return made


def instances(problem: str = "tsp", batch: int = 1, size: int | None = None, seed: int = 1) -> Any:
    net = model(problem)
    return net.problem.generate(batch, size or SIZES[problem], torch.Generator().manual_seed(seed))


def target(problem: str = "tsp", batch: int = 1, size: int | None = None, **settings: Any) -> Target:
    return Target(model(problem), instances(problem, batch, size), **settings)


class Clock:
    """A clock that only moves when told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now
