"""The decoder's weights, and the tables they make of an instance (paper, appendix "Decoder")."""

from __future__ import annotations

import dataclasses
import math

import torch
from torch import Tensor, nn

from ..problems import Problem
from .config import Config
from .tables import Tables


class Decoder(nn.Module):
    """One multi-head attention layer queried by the context c_t = [z, anchors, scalars]."""

    def __init__(self, config: Config, problem: Problem) -> None:  # type: ignore[type-arg]
        super().__init__()
        self.config = config
        dim, features = config.dim, len(problem.dynamic)

        def linear(inputs: int, outputs: int = dim) -> nn.Linear:
            return nn.Linear(inputs, outputs, bias=False)

        self.query_anchor = nn.ModuleList(linear(dim) for _ in problem.anchors)
        self.query_scalar = nn.Parameter(torch.randn(len(problem.scalars), dim) / math.sqrt(dim))
        self.keys, self.values, self.logit_keys = linear(dim), linear(dim), linear(dim)
        self.output = linear(dim)
        """W_O, the last layer: what LGS adapts at test time."""
        self.query_latent = linear(config.latent) if config.latent else None
        if self.query_latent is not None:
            # Small, so that latents join a policy that was trained without them gently.
            nn.init.normal_(self.query_latent.weight, std=0.02)
        self.query_graph = linear(dim) if config.graph_query else None
        self.pair_bias = nn.Parameter(torch.full((len(problem.pairwise),), -0.3)) if config.pairwise else None
        self.residual = (
            nn.Sequential(linear(config.latent), nn.ReLU(), linear(dim))
            if config.latent and config.latent_residual
            else None
        )
        self.features = (
            nn.ParameterDict(
                {f"feature_{name}": torch.randn(features, dim) / dim for name in ("keys", "values", "logits")}
                | {"feature_bias": torch.zeros(features)}
            )
            if features
            else None
        )

    def forward(self, h: Tensor, z: Tensor | None, pairs: Tensor | None, particles: int) -> Tables:
        """h [B, N, d], z [B, K, d_z], pair features [B, N, N, P] -> tables.

        W_O is folded into the logit keys: (W_O g) . k_i = g . (W_O^T k_i).
        """
        config, batch = self.config, h.shape[0]
        query = h.new_zeros((batch, 1, config.dim))
        if self.query_latent is not None and z is not None:
            query = query + self.query_latent(z)
        if self.query_graph is not None:
            query = query + self.query_graph(h.mean(1, keepdim=True))
        anchors = [table(h) for table in self.query_anchor]
        tables = Tables(
            query=query.expand(batch, particles, config.dim),
            anchors=torch.stack(anchors, 1) if anchors else h.new_zeros((batch, 0, *h.shape[1:])),
            scalars=self.query_scalar.expand(batch, -1, -1),
            keys=self.keys(h) / math.sqrt(config.dim / config.heads),
            values=self.values(h),
            logit_keys=self.fold_output(self.output.weight, self.logit_keys(h)),
            residual=self.residual(z) if self.residual is not None and z is not None else None,
            pairwise=pairs @ self.pair_bias if self.pair_bias is not None and pairs is not None else None,
            heads=config.heads,
            clip=config.clip,
        )
        return tables if self.features is None else self._with_features(tables, batch)

    def fold_output(self, weight: Tensor, logit_keys: Tensor) -> Tensor:
        """Logit keys [B, N, d] seen through W_O ([d, d], or [B, d, d] where it is adapted per instance)."""
        folded: Tensor = logit_keys @ weight / math.sqrt(self.config.dim)
        return folded

    def _with_features(self, tables: Tables, batch: int) -> Tables:
        assert self.features is not None
        rows = {name: value.expand(batch, *value.shape) for name, value in self.features.items()}
        rows["feature_keys"] = rows["feature_keys"] / math.sqrt(self.config.dim / self.config.heads)
        return dataclasses.replace(tables, **rows)
