"""The encoder and the latent's distribution, as the paper's appendix writes them: one node and one head at a time."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.distributions import Normal
from torch.nn import functional as F

from lgs import problems
from lgs.model import LGSNet
from lgs.model.encoder import Layer
from lgs.model.latent import Gaussian, soft_clip

from ..networks import network
from ..problems.episodes import seeded


def instance_norm(norm: Any, h: Tensor) -> Tensor:
    """Each channel of h [N, d] over the nodes."""
    return F.instance_norm(h.T[None], weight=norm.weight, bias=norm.bias)[0].T


def attention(layer: Layer, heads: int, h: Tensor, relations: Tensor | None) -> Tensor:
    """MHA(h_1, ..., h_n) of h [N, d]; relations [R, N, N] shift the scores (extension)."""
    weight, found = layer.attention, []
    width = h.shape[1] // heads
    projected = weight.project(h).split(h.shape[1], -1)
    for head in range(heads):
        q, k, v = (part[:, head * width : (head + 1) * width] for part in projected)
        scores = q @ k.T / math.sqrt(width)
        if relations is not None and weight.relation is not None:
            scores = scores + torch.einsum("r,rij->ij", weight.relation[head], relations.float())
        found.append(scores.softmax(-1) @ v)
    out: Tensor = weight.combine(torch.cat(found, -1))
    return out


def papers_encoder(model: LGSNet, features: list[Tensor], relations: Tensor | None) -> Tensor:
    """[N, d] embeddings of one instance: h^(0) = W_0 x + b_0, then a norm after each of the two sums of a layer."""
    h = torch.cat([embed(x) for embed, x in zip(model.encoder.embed, features, strict=True)])
    for layer in model.encoder.layers:
        assert isinstance(layer, Layer)
        first, _, second = layer.feed
        h = instance_norm(layer.norm1, h + attention(layer, model.config.heads, h, relations))
        h = instance_norm(layer.norm2, h + second(first(h).clamp_min(0)))
    return h


@pytest.mark.parametrize("extended", [False, True], ids=["paper", "extended"])
@pytest.mark.parametrize("name", problems.names())
def test_the_encoder_is_the_papers(name: str, extended: bool) -> None:
    model = network(name, extended)
    instance = model.problem.generate(2, 5, seeded(0))
    features = model.problem.features(instance)
    relations = model.problem.relation(instance) if model.config.relations else None
    with torch.no_grad():
        found = model.encode(instance)
        for row in range(2):
            related = None if relations is None else relations[row]
            h = papers_encoder(model, [part[row] for part in features], related)
            torch.testing.assert_close(found.nodes[row], h, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", problems.names())
def test_mean_and_variance_come_from_the_mean_embedding(name: str) -> None:
    """mu(x) and log sigma^2(x): two networks of the mean embedding, softly clipped."""
    model = network(name, False)
    c, head = model.config, model.latent
    assert head is not None
    with torch.no_grad():
        found = model.encode(model.problem.generate(3, 5, seeded(1)))
        graph = found.nodes.sum(1) / found.nodes.shape[1]
        torch.testing.assert_close(found.mean, soft_clip(head.mean(graph), -c.mean_bound, c.mean_bound))
        torch.testing.assert_close(found.log_var, soft_clip(head.log_var(graph), c.log_var_low, c.log_var_high))
    assert [type(part) for part in head.mean] == [nn.Linear, nn.ReLU, nn.Linear]
    assert not torch.equal(found.mean, found.log_var)


def test_relations_change_what_is_seen() -> None:
    """A job shop without them is another instance to the encoder."""
    model = network("jobshop", True)
    instance = model.problem.generate(1, 3, seeded(2))
    features, relations = model.problem.features(instance), model.problem.relation(instance)
    with torch.no_grad():
        seen = [model.encoder(features, table) for table in (relations, torch.zeros_like(relations))]
    assert (seen[0] - seen[1]).abs().max() > 1e-2


def test_the_gaussian_is_a_gaussian() -> None:
    """Density and reparameterised samples against torch's own normal distribution."""
    mean, log_var = torch.randn(2, 3, 5, generator=seeded(3)).double()
    prior, plain = Gaussian(mean, log_var), Normal(mean[:, None], (log_var[:, None] / 2).exp())
    noise = torch.randn(3, 4, 5, generator=seeded(4)).double()
    z = prior.sample(noise)
    torch.testing.assert_close(z, plain.mean + plain.stddev * noise)
    torch.testing.assert_close(prior.log_prob(z), plain.log_prob(z).sum(-1))
