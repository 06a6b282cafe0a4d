"""How the best cost falls with time: one line per solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from . import canvas


@dataclass(frozen=True)
class Curve:
    """What a search knew at which moment."""

    label: str
    seconds: Sequence[float]
    costs: Sequence[float]
    """As people count them."""
    reference: float | None = None
    end: float = 0.0
    """Seconds at which the search ended."""


def draw(curves: Sequence[Curve], title: str = "", ax: Any = None) -> Any:
    """Costs for a single curve without a reference, otherwise gaps to the reference, or to the best at the end."""
    ax = canvas.axes(ax, (7.5, 4.5))
    gaps = len(curves) > 1 or curves[0].reference is not None
    for number, curve in enumerate(curves):
        base = curve.reference or curve.costs[-1]
        shown = [100 * abs(cost - base) / abs(base) for cost in curve.costs] if gaps and base else list(curve.costs)
        end = max(curve.end, curve.seconds[-1])
        moments = [*curve.seconds, end]
        look = {"color": canvas.colour(number), "linestyle": canvas.dashes(number), "linewidth": 1.8}
        ax.step(moments, [*shown, shown[-1]], where="post", label=curve.label, **look)
        ax.plot(moments[-1], shown[-1], "o", color=canvas.colour(number), markersize=4)
    seconds(ax)
    if not gaps:
        ax.set_ylabel("best cost so far")
    elif all(curve.reference is not None for curve in curves):
        ax.set_ylabel("gap to the best known in %")
    else:
        ax.set_ylabel("gap in % (to the best known, or the best at the end)")
    ax.grid(alpha=0.3)
    if 1 < len(curves) <= 20:
        ax.legend(fontsize=8)
    ax.set_title(title)
    return ax.figure


def seconds(ax: Any) -> None:
    """A logarithmic axis with readable numbers: as many of each decade as there is room for, or round ones in one."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    ax.set_xscale("log")
    low, high = ax.get_xlim()
    several = LogLocator(subs=(1, 2, 5) if high < 1e4 * low else (1,))
    ax.xaxis.set_major_locator(several if high >= 10 * low else MaxNLocator(6, steps=(1, 2, 5, 10)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("seconds of search")
