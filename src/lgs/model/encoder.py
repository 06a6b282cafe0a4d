"""The encoder: node features to node embeddings (paper, appendix "Encoder")."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from ..problems import Problem
from .config import Config


class InstanceNorm(nn.Module):
    """Normalises each channel over the nodes of one instance: [B, N, d] -> [B, N, d]."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))
        self.bias = nn.Parameter(torch.zeros(dim))

    def forward(self, h: Tensor) -> Tensor:
        mean = h.mean(1, keepdim=True)
        variance = (h - mean).square().mean(1, keepdim=True)
        return (h - mean) * ((variance + 1e-5).rsqrt() * self.weight) + self.bias


class Attention(nn.Module):
    """Multi-head self-attention over the nodes, [B, N, d] -> [B, N, d], with an optional bias per relation."""

    def __init__(self, config: Config, relations: int) -> None:
        super().__init__()
        self.heads = config.heads
        self.project = nn.Linear(config.dim, 3 * config.dim, bias=False)
        self.combine = nn.Linear(config.dim, config.dim)
        self.relation = nn.Parameter(torch.zeros(config.heads, relations)) if relations else None

    def forward(self, h: Tensor, relations: Tensor | None) -> Tensor:
        batch, nodes, dim = h.shape
        q, k, v = self.project(h).view(batch, nodes, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        bias = None
        if self.relation is not None and relations is not None:
            bias = torch.einsum("hr,brij->bhij", self.relation, relations.to(self.relation.dtype)).to(h.dtype)
        # Attention's gradient in bfloat16 takes torch several times as long on a CPU as in float32.
        with torch.autocast(h.device.type, enabled=False):
            mixed = F.scaled_dot_product_attention(q.to(h.dtype), k.to(h.dtype), v.to(h.dtype), attn_mask=bias)
        out: Tensor = self.combine(mixed.transpose(1, 2).reshape(batch, nodes, dim))
        return out


class Layer(nn.Module):
    def __init__(self, config: Config, relations: int) -> None:
        super().__init__()
        self.attention = Attention(config, relations)
        self.norm1 = InstanceNorm(config.dim)
        self.feed = nn.Sequential(nn.Linear(config.dim, config.hidden), nn.ReLU(), nn.Linear(config.hidden, config.dim))
        self.norm2 = InstanceNorm(config.dim)

    def forward(self, h: Tensor, relations: Tensor | None) -> Tensor:
        h = self.norm1(h + self.attention(h, relations))
        out: Tensor = self.norm2(h + self.feed(h))
        return out


class Encoder(nn.Module):
    """h^(0) = W_0 x + b_0 per node type, then L attention layers."""

    def __init__(self, config: Config, problem: Problem) -> None:  # type: ignore[type-arg]
        super().__init__()
        relations = len(problem.relations) if config.relations else 0
        self.embed = nn.ModuleList(nn.Linear(width, config.dim) for width in problem.feature_widths)
        self.layers = nn.ModuleList(Layer(config, relations) for _ in range(config.layers))

    def forward(self, features: tuple[Tensor, ...], relations: Tensor | None = None) -> Tensor:
        # Coordinates have more digits than bfloat16.
        with torch.autocast(features[0].device.type, enabled=False):
            h = torch.cat([embed(x) for embed, x in zip(self.embed, features)], 1)
        for layer in self.layers:
            h = layer(h, relations)
        return h
