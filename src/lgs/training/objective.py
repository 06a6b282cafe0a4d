"""One batch of instances to the loss whose gradient is the estimator of the training objective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Generator, Tensor, nn

from ..model import LGSNet
from ..problems.batched import Batched
from ..rollout import rollout, score
from ..subset import choose, pick
from .recipe import Phase


@dataclass(frozen=True)
class Batch(Batched):
    """A batch of instances and all the randomness that a step uses; its rows are independent of one another."""

    instance: Any
    noise: Tensor
    """[B, K, d_z] standard Gaussian."""
    uniforms: Tensor
    """[B, K, T] in [0, 1), decides the sampled episodes."""
    pick: Tensor
    """[B] in [0, 1), decides which trajectories are scored."""


def draw(model: LGSNet, phase: Phase, size: int, generator: Generator) -> Batch:
    """A whole batch; in a distributed run every process draws the same one and takes its own rows."""
    device = generator.device
    # Instances come from a generator of their own on the CPU, whose seed is drawn from the run's.
    seed = int(torch.randint(2**62, (1,), generator=generator, device=device))
    instance = model.problem.generate(phase.batch, size, Generator().manual_seed(seed)).to(device)
    shape = (phase.batch, phase.particles)
    return Batch(
        instance,
        torch.randn((*shape, model.config.latent), generator=generator, device=device),
        torch.rand((*shape, model.problem.horizon(instance)), generator=generator, device=device),
        torch.rand(phase.batch, generator=generator, device=device),
    )


class Task:
    """What one forward call works on. A plain class: Fabric would convert the tensors of a dataclass's fields."""

    def __init__(self, batch: Batch, phase: Phase, progress: float) -> None:
        self.batch, self.phase, self.progress = batch, phase, progress


class Objective(nn.Module):
    """Wraps the model so that one forward call is one loss (what distributed data parallelism needs)."""

    def __init__(self, model: LGSNet, bfloat16: bool = False) -> None:
        super().__init__()
        self.model, self.rounded = model, bfloat16

    def forward(self, task: Task) -> tuple[Tensor, Tensor]:
        """The loss (a scalar) and the costs of all particles [B, K]."""
        model, batch, phase = self.model, task.batch, task.phase
        instance = batch.instance
        with torch.autocast(batch.noise.device.type, torch.bfloat16, enabled=self.rounded):
            encoded = model.encode(instance)
        prior = encoded.prior
        with torch.no_grad():
            z = prior.sample(batch.noise) if phase.latent else torch.zeros_like(batch.noise)
            z = z * (model.config.radius / z.norm(dim=-1, keepdim=True).clamp_min(model.config.radius))
            starts = model.starts(instance, phase.particles)
            played = rollout(model, instance, encoded, z, starts, batch.uniforms)
            coefficients = phase.loss_function(played.costs.float(), played.log_probs.float(), task.progress)
            index, weight = choose(coefficients.decoder, phase.scored, batch.pick)
            scored = [pick(rows, index) for rows in (z, played.actions, starts, played.log_probs)]
        log_p = score(model, instance, encoded, *scored)
        value = (weight * log_p).sum()
        if phase.latent and prior.mean.requires_grad:
            value = value + (coefficients.encoder * prior.log_prob(z)).sum()
        return value / len(instance), played.costs
