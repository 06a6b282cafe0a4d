"""Training objectives small enough to write down: one instance, a few solutions, quadrature over one latent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from lgs.model import LGSNet
from lgs.problems.cvrp import Instance
from lgs.problems.geometry import from_coords
from lgs.rollout import score
from lgs.search import Target
from lgs.training.objective import Batch, Objective, Task
from lgs.training.recipe import Phase

from ..search import small
from ..search.enumerated import complete_episodes

POINTS = 72
"""Of the quadrature over six standard deviations of z to either side."""
PARTS = {"theta": "decoder.", "phi": "latent.", "shared": "encoder."}
"""The decoder's parameters, those of p(z | x), and the encoder's, on which both depend."""

Gradients = dict[str, Tensor]


@dataclass(frozen=True)
class States:
    """Every (z, y): z on the quadrature's nodes, y any episode of the instance."""

    probability: Tensor
    """[S] weight(z) p(y | x, z), sums to one."""
    costs: Tensor
    """[S]"""
    log_probs: Tensor
    """[S] log p(y | x, z), differentiable in theta."""
    log_prior: Tensor
    """[S] log p(z | x), differentiable in phi."""


def model() -> LGSNet:
    """A network with one latent dimension, whose every parameter matters."""
    made = small.model("cvrp", latent=1, seed=3)
    torch.manual_seed(5)
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if name.startswith("latent."):
                parameter.normal_(std=0.3)
            if name == "decoder.query_latent.weight":
                parameter.normal_(std=2.0)
    return made.train()


def instance() -> Any:
    """Three customers, of whom any pair but the last fits into a vehicle."""
    coords = torch.tensor([[0.5, 0.5], [0.9, 0.6], [0.8, 0.9], [0.1, 0.3]], dtype=torch.float64)
    return Instance(from_coords(coords[None]), torch.tensor([[0, 1, 2, 2]]), torch.tensor([3]))


def states(net: LGSNet) -> States:
    """All there is to know of the joint law of z and y."""
    one = instance()
    episodes = complete_episodes(Target(net, one, decoding="sampled"))
    encoded = net.encode(one)
    prior = encoded.prior
    nodes = torch.linspace(-6, 6, POINTS, dtype=torch.float64)
    weights = (-nodes.square() / 2).exp()
    z = prior.sample(nodes.float().view(1, POINTS, 1)).detach()
    z = z.repeat_interleave(len(episodes), 1)
    actions = episodes.repeat(POINTS, 1)[None]
    log_probs = score(net, one, encoded, z, actions, net.starts(one, actions.shape[1]))[0]
    weight = (weights / weights.sum()).repeat_interleave(len(episodes))
    probability = weight * log_probs.detach().double().exp()
    return States(probability, net.problem.cost(one, actions)[0], log_probs, prior.log_prob(z)[0])


def gradients(value: Tensor, net: LGSNet) -> Gradients:
    """Of a scalar, by part of the network."""
    named = dict(net.named_parameters())
    found = torch.autograd.grad(value, list(named.values()), allow_unused=True)
    flat = {
        name: (torch.zeros_like(parameter) if grad is None else grad).flatten().double()
        for (name, parameter), grad in zip(named.items(), found)
    }
    return {part: torch.cat([g for n, g in flat.items() if n.startswith(start)]) for part, start in PARTS.items()}


def estimates(net: LGSNet, phase: Phase, progress: float, chunks: int, rows: int, seed: int) -> Gradients:
    """[chunks, P] the package's own gradient estimator, each the mean over `rows` independent batches of one."""
    objective, generator = Objective(net), torch.Generator().manual_seed(seed)
    shape = (rows, phase.particles)
    many = instance().rows([0] * rows)
    horizon = net.problem.horizon(many)
    found: dict[str, list[Tensor]] = {part: [] for part in PARTS}
    for _ in range(chunks):
        noise = torch.randn((*shape, net.config.latent), generator=generator)
        uniforms = torch.rand((*shape, horizon), generator=generator)
        batch = Batch(many, noise, uniforms, torch.rand(rows, generator=generator))
        loss, _costs = objective(Task(batch, phase, progress))
        for part, gradient in gradients(loss, net).items():
            found[part].append(gradient)
    return {part: torch.stack(rows) for part, rows in found.items()}
