"""A target small enough to write down: three customers, one or two latent dimensions on a grid."""

from __future__ import annotations

import dataclasses

import torch
from torch import Generator, Tensor

from lgs import kernel
from lgs.problems import NONE
from lgs.problems.cvrp import Instance
from lgs.problems.geometry import from_coords
from lgs.search import Target
from lgs.search.base import chains, overlay
from lgs.search.base.chains import Chains
from lgs.search.base.noise import Noise
from lgs.search.base.overlay import Overlay

from . import small

LAMBDA = 4.0
RADIUS = 3.0


class Bulk(Noise):
    """The same numbers from one stream for all rows: thousands of copies of one instance need no own streams."""

    def __init__(self, seed: int, rows: int) -> None:
        super().__init__(seed, 1)
        self._rows, self._all = rows, torch.Generator().manual_seed(seed)

    def normal(self, *shape: int) -> Tensor:
        return torch.randn(self._rows, *shape, generator=self._all)

    def uniform(self, *shape: int) -> Tensor:
        return torch.rand(self._rows, *shape, generator=self._all)

    def integers(self, high: int, *shape: int) -> Tensor:
        return torch.randint(high, (self._rows, *shape), generator=self._all)


def three_customers(rows: int = 1, latent: int = 1, radius: float = RADIUS) -> Target:
    """`rows` copies of one vehicle routing instance where any pair but the last fits into a vehicle."""
    coords = torch.tensor([[0.5, 0.5], [0.9, 0.6], [0.8, 0.9], [0.1, 0.3]], dtype=torch.float64)
    instance = Instance(from_coords(coords[None]), torch.tensor([[0, 1, 2, 2]]), torch.tensor([3]))
    model = small.model("cvrp", latent=latent, radius=radius, seed=3)
    return Target(model, instance.rows([0] * rows), decoding="sampled")


class Enumerated:
    """Everything about pi(z, y | x) of a one-row target, on a grid of the ball."""

    def __init__(self, target: Target, points: int) -> None:
        self.target = target
        dim, radius = target.encoded.mean.shape[1], target.model.config.radius
        edges = torch.linspace(-radius, radius, points + 1, dtype=torch.float64)
        line = (edges[1:] + edges[:-1]) / 2
        grid = torch.cartesian_prod(*[line] * dim).view(-1, dim)
        self.edges, self.spacing = edges, float(line[1] - line[0])
        self.grid = grid[grid.norm(dim=-1) <= radius]
        self.episodes = complete_episodes(target)
        self.costs = target.problem.cost(target.images, self.episodes[None])[0]
        prior = target.encoded.prior.log_prob(self.grid[None])[0].double().exp()
        self.prior = prior / prior.sum()

    @property
    def states(self) -> int:
        return len(self.grid) * len(self.episodes)

    def decoder(self, over: Overlay | None = None) -> Tensor:
        """[G, Y] p(y | x, z)."""
        points, count = len(self.grid), len(self.episodes)
        z = self.grid.float().repeat_interleave(count, 0)[None]
        actions = self.episodes.repeat(points, 1)[None]
        target = self.target
        tables = overlay.tables(target.model, target.encoded, z, over or {})
        starts = torch.full(actions.shape[:2], NONE)
        probability = kernel.score(target.problem, target.images, tables, actions, starts).double().exp()
        return probability.view(points, count).detach()

    def law(self, lam: float = LAMBDA, over: Overlay | None = None) -> Tensor:
        """[G, Y] the target pi, normalised over the grid; lambda = 0 is p(z) p(y | z)."""
        weight = self.prior[:, None] * self.decoder(over) * (-lam * self.costs).exp()
        return weight / weight.sum()

    def kernel(self, lam: float = LAMBDA, sigma2: float = 0.3, over: Overlay | None = None) -> Tensor:
        """[S, S] the transition matrix of one random-walk chain, with the package's own acceptance."""
        points, count = len(self.grid), len(self.episodes)
        walk = (-(torch.cdist(self.grid, self.grid).square()) / (2 * sigma2)).exp()
        walk = walk / walk.sum(1).max()  # Symmetric; what is missing to one steps out of the ball.
        z = self.grid.repeat_interleave(count, 0)
        cost = self.costs.repeat(points)
        pairs = self.states**2
        ratio = chains.log_ratio(
            self.target.encoded.prior,
            z.repeat_interleave(self.states, 0).view(1, pairs, -1),
            z.repeat(self.states, 1).view(1, pairs, -1),
            cost.repeat_interleave(self.states)[None],
            cost.repeat(self.states)[None],
            lam,
        ).view(self.states, self.states)
        proposal = walk.repeat_interleave(count, 0).repeat_interleave(count, 1) * self.decoder(over).flatten()
        matrix = proposal * ratio.clamp_max(0).exp()
        return matrix + torch.diag(1 - matrix.sum(1))

    def binned(self, law: Tensor, bins: int) -> Tensor:
        """[bins, Y] a law on the one-dimensional grid, coarser."""
        return law.view(bins, -1, law.shape[-1]).sum(1)

    def empirical(self, z: Tensor, actions: Tensor, bins: int) -> Tensor:
        """[bins, Y] the frequencies of particles z [M, 1] with solutions [M, T]."""
        radius = self.target.model.config.radius
        column = ((z[:, 0] + radius) / (2 * radius) * bins).long().clamp(0, bins - 1)
        kind = self.index(actions)
        counts = torch.zeros(bins, len(self.episodes), dtype=torch.float64)
        counts.index_put_((column, kind), torch.ones(len(z), dtype=torch.float64), accumulate=True)
        return counts / len(z)

    def index(self, actions: Tensor) -> Tensor:
        """[M] which of the enumerated episodes each of [M, T] is."""
        same = (actions[:, None] == self.episodes).all(-1)
        assert same.any(1).all(), "every solution is one of those enumerated"
        return same.to(torch.uint8).argmax(1)

    def draws(self, rows: int, count: int, generator: Generator) -> tuple[Tensor, Tensor]:
        """Exact draws from pi by rejection from p(z) p(y | z): z [rows, count, d], actions [rows, count, T]."""
        target, need = self.target, rows * count
        z_kept: list[Tensor] = []
        actions_kept: list[Tensor] = []
        while sum(map(len, z_kept)) < need:
            z = target.encoded.prior.sample(torch.randn(1, need, target.encoded.mean.shape[1], generator=generator))
            uniforms = torch.rand(1, need, target.horizon, generator=generator)
            made = target.evaluate(z, torch.full((1, need), NONE), uniforms)
            chance = (-LAMBDA * (made.costs - self.costs.min())).exp() * (z.norm(dim=-1) <= target.model.config.radius)
            keep = torch.rand(1, need, generator=generator) < chance
            z_kept.append(z[keep])
            actions_kept.append(made.actions[keep])
        z, actions = torch.cat(z_kept)[:need], torch.cat(actions_kept)[:need]
        return z.view(rows, count, -1), actions.view(rows, count, -1)


def complete_episodes(target: Target) -> Tensor:
    """[Y, T] every episode there is, found by trying all allowed actions."""
    problem, instance = target.problem, target.images
    found: list[list[int]] = []
    partial: list[list[int]] = [[]]
    while partial:
        taken = partial.pop()
        state = problem.reset(instance, 1)
        for action in taken:
            state = problem.step(instance, state, torch.tensor([[action]]))
        allowed = problem.allowed(instance, state)[0, 0].nonzero()[:, 0].tolist()
        if not allowed:
            found.append(taken + [NONE] * (target.horizon - len(taken)))
        partial += [[*taken, action] for action in allowed]
    return torch.tensor(sorted(found))


def population(target: Target, z: Tensor, actions: Tensor) -> Chains:
    """Chains with given states, costs in their own unit."""
    costs = target.problem.cost(target.images, actions)
    return Chains(z, target.starts(z.shape[1]), actions, costs, torch.ones(len(z), 1, dtype=torch.float64))


def begin(target: Target, particles: int, noise: Noise) -> Chains:
    """Chains from the prior as methods start them, but with costs in their own unit."""
    state = chains.begin(target, particles, noise)
    return dataclasses.replace(state, unit=torch.ones_like(state.unit))


def total_variation(a: Tensor, b: Tensor) -> float:
    return float((a - b).abs().sum()) / 2
