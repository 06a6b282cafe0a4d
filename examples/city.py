"""Make a delivery day in a city: clusters of customers around squares, a depot at the edge, parcels of a few sizes."""

from __future__ import annotations

import numpy as np

import lgs


def city(customers: int = 100, seed: int = 7) -> lgs.Named:
    """Coordinates in metres, `customers` stops, parcels of 5 to 60 kg, vans that carry 400 kg."""
    random = np.random.default_rng(seed)
    squares = random.uniform(1_500, 10_500, size=(6, 2))
    near = squares[random.integers(len(squares), size=customers)] + random.normal(0, 700, size=(customers, 2))
    scattered = random.uniform(500, 11_500, size=(customers, 2))
    stops = np.where(random.random((customers, 1)) < 0.65, near, scattered).clip(0, 12_000).round()
    parcels = random.integers(1, 13, size=customers) * 5
    return lgs.Problem.cvrp(
        coords=np.vstack(([1_200, 1_800], stops)),
        demand=[0, *parcels],
        capacity=400,
        metric="rounded",
        names=["depot", *(f"stop {number}" for number in range(1, customers + 1))],
        name="city",
    )
