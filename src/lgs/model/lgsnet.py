"""LGS-Net: an instance x to a Gaussian over latents z, and (x, z) to the decoder's tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from .. import problems
from ..problems import Problem
from ..problems.batched import Batched
from .config import Config
from .decoder import Decoder
from .encoder import Encoder
from .latent import Gaussian, LatentHead
from .tables import Tables


@dataclass(frozen=True)
class Encoded(Batched):
    """What the encoder says of B instances."""

    nodes: Tensor
    """[B, N, d] node embeddings h."""
    mean: Tensor
    """[B, d_z] of p(z | x); d_z = 0 in a model without latents."""
    log_var: Tensor
    """[B, d_z]"""
    pairs: Tensor | None
    """[B, N, N, P] pair features, where the model uses them."""

    @property
    def prior(self) -> Gaussian:
        return Gaussian(self.mean, self.log_var)


class LGSNet(nn.Module):
    """Encoder p_phi(z | x) and decoder p_theta(y | x, z)."""

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        self.problem: Problem[Any, Any] = problems.load(config.problem)
        self.encoder = Encoder(config, self.problem)
        self.latent = LatentHead(config) if config.latent else None
        self.decoder = Decoder(config, self.problem)

    def encode(self, instance: Any) -> Encoded:
        """Embeddings and latent prior of a batch of instances."""
        relations = self.problem.relation(instance) if self.config.relations else None
        nodes = self.encoder(self.problem.features(instance), relations)
        pairs = self.problem.pair_features(instance) if self.config.pairwise else None
        if self.latent is None:
            nothing = nodes.new_zeros((nodes.shape[0], 0))
            return Encoded(nodes, nothing, nothing, pairs)
        prior = self.latent(nodes.mean(1))
        return Encoded(nodes, prior.mean, prior.log_var, pairs)

    def tables(self, encoded: Encoded, z: Tensor) -> Tables:
        """The decoder's tables for K particles with latents z [B, K, d_z]."""
        tables: Tables = self.decoder(encoded.nodes, z, encoded.pairs, z.shape[1])
        return tables

    def starts(self, instance: Any, particles: int) -> Tensor:
        """[B, K] the first node of each particle, as the model's configuration says."""
        return self.problem.starts(instance, particles, self.config.forced_start)
