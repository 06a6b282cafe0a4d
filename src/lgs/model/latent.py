"""The latent space: p(z | x), a diagonal Gaussian given by the encoder."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .config import Config


@dataclass(frozen=True)
class Gaussian:
    """mean and log_var [B, d_z]: one diagonal Gaussian per instance."""

    mean: Tensor
    log_var: Tensor

    @property
    def dim(self) -> int:
        return self.mean.shape[-1]

    def sample(self, noise: Tensor) -> Tensor:
        """z = mu + sigma * noise (the reparameterisation), noise [B, K, d_z]."""
        return self.mean[:, None] + (self.log_var[:, None] / 2).exp() * noise

    def log_prob(self, z: Tensor) -> Tensor:
        """[B, K] log density of z [B, K, d_z]."""
        scaled = (z - self.mean[:, None]).square() * (-self.log_var[:, None]).exp()
        constant = self.log_var.sum(-1, keepdim=True) + self.dim * math.log(2 * math.pi)
        return -0.5 * (scaled.sum(-1) + constant)


def soft_clip(x: Tensor, low: float, high: float) -> Tensor:
    """A smooth clamp to (low, high), close to the identity between: low + softplus(x-low) - softplus(x-high)."""
    return low + F.softplus(x - low) - F.softplus(x - high)


class LatentHead(nn.Module):
    """mu(x) and log sigma^2(x) from the mean embedding, each a feed-forward network with soft clipping."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        if config.prior == "conditioned":
            self.mean = self._network(config)
            self.log_var = self._network(config)

    @staticmethod
    def _network(config: Config) -> nn.Sequential:
        last = nn.Linear(config.dim, config.latent)
        # Training starts from N(0, I), whatever the instance: the decoder first learns that z has a scale.
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)
        return nn.Sequential(nn.Linear(config.dim, config.dim), nn.ReLU(), last)

    def forward(self, graph: Tensor) -> Gaussian:
        """graph [B, d] -> Gaussian over [B, d_z]."""
        c = self.config
        if c.prior == "independent":
            zeros = graph.new_zeros((graph.shape[0], c.latent), dtype=torch.float32)
            return Gaussian(zeros, zeros)
        mean = soft_clip(self.mean(graph).float(), -c.mean_bound, c.mean_bound)
        return Gaussian(mean, soft_clip(self.log_var(graph).float(), c.log_var_low, c.log_var_high))
