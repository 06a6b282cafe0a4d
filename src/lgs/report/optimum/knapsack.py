"""Knapsack's optimum: dynamic programming over undominated partial choices, pruned by the fractional bound.

Weights are too fine for a table over capacities. Items are decided in the order of value per weight; of the choices
so far only those are kept that no other beats in weight and value (Nemhauser and Ullmann), and of those only the ones
that could still beat the best complete choice if the remaining items were divisible (Dantzig).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from ...problems.knapsack import Instance

Weights = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


def costs(instance: Instance) -> Tensor:
    """[B] float64, the negative of the greatest total value."""
    rows = zip(instance.weights.cpu().numpy(), instance.values.cpu().numpy(), instance.capacity.tolist())
    return torch.tensor([-best_value(*row) for row in rows], dtype=torch.float64)


def best_value(weights: Weights, values: Values, capacity: int) -> float:
    """The greatest total value of items [N] that fit together."""
    with np.errstate(divide="ignore", invalid="ignore"):
        order = np.argsort(-values / weights, kind="stable")
    weights, values = weights[order], values[order]
    # Totals of the first 0, 1, ... N items; beyond the last one nothing is gained.
    load = np.concatenate(([0], weights.cumsum()))
    worth = np.concatenate(([0.0], values.cumsum()))
    rate = np.concatenate((values / np.maximum(weights, 1), [0.0]))
    used, gained, best = np.zeros(1, dtype=np.int64), np.zeros(1), 0.0
    for item in range(len(weights)):
        fits = used + weights[item] <= capacity
        used = np.concatenate((used, used[fits] + weights[item]))
        gained = np.concatenate((gained, gained[fits] + values[item]))
        # Fill up with the next items whole, then with a part of the first one that does not fit any more.
        reach = load[item + 1] + capacity - used
        stop = np.searchsorted(load, reach, side="right") - 1
        whole = gained + worth[stop] - worth[item + 1]
        bound = whole + (reach - load[stop]) * rate[stop]
        best = max(best, float(whole.max()))
        kept = bound > best
        if not kept.any():
            break
        used, gained = _undominated(used[kept], gained[kept])
    return best


def _undominated(used: Weights, gained: Values) -> tuple[Weights, Values]:
    """In the order of weight, only what is worth more than everything lighter."""
    order = np.lexsort((-gained, used))
    used, gained = used[order], gained[order]
    before = np.concatenate(([-np.inf], np.maximum.accumulate(gained)[:-1]))
    better = gained > before
    return used[better], gained[better]
