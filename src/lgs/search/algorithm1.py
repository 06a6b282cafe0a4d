"""Algorithm 1 with the paper's settings; the method `lgs` is the same code with settings of ours."""

from __future__ import annotations

from dataclasses import dataclass

from . import lgs
from .base.last_layer import Part
from .base.proposals import Interaction
from .lgs import Source

init, step = lgs.init, lgs.step


@dataclass(frozen=True)
class Params(lgs.Params):
    """The paper's appendix gives these values; lambda it does not give."""

    particles: int = 600
    lam: float = 1000.0
    gamma: float = 0.379
    """CVRP's; for TSP the paper has 0.319."""
    interaction: Interaction = "simultaneous"
    intervals: tuple[int, ...] = (1, 1, 5, 15, 25, 100, 150)
    part: Part = "output"
    rate: float = 0.001
    source: Source = "chains"
    imitation: float = 0.0
    scored: int = 0
