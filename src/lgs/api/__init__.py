"""What `import lgs` shows: instances in, solutions out."""

from .problem import Problem
from .progress import Progress, Step
from .solution import Improvement, Solution
from .solve import Settings, solve, solve_many, solving

__all__ = ["Improvement", "Problem", "Progress", "Settings", "Solution", "Step", "solve", "solve_many", "solving"]
