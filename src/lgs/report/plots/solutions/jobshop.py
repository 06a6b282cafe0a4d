"""The schedule."""

from ..gantt import draw as draw
