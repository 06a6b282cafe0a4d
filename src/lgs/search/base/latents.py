"""What the methods share that move latents by the gradient of the expected cost."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ...problems import Batched
from .chains import cost_unit, draw_prior
from .noise import Noise
from .target import Evaluation, Target


@dataclass(frozen=True)
class Cloud(Batched):
    """K latents per row, and the unit in which their costs are seen."""

    z: Tensor
    """[R, K, d_z]"""
    starts: Tensor
    """[R, K]"""
    unit: Tensor
    """[R, 1] float64"""


def require_latents(target: Target, method: str) -> None:
    """Raise for a model without a latent space."""
    if not target.model.config.latent:
        raise ValueError(f"{method} searches the latent space, and this model has none; use eas, active or sampling")


def begin(target: Target, particles: int, noise: Noise) -> Cloud:
    z, starts = draw_prior(target, particles, noise), target.starts(particles)
    made = target.evaluate(z, starts, noise.uniform(particles, target.horizon))
    return Cloud(z, starts, cost_unit(made.costs))


def expected_cost_gradient(target: Target, cloud: Cloud, noise: Noise) -> tuple[Tensor, Evaluation]:
    """[R, K, d_z] one-sample estimate of grad_z E[C(y) / unit | z] = E[(C - b) / unit grad_z log p(y | x, z)].

    The baseline b is the mean cost of the other particles, which leaves the estimate unbiased.
    """
    particles = cloud.z.shape[1]
    made = target.evaluate(cloud.z, cloud.starts, noise.uniform(particles, target.horizon))
    costs = made.costs / cloud.unit
    others = (costs.sum(1, keepdim=True) - costs) / max(1, particles - 1)
    weights = (costs - others).to(cloud.z.dtype)
    leaf = cloud.z.detach().requires_grad_()
    (gradient,) = target.gradient(weights, leaf, cloud.starts, made.actions, [leaf])
    return gradient, made
