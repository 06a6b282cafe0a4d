"""The routes, with load bars."""

from ..routes import draw as draw
