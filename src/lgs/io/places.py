"""Coordinates and matrices of one file as a `Geometry`, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..problems.geometry import EXPLICIT, Geometry, from_coords, from_matrix
from .errors import ReadError

MAX_MATRIX = 1_500
"""Nodes of an explicit matrix: finding coordinates for it takes the cube of that."""


def from_points(points: Sequence[Sequence[float]], metric: str) -> Geometry:
    """A batch of one from N pairs."""
    return from_coords(torch.tensor([list(map(list, points))], dtype=torch.float64), metric)


def from_table(matrix: NDArray[np.float64], where: str, points: Sequence[Sequence[float]] | None = None) -> Geometry:
    """A batch of one from an N x N matrix, row to column; nothing is ever asked of its diagonal, so that is 0."""
    check_size(len(matrix), where)
    matrix = matrix.copy()
    np.fill_diagonal(matrix, 0.0)
    check_positive(matrix, where)
    coords = None if points is None else torch.tensor([list(map(list, points))], dtype=torch.float64)
    return from_matrix(torch.from_numpy(matrix)[None], coords)


def check_positive(matrix: NDArray[np.float64], where: str, first: int = 1) -> None:
    """Name the first two nodes with a negative distance; nodes are numbered from `first`."""
    negative = np.argwhere((matrix < 0) & ~np.eye(len(matrix), dtype=bool))
    if len(negative):
        i, j = negative[0]
        nodes = f"from node {first + i} to node {first + j}"
        raise ReadError(f"{where}: the distance {matrix[i, j]:g} {nodes} is negative")


def check_symmetric(matrix: NDArray[np.float64], where: str, first: int = 1) -> None:
    """Name the first two nodes whose distance depends on the direction."""
    uneven = np.argwhere(np.triu(matrix != matrix.T))
    if len(uneven):
        i, j = uneven[0]
        there, back = f"node {first + i} to node {first + j} is {matrix[i, j]:g}", f"{matrix[j, i]:g}"
        raise ReadError(f"{where}: from {there}, back it is {back}; only TYPE: ATSP allows that")


def check_size(size: int, where: str) -> None:
    """Refuse a matrix of more nodes than we can look at, before anything is allocated for it."""
    if size > MAX_MATRIX:
        raise ReadError(f"{where}: an explicit matrix of {size} nodes is too large (at most {MAX_MATRIX})")


def describe(places: Geometry) -> dict[str, Any]:
    """The JSON fields of a batch of one."""
    coords = places.coords[0].tolist()
    if places.metric == EXPLICIT:
        return {"coordinates": coords, "matrix": places.distances()[0].tolist()}
    return {"metric": places.metric, "coordinates": coords}
