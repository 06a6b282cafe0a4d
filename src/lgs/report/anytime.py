"""The anytime plot: how the mean best cost falls with time per instance, one line per contestant."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .methods import Comparison
from .plots.anytime import seconds


def plot(comparison: Comparison, path: Path, title: str) -> None:
    """Gap to the reference over time, lines for means and bands from the lowest to the highest seed."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 5), layout="constrained")
    axes = figure.subplots()
    reference = float(comparison.reference.mean())
    ranked = sorted(comparison.runs.items(), key=lambda item: float(item[1].costs.mean()))
    for number, (label, run) in enumerate(ranked):
        gaps = (run.curves - reference) / abs(reference) * 100
        known = ~np.isnan(gaps).any(0)
        times, color = comparison.times[known], colormaps["tab20"](number % 20)
        axes.plot(times, gaps[:, known].mean(0), label=label, color=color, linewidth=2.5 if label == "lgs" else 1.2)
        axes.fill_between(times, gaps[:, known].min(0), gaps[:, known].max(0), color=color, alpha=0.2, linewidth=0)
    seconds(axes)
    axes.set_xlabel("seconds of search per instance")
    axes.set_ylabel(f"gap in % ({comparison.reference_name})")
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, ncols=2)
    figure.savefig(path, dpi=150)
