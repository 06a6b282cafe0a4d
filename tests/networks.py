"""Small models with random weights, and instances prepared for them."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from lgs import problems
from lgs.model import Config, Encoded, LGSNet
from lgs.rollout import sample_latents

from .problems.episodes import seeded


def network(name: str, extended: bool, seed: int = 0) -> LGSNet:
    """A small model with random weights everywhere, also where training starts from zero."""
    problem = problems.load(name)
    config = Config(
        problem=name, dim=16, heads=2, layers=2, hidden=32, latent=4,
        graph_query=extended, latent_residual=extended,
        pairwise=extended and bool(problem.pairwise), relations=extended and bool(problem.relations),
    )  # fmt: skip
    model = LGSNet(config).eval()
    generator = seeded(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            width = parameter.shape[-1] if parameter.ndim else 1
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 1.5 / math.sqrt(width))
    return model


def prepared(model: LGSNet, batch: int, size: int, particles: int, seed: int = 1) -> tuple[Any, Encoded, Tensor]:
    """Instances, what the encoder says of them, and latents."""
    instance = model.problem.generate(batch, size, seeded(seed))
    with torch.no_grad():
        encoded = model.encode(instance)
    return instance, encoded, sample_latents(encoded, particles, model.config.radius, seeded(seed))
