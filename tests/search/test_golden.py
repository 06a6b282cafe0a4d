"""Golden costs: what every method finds with its defaults at a fixed seed. A change that moves them says so and why.

The network is untrained, so they do not tell good from bad: they tell whether a change has left a search alone.
"""

from __future__ import annotations

import pytest

from lgs import search
from lgs.search import Budget

from . import small

GOLDEN = {
    "active": 7.45597,
    "adam": 7.432791,
    "algorithm1": 7.315744,
    "beam": 9.746756,
    "cmaes": 7.660718,
    "de": 7.484475,
    "eas": 7.432791,
    "greedy": 13.343271,
    "interacting": 7.805008,
    "lgs": 7.928256,
    "parallel": 7.830395,
    "sampling": 7.547183,
    "sgld": 7.901676,
    "single": 9.290732,
}


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_golden_costs(name: str) -> None:
    target = small.target("cvrp", batch=3, size=14, decoding="sampled", seed=5)
    result = search.run(search.load(name), target, Budget(iterations=4), search.load(name).Params())
    assert float(result.costs.mean()) == pytest.approx(GOLDEN[name], abs=1e-5)
