"""Instances from arrays, lists, or columns of a pandas table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..io import Named
from ..io.formats import formats


class Problem:
    """Instances from numbers at hand. They pass the same checks as a JSON file of the same fields.

    Routing problems take `coords` [N, 2] with a `metric` (euclidean, rounded, ceil, geo, att), or a distance
    `matrix` [N, N], with `coords` beside it only to draw and look at. Row 0 is the depot where there is one.

    >>> square = Problem.tsp(coords=[[0, 0], [0, 1], [1, 1], [1, 0]])
    >>> square.check([[0, 1, 2, 3]]).cost
    4.0
    """

    @staticmethod
    def tsp(
        coords: ArrayLike | None = None,
        matrix: ArrayLike | None = None,
        *,
        metric: str | None = None,
        names: Sequence[str] | None = None,
        name: str = "tsp",
    ) -> Named:
        """The shortest closed tour through all nodes."""
        return _named("tsp", name, names, coordinates=coords, matrix=matrix, metric=metric)

    @staticmethod
    def cvrp(
        coords: ArrayLike | None = None,
        demand: ArrayLike = (),
        capacity: float = 0,
        matrix: ArrayLike | None = None,
        *,
        metric: str | None = None,
        names: Sequence[str] | None = None,
        vehicles: int | None = None,
        name: str = "cvrp",
    ) -> Named:
        """Routes that serve every customer's demand with vehicles of one capacity; `demand[0]` is the depot's 0.

        >>> two = Problem.cvrp(coords=[[0, 0], [3, 4], [6, 8]], demand=[0, 1, 1], capacity=2)
        >>> two.check([[1, 2]]).cost
        20.0
        """
        return _named(
            "cvrp",
            name,
            names,
            coordinates=coords,
            matrix=matrix,
            metric=metric,
            demand=demand,
            capacity=capacity,
            vehicles=vehicles,
        )

    @staticmethod
    def cvrptw(
        coords: ArrayLike | None = None,
        demand: ArrayLike = (),
        capacity: float = 0,
        ready: ArrayLike = (),
        due: ArrayLike = (),
        service: ArrayLike = (),
        matrix: ArrayLike | None = None,
        *,
        metric: str | None = None,
        names: Sequence[str] | None = None,
        vehicles: int | None = None,
        name: str = "cvrptw",
    ) -> Named:
        """As `cvrp`; service begins between `ready` and `due` and takes `service`. Row 0: the depot's hours."""
        return _named(
            "cvrptw",
            name,
            names,
            coordinates=coords,
            matrix=matrix,
            metric=metric,
            demand=demand,
            capacity=capacity,
            ready=ready,
            due=due,
            service=service,
            vehicles=vehicles,
        )

    @staticmethod
    def knapsack(
        weight: ArrayLike,
        value: ArrayLike,
        capacity: float,
        *,
        names: Sequence[str] | None = None,
        name: str = "knapsack",
    ) -> Named:
        """The items of the greatest total value whose weights fit together."""
        return _named("knapsack", name, names, weight=weight, value=value, capacity=capacity)

    @staticmethod
    def jobshop(duration: ArrayLike, machine: ArrayLike, *, name: str = "jobshop") -> Named:
        """`duration` and `machine` [jobs, operations], machines from 0: the schedule that ends first."""
        return _named("jobshop", name, None, duration=duration, machine=machine)


def _named(problem: str, name: str, names: Sequence[str] | None, **fields: Any) -> Named:
    """Through the JSON reader, so that numbers from anywhere are judged alike."""
    data = {"problem": problem, "name": name, **{key: _plain(value) for key, value in fields.items()}}
    if names is not None:
        data["names"] = [str(label) for label in names]
    text = json.dumps({key: value for key, value in data.items() if value is not None})
    return formats()["json"].read(text, name)


def _plain(value: Any) -> Any:
    return value if value is None or isinstance(value, str) else np.asarray(value).tolist()
