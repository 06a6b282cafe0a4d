"""Knapsack: `items capacity`, then value and weight of one item per line."""

from __future__ import annotations

from pathlib import Path

from .. import exact, numeric
from ..fields import Fields
from ..named import Named
from ..schemas import build
from ..text import MAX_NODES, shortest

TITLE = "knapsack"
SUFFIX = ".kp"
PROBLEMS = ("knapsack",)
NATIVE = ("knapsack",)


def recognises(text: str, path: str) -> bool:
    return numeric.is_numeric(text, path) and not numeric.is_jobshop(text, path)


def read(text: str, path: str) -> Named:
    head, *body = numeric.rows(text, path)
    if len(head.words()) != 2:
        raise head.error("the number of items and the capacity expected")
    count, capacity = head.cells()
    items = count.integer(least=1)
    if items > MAX_NODES:
        raise count.error(f"{items} items are too many (at most {MAX_NODES:,})")
    if len(body) < items:
        raise (body[-1] if body else head).error(f"the file ends after {len(body)} of {items} items")
    pairs, chosen = [line.cells() for line in body[:items]], body[items:]
    for line, pair in zip(body, pairs):
        if len(pair) != 2:
            raise line.error(f"{len(pair)} numbers; the value and the weight of an item expected")
    columns = {"value": [pair[0] for pair in pairs], "weight": [pair[1] for pair in pairs]}
    fields = Fields(path, single={"capacity": capacity}, columns=columns)
    reference = None
    if chosen:
        # Files that circulate with an optimal choice give it on one more line, a 0 or 1 per item.
        flags = chosen[0].words()
        if len(chosen) > 1 or len(flags) != items or set(flags) - {"0", "1"}:
            raise chosen[0].error(f"expected nothing after {items} items, or a 0 or 1 for each")
        reference = sum(value.number() for value, flag in zip(columns["value"], flags) if flag == "1")
    return build("knapsack", fields, name=Path(path).stem, reference=reference)


def write(named: Named) -> str:
    instance = named.instance
    weights = [exact.text(amount, instance.unit) for amount in instance.weights[0].tolist()]
    values = [shortest(value) for value in instance.values[0].tolist()]
    text = [f"{len(weights)} {exact.text(int(instance.capacity[0]), instance.unit)}"]
    return "\n".join(text + [f"{value} {weight}" for value, weight in zip(values, weights)]) + "\n"
