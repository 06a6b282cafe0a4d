"""The tour."""

from __future__ import annotations

from typing import Any

from ....problems.tsp import Instance
from .. import tour


def draw(instance: Instance, routes: list[list[int]], title: str, ax: Any = None) -> Any:
    return tour.draw(instance.places, routes[0], title, ax)
