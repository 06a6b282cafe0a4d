"""The figure of docs/theory.md: `python -m benchmarks.theory docs/theory.png`, from the repository's root.

On the enumerable target of the theory tests: how fast the law of one chain reaches pi, with fixed weights and with
weights that converge.
"""

from __future__ import annotations

import sys

import torch
from matplotlib.figure import Figure
from tests.search.enumerated import Enumerated, three_customers, total_variation

from lgs.search.base import overlay
from lgs.search.base.overlay import OUTPUT

STEPS = 400


def fixed(one: Enumerated) -> tuple[list[float], list[float]]:
    """TV distance after m steps, and the bound kappa rho^m from the spectrum."""
    law, matrix = one.law().flatten(), one.kernel()
    root = law.sqrt()
    spectrum = torch.linalg.eigvalsh(root[:, None] * matrix / root)
    rho = float(max(spectrum[-2], -spectrum[0]))
    now = one.law(lam=0.0).flatten()
    kappa = float(((now - law).square() / law).sum().sqrt()) / 2
    distances = []
    for _ in range(120):
        distances.append(total_variation(now, law))
        now = now @ matrix
    print(f"fixed weights: kappa = {kappa:.3f}, rho = {rho:.4f}, TV after 30 steps {distances[30]:.5f}")
    return distances, [kappa * rho**m for m in range(120)]


def adaptive(one: Enumerated, gamma: float) -> list[float]:
    """TV distance to pi at theta_inf, for theta_m = theta_inf + D / m^gamma."""
    final = overlay.weight(one.target.model, OUTPUT, 1)
    direction = 0.2 * torch.randn(final.shape, generator=torch.Generator().manual_seed(0))
    law, now, distances = one.law(over={OUTPUT: final}).flatten(), one.law(lam=0.0).flatten(), []
    for m in range(1, STEPS + 1):
        now = now @ one.kernel(over={OUTPUT: final + direction / m**gamma})
        distances.append(total_variation(now, law))
    print(f"gamma = {gamma}: TV after 10, 100, {STEPS} steps", *(f"{distances[m - 1]:.5f}" for m in (10, 100, STEPS)))
    return distances


def main(path: str) -> None:
    figure = Figure(figsize=(10, 4), layout="constrained")
    left, right = figure.subplots(1, 2)
    distances, bound = fixed(Enumerated(three_customers(), 40))
    left.semilogy(distances, label="total variation")
    left.semilogy(bound, "--", label="κ ρ^m")
    left.set(title="fixed weights", xlabel="m", ylabel="distance to π")
    one = Enumerated(three_customers(), 16)
    steps = torch.arange(1, STEPS + 1, dtype=torch.float64)
    for gamma, color in ((0.5, "C0"), (0.7, "C1"), (1.0, "C2")):
        found = adaptive(one, gamma)
        rate = (steps + 1).log() / steps**gamma
        constant = found[39] / float(rate[39])
        right.loglog(steps, found, color=color, label=f"γ = {gamma}")
        right.loglog(steps, constant * rate, "--", color=color, linewidth=1)
    right.set(title="weights θ∞ + D m^-γ; dashed: c m^-γ log m", xlabel="m")
    for axes in (left, right):
        axes.grid(alpha=0.3)
        axes.legend()
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1])
