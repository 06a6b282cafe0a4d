"""The evolution strategy CMA-ES (Hansen, "The CMA Evolution Strategy: A Tutorial", 2016), all rows at once.

Equation numbers are the tutorial's. Written out here because a strategy per instance, as packages have it, spends
many times the time of the rollouts on drawing the points one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from ...problems import Batched

SMALLEST = 1e-16
"""Bound of the covariance's eigenvalues from below."""
LEAST_STEP, MOST_STEP = 1e-10, 1e4
"""Bounds of sigma: where costs say nothing it wanders, and numbers must stay finite however long a search is."""


@dataclass(frozen=True)
class Rates:
    """What follows from the dimension and the population size alone (eq. 48 to 58)."""

    weights: Tensor
    """[K] best first; negative ones for the worse half, which only the covariance sees."""
    parents: int
    effective: float
    path: float
    """c_c"""
    rank_one: float
    """c_1"""
    rank_mu: float
    """c_mu"""
    step_path: float
    """c_sigma"""
    damping: float
    """d_sigma"""
    length: float
    """E ||N(0, I)||"""

    @staticmethod
    def of(dim: int, population: int, device: torch.device) -> Rates:
        ranks = torch.arange(1, population + 1, dtype=torch.float64, device=device)
        raw = math.log((population + 1) / 2) - ranks.log()
        parents = population // 2
        effective, opposed = _effective(raw[:parents]), _effective(raw[parents:])
        one = 2 / ((dim + 1.3) ** 2 + effective)
        mu = min(1 - one - 1e-8, 2 * (effective - 2 + 1 / effective) / ((dim + 2) ** 2 + effective))
        step = (effective + 2) / (dim + effective + 5)
        # With two or three points there is one parent, and the covariance learns from its path alone.
        negative = min(1 + one / mu, 1 + 2 * opposed / (effective + 2), (1 - one - mu) / (dim * mu)) if mu > 0 else 0.0
        scale = torch.where(raw >= 0, 1 / raw[raw > 0].sum(), negative / -raw[raw < 0].sum())
        return Rates(
            weights=raw * scale,
            parents=parents,
            effective=effective,
            path=(4 + effective / dim) / (dim + 4 + 2 * effective / dim),
            rank_one=one,
            rank_mu=mu,
            step_path=step,
            damping=1 + 2 * max(0.0, math.sqrt((effective - 1) / (dim + 1)) - 1) + step,
            length=math.sqrt(dim) * (1 - 1 / (4 * dim) + 1 / (21 * dim**2)),
        )


@dataclass(frozen=True)
class Strategy(Batched):
    """The search distribution N(mean, sigma^2 C) of each row and its two evolution paths, in float64."""

    mean: Tensor
    """[R, d]"""
    sigma: Tensor
    """[R]"""
    axes: Tensor
    """[R, d, d] B, the eigenvectors of C in columns."""
    lengths: Tensor
    """[R, d] D, the roots of its eigenvalues."""
    path: Tensor
    """[R, d] p_c"""
    step_path: Tensor
    """[R, d] p_sigma"""
    generation: int = 0

    @staticmethod
    def around_zero(rows: int, dim: int, sigma: float, device: torch.device) -> Strategy:
        zero = torch.zeros((rows, dim), dtype=torch.float64, device=device)
        axes = torch.eye(dim, dtype=torch.float64, device=device).expand(rows, -1, -1)
        return Strategy(zero, zero[:, 0] + sigma, axes, zero + 1, zero, zero)

    def points(self, normal: Tensor) -> Tensor:
        """[R, K, d] m + sigma B D n for standard normal n [R, K, d] (eq. 38 to 40)."""
        steps = (normal.double() * self.lengths[:, None]) @ self.axes.mT
        return self.mean[:, None] + self.sigma[:, None, None] * steps


def told(rates: Rates, old: Strategy, points: Tensor, costs: Tensor, between: Callable[[], None]) -> Strategy:
    """The next distribution, after points [R, K, d] turned out to have costs [R, K].

    `between` is called before each row's eigenvalues, the only part that may take long.
    """
    dim, generation = points.shape[-1], old.generation + 1
    order = costs.argsort(dim=1, stable=True)[..., None].expand_as(points)
    steps = (points.gather(1, order) - old.mean[:, None]) / old.sigma[:, None, None]
    white = steps @ old.axes / old.lengths[:, None]
    parents = rates.weights[: rates.parents, None]
    best, best_white = ((parents * moves[:, : rates.parents]).sum(1) for moves in (steps, white))

    keep = 1 - rates.step_path
    turned = (old.axes @ best_white[..., None])[..., 0]
    step_path = keep * old.step_path + math.sqrt((1 - keep**2) * rates.effective) * turned
    norm = step_path.norm(dim=1)
    sigma = old.sigma * ((rates.step_path / rates.damping) * (norm / rates.length - 1)).exp()
    # While sigma still grows quickly the covariance does not learn from the path (h_sigma).
    calm = norm / math.sqrt(1 - keep ** (2 * (generation + 1))) < (1.4 + 2 / (dim + 1)) * rates.length
    moved = math.sqrt(rates.path * (2 - rates.path) * rates.effective) * best
    path = (1 - rates.path) * old.path + calm[:, None] * moved

    axes, lengths = _principal(_covariance(rates, old, steps, white, path, calm), between)
    mean = old.mean + old.sigma[:, None] * best
    return Strategy(mean, sigma.clamp(LEAST_STEP, MOST_STEP), axes, lengths, path, step_path, generation)


def _covariance(rates: Rates, old: Strategy, steps: Tensor, white: Tensor, path: Tensor, calm: Tensor) -> Tensor:
    """The next C [R, d, d]: forgetting, the path's rank-one part, and the rank-mu part of all steps (eq. 46, 47)."""
    before = (old.axes * old.lengths.square()[:, None]) @ old.axes.mT
    missed = ~calm * rates.rank_one * rates.path * (2 - rates.path)
    kept = 1 - rates.rank_one - rates.rank_mu * rates.weights.sum() + missed
    # Bad steps count by their direction only, so that C stays positive.
    shrunk = rates.weights * white.shape[-1] / white.square().sum(-1).clamp_min(SMALLEST)
    weights = torch.where(rates.weights >= 0, rates.weights, shrunk)
    one = path[:, :, None] * path[:, None]
    return kept[:, None, None] * before + rates.rank_one * one + rates.rank_mu * (steps * weights[..., None]).mT @ steps


def _principal(covariance: Tensor, between: Callable[[], None]) -> tuple[Tensor, Tensor]:
    """B [R, d, d] and D [R, d] with C = B D^2 B^T."""
    found = []
    for matrix in covariance:
        between()
        found.append(torch.linalg.eigh((matrix + matrix.T) / 2))
    values, vectors = (torch.stack(parts) for parts in zip(*found))
    return vectors, values.clamp_min(SMALLEST).sqrt()


def _effective(weights: Tensor) -> float:
    """How many equally weighted points the weights amount to."""
    return float(weights.sum().square() / weights.square().sum())
