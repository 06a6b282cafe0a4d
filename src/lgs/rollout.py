"""The one decode loop: model + problem + latents -> actions, log-probabilities, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Generator, Tensor

from . import kernel
from .model import Encoded, LGSNet


@dataclass(frozen=True)
class Rollout:
    actions: Tensor
    """[B, K, T], `NONE` after an episode's end."""
    log_probs: Tensor
    """[B, K] log p(y | x, z)."""
    costs: Tensor
    """[B, K] float64, always minimised."""


@torch.no_grad()
def rollout(
    model: LGSNet,
    instance: Any,
    encoded: Encoded,
    z: Tensor,
    starts: Tensor,
    uniforms: Tensor | None = None,
) -> Rollout:
    """K episodes per instance from latents z [B, K, d_z]: sampled from `uniforms` [B, K, T], greedy without."""
    tables = model.tables(encoded, z)
    actions, log_probs = kernel.rollout(model.problem, instance, tables, starts, uniforms)
    return Rollout(actions, log_probs, model.problem.cost(instance, actions))


def score(
    model: LGSNet,
    instance: Any,
    encoded: Encoded,
    z: Tensor,
    actions: Tensor,
    starts: Tensor,
    known: Tensor | None = None,
) -> Tensor:
    """[B, K] log p(y | x, z) of given episodes, differentiable in the model and in z; `known`: what a rollout said."""
    return kernel.score(model.problem, instance, model.tables(encoded, z), actions, starts, known)


def sample_latents(encoded: Encoded, particles: int, radius: float, generator: Generator | None = None) -> Tensor:
    """[B, K, d_z] draws from the prior p(z | x), those outside the ball pulled back onto it."""
    shape = (encoded.mean.shape[0], particles, encoded.mean.shape[1])
    noise = torch.randn(shape, generator=generator, device=_home(generator, encoded.mean)).to(encoded.mean)
    z = encoded.prior.sample(noise)
    inside: Tensor = z * (radius / z.norm(dim=-1, keepdim=True).clamp_min(radius))
    return inside


def sample_uniforms(model: LGSNet, instance: Any, particles: int, generator: Generator | None = None) -> Tensor:
    """[B, K, T] the randomness of sampled episodes, drawn where the generator lives."""
    shape = (len(instance), particles, model.problem.horizon(instance))
    return torch.rand(shape, generator=generator, device=_home(generator, instance)).to(instance.device)


def _home(generator: Generator | None, near: Any) -> torch.device:
    """Random numbers are drawn where their generator lives."""
    device: torch.device = near.device if generator is None else generator.device
    return device
