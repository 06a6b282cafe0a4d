"""Places and the distances between them, in every metric of TSPLIB and VRPLIB.

An instance is measured in its own metric and seen by the network in a normalised view, so that symmetries and
units change what is seen and never what is measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Generator, Tensor

from .batched import Batched


def _sqrt(x: Tensor) -> Tensor:
    # PyTorch's root on a CPU may be one unit in the last place away, by machine; NumPy's and CUDA's are exact.
    return torch.from_numpy(np.asarray(np.sqrt(x.numpy()))) if x.device.type == "cpu" else x.sqrt()


def _euclidean(p: Tensor, q: Tensor) -> Tensor:
    return _sqrt((p - q).square().sum(-1))


def _rounded(p: Tensor, q: Tensor) -> Tensor:
    return (_euclidean(p, q) + 0.5).floor()


def _ceil(p: Tensor, q: Tensor) -> Tensor:
    return _euclidean(p, q).ceil()


def _att(p: Tensor, q: Tensor) -> Tensor:
    exact = _sqrt((p - q).square().sum(-1) / 10)
    nearest = (exact + 0.5).floor()
    return nearest + (nearest < exact)


def _geo(p: Tensor, q: Tensor) -> Tensor:
    # TSPLIB 95, section 2.4, with its own value of pi and of the Earth's radius.
    def radians(x: Tensor) -> Tensor:
        degrees = x.trunc()
        return 3.141592 * (degrees + 5.0 * (x - degrees) / 3.0) / 180.0

    (lat_p, lon_p), (lat_q, lon_q) = radians(p).unbind(-1), radians(q).unbind(-1)
    a, b, c = (lon_p - lon_q).cos(), (lat_p - lat_q).cos(), (lat_p + lat_q).cos()
    return (6378.388 * (0.5 * ((1 + a) * b - (1 - a) * c)).clamp(-1, 1).acos() + 1).floor()


METRICS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "euclidean": _euclidean, "rounded": _rounded, "ceil": _ceil, "geo": _geo, "att": _att,
}  # fmt: skip
EXPLICIT = "explicit"


@dataclass(frozen=True)
class Geometry(Batched):
    """B sets of N places.

    coords [B, N, 2] float64 in the instance's own units; view [B, N, 2] float32 in the unit square, what the
    network sees; matrix [B, N, N] float64 for the explicit metric (it may be asymmetric), else None.
    """

    coords: Tensor
    view: Tensor
    matrix: Tensor | None = None
    metric: str = "euclidean"

    @property
    def size(self) -> int:
        return self.coords.shape[1]

    def lengths(self, start: Tensor, end: Tensor) -> Tensor:
        """float64 length of the legs start -> end, both [B, ...] node indices."""
        # As many legs as there are pairs: looking them up is several times faster, and finds the same numbers.
        if self.matrix is not None or start.numel() >= len(self.coords) * self.size**2:
            flat = torch.add(end, start, alpha=self.size).flatten(1)
            return self.distances().flatten(1).gather(1, flat).view(start.shape)
        legs = METRICS[self.metric](self._places(start), self._places(end))
        return legs.masked_fill(start == end, 0.0)

    def distances(self) -> Tensor:
        """[B, N, N] float64, from row to column."""
        if self.matrix is not None:
            return self.matrix
        table = METRICS[self.metric](self.coords[:, :, None], self.coords[:, None])
        return table.masked_fill(torch.eye(self.size, dtype=torch.bool, device=table.device), 0.0)

    def log_distances(self) -> Tensor:
        """[B, N, N] float32 log of the distance in units of the typical gap between neighbours, bounded below."""
        # Not by matrix products: they lose the distances between neighbours, which matter most here.
        table = _euclidean(self.view[:, :, None], self.view[:, None])
        if self.matrix is not None:
            scale = table.mean((1, 2), keepdim=True) / self.matrix.mean((1, 2), keepdim=True).clamp_min(1e-12)
            table = self.matrix * scale
        return (table.float() * math.sqrt(self.size) + 0.01).log()

    def images(self, count: int) -> list[Geometry]:
        """`count` (1 to 8) of the square's symmetries, applied to the view alone."""
        if not 1 <= count <= 8:
            raise ValueError(f"a square has 8 symmetries, {count} asked for")
        x, y = self.view[..., 0], self.view[..., 1]
        pairs = [
            (x, y),
            (1 - x, 1 - y),
            (y, 1 - x),
            (1 - y, x),
            (y, x),
            (1 - y, 1 - x),
            (x, 1 - y),
            (1 - x, y),
        ]
        return [replace(self, view=torch.stack(pair, -1)) for pair in pairs[:count]]

    def _places(self, node: Tensor) -> Tensor:
        index = node.flatten(1)[..., None].expand(-1, -1, 2)
        return self.coords.gather(1, index).view(*node.shape, 2)


def from_coords(coords: Tensor, metric: str = "euclidean") -> Geometry:
    """Places given by coordinates [B, N, 2] of any scale."""
    if metric not in METRICS:
        raise ValueError(f"unknown metric {metric!r}; known: {', '.join([*METRICS, EXPLICIT])}")
    coords = coords.double()
    return Geometry(coords, normalised(coords), None, metric)


def from_matrix(matrix: Tensor, coords: Tensor | None = None) -> Geometry:
    """Places given by a distance matrix [B, N, N]; seen at `coords`, or where scaling puts them."""
    matrix = matrix.double()
    coords = embed(matrix) if coords is None else coords.double()
    return Geometry(coords, normalised(coords), matrix, EXPLICIT)


def uniform(batch: int, count: int, generator: Generator | None = None) -> Geometry:
    """Places uniform in the unit square (the paper's distribution)."""
    return from_coords(torch.rand(batch, count, 2, generator=generator, dtype=torch.float64))


def normalised(coords: Tensor) -> Tensor:
    """The bounding box's centre moved to (1/2, 1/2) and its longer side to length 1; float32."""
    low, high = coords.amin(1, keepdim=True), coords.amax(1, keepdim=True)
    extent = (high - low).amax(-1, keepdim=True)
    extent = torch.where(extent > 0, extent, torch.ones_like(extent))
    return ((coords - (low + high) / 2) / extent + 0.5).float()


def embed(matrix: Tensor) -> Tensor:
    """Coordinates [B, N, 2] whose distances are near `matrix`: classical multidimensional scaling."""
    squared = ((matrix + matrix.mT) / 2).square()
    centred = squared - squared.mean(1, keepdim=True)
    gram = -(centred - centred.mean(2, keepdim=True)) / 2
    values, vectors = torch.linalg.eigh(gram)
    places = vectors[..., -2:] * values[..., None, -2:].clamp_min(0).sqrt()
    missing = 2 - places.shape[-1]
    return torch.nn.functional.pad(places, (0, missing)) if missing else places
