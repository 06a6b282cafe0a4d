"""What `import lgs` shows: instances in, solutions out."""

from .batches import Settings
from .problem import Problem
from .progress import Progress, Step
from .run import solve, solve_many, solving
from .solution import Improvement, Solution, gap

__all__ = [
    "Improvement",
    "Problem",
    "Progress",
    "Settings",
    "Solution",
    "Step",
    "gap",
    "solve",
    "solve_many",
    "solving",
]
