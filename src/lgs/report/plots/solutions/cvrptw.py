"""The routes with load bars, and below them the hours of the customers."""

from __future__ import annotations

from typing import Any

from ....problems.cvrptw import Instance
from .. import routes as routing
from .. import windows


def draw(instance: Instance, routes: list[list[int]], title: str, ax: Any = None) -> Any:
    """Both on one figure; on given axes the map alone."""
    if ax is not None:
        return routing.draw(instance, routes, title, ax)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 7), dpi=150, layout="constrained")
    left, right = figure.subplots(1, 2)
    routing.draw(instance, routes, title, left)
    windows.draw(instance, routes, "", right)
    return figure
