"""The latent space as a search saw it: where the chains were, what that cost, and the way to the best."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import canvas

MOST = 6000
"""Points that are drawn; with more, evenly chosen ones."""
COLOURED = 0.98
"""Share of the costs that the colours tell apart; worse ones all have the last colour."""


def draw(
    latents: NDArray[np.float64],
    costs: NDArray[np.float64],
    title: str = "",
    unit: str = "cost",
    sense: int = 1,
    ax: Any = None,
) -> Any:
    """latents [S, K, d_z] and costs [S, K] (minimised) of K chains over S iterations.

    Two dimensions are drawn as they are, more as their two principal components; colours show `sense * costs`.
    """
    ax = canvas.axes(ax, (7.5, 6.0))
    flat = latents.reshape(-1, latents.shape[-1])
    plane, share = _plane(flat)
    shown = np.linspace(0, len(flat) - 1, min(MOST, len(flat))).astype(int)
    # The cheap in front: there are few of them.
    shown = shown[np.argsort(-costs.reshape(-1)[shown])]
    # A few bad ones would take the colours away from all the others.
    worst = float(np.quantile(costs, COLOURED))
    values = sense * costs.reshape(-1)[shown].clip(max=worst)
    dots = ax.scatter(*plane[shown].T, c=values, s=12, cmap=canvas.MAP, linewidths=0, alpha=0.8)
    beyond = "neither" if worst == costs.max() else "max" if sense > 0 else "min"
    ax.figure.colorbar(dots, ax=ax, label=unit, extend=beyond)
    step, chain = np.unravel_index(int(costs.argmin()), costs.shape)
    path = plane.reshape(*costs.shape, 2)[: step + 1, chain]
    ax.plot(*path.T, color=canvas.colour(3), linewidth=1.2, label="the chain that found the best")
    ax.scatter(*path[0], s=50, color="white", edgecolors=canvas.colour(3), zorder=3, label="its beginning")
    ax.scatter(*path[-1], s=170, marker="*", color=canvas.colour(3), edgecolors="white", zorder=4, label="the best")
    names = (
        ("z 1", "z 2") if share is None else [f"component {i + 1} ({100 * part:.0f}%)" for i, part in enumerate(share)]
    )
    ax.set_xlabel(names[0])
    ax.set_ylabel(names[1])
    ax.legend(fontsize=8, loc="best")
    ax.set_title(title)
    return ax.figure


def _plane(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], list[float] | None]:
    """[P, 2] of points [P, d], and the share of the variance along each axis where d is not 2."""
    if points.shape[1] == 2:
        return points, None
    centred = points - points.mean(0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    plane = centred @ vectors[:, ::-1][:, :2]
    if plane.shape[1] < 2:
        plane = np.column_stack((plane, np.zeros(len(plane))))
    total = float(values.sum()) or 1.0
    return plane, [float(value) / total for value in [*values[::-1], 0.0][:2]]
