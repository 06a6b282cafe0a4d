"""The study that chooses the defaults of LGS: one factor after the other, on validation instances of our own.

Every trial is kept, so that the choice can be checked; the released code's variant is a trial like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model import LGSNet
from ..search import lgs
from ..search.base.target import DECODING
from .bootstrap import Values, interval
from .methods import Contestant, Figures, compare

Settings = dict[str, str]


def _text(value: object) -> str:
    """A setting as the command line takes it."""
    if isinstance(value, tuple):
        return f"[{','.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


FACTORS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("decoding", ("sampled", "greedy")),
    ("gamma", ("0.379", "0.168", "0.05")),
    ("prior_power", ("1.0", "0.0")),
    ("lam", ("1000.0", "100.0", "10000.0")),
    ("growth", ("1.0", "1.02")),
    ("interaction", ("simultaneous", "distinct", "split")),
    ("intervals", ("[1,1,5,15,25,100,150]", "[1]", "[5]")),
    ("source", ("chains", "proposals", "fresh")),
    ("restart", ("false", "true")),
    ("imitation", ("0.0", "0.003", "0.01")),
    ("scored", ("0", "32")),
    ("rate", ("0.001", "0.0", "0.003", "0.01")),
    ("part", ("output:rate=0.001", "keys:rate=0.003")),
    ("particles", ("600", "200", "100", "50")),
    ("crossover", ("1.0", "0.5")),
    ("sigma2", ("0.01", "0.0001")),
)
"""In this order. The first value of each is where the study starts: the paper's text, where it gives one.

A value may bring other settings that go with it: W_O and the keys want steps of different size.
"""

PAPER: Settings = {name: values[0].partition(":")[0] for name, values in FACTORS}

RELEASED: Settings = {
    "decoding": "greedy",
    "prior_power": "0.0",
    "lam": "10000.0",
    "growth": "1.02",
    "base": "random",
    "crossover": "0.9",
    "restart": "true",
}
"""The published code's departures from the paper's text."""


DEFAULTS: Settings = {
    "decoding": DECODING,
    **{name: _text(getattr(lgs.Params(), name)) for name, _ in FACTORS if name != "decoding"},
}
"""Those of the method `lgs`: if they are what the study starts from, it says whether any factor alone betters them."""


@dataclass(frozen=True)
class Trial:
    factor: str
    settings: Settings
    costs: Values
    """[B] mean over seeds."""
    kept: bool = False


def study(
    model: LGSNet,
    instance: Any,
    seconds: float,
    seeds: Sequence[int] = (0,),
    batch: int = 20,
    factors: Sequence[tuple[str, tuple[str, ...]]] = FACTORS,
    progress: Callable[[Trial], None] = lambda trial: None,
) -> list[Trial]:
    """All trials, in order. A value replaces the one before it when its mean cost is lower, no more is asked."""

    def attempt(factor: str, settings: Settings, best: Trial | None) -> Trial:
        label = ":".join(["lgs", *(f"{name}={value}" for name, value in settings.items())])
        runs = compare(model, instance, [Contestant.parse(label)], seconds, seeds, batch).runs[label]
        costs = runs.costs.mean(0)
        trial = Trial(factor, settings, costs, best is None or bool(costs.mean() < best.costs.mean()))
        trials.append(trial)
        progress(trial)
        return trial

    trials: list[Trial] = []
    best = attempt("paper", PAPER, None)
    released = attempt("released", PAPER | RELEASED, best)
    best = released if released.kept else best
    defaults = attempt("defaults", DEFAULTS, best)
    best = defaults if defaults.kept else best
    for factor, values in factors:
        start = best.settings
        for value in values:
            if with_value(start, factor, value) != start:
                trial = attempt(factor, with_value(best.settings, factor, value), best)
                best = trial if trial.kept else best
    return trials


def with_value(settings: Settings, factor: str, value: str) -> Settings:
    """The settings with another value of a factor, and with what the value brings."""
    own, *more = value.split(":")
    return settings | {factor: own} | dict(part.split("=", 1) for part in more)


def figures(trials: Sequence[Trial], sense: int = 1) -> Figures:
    """Every trial with its distance from the best, paired over instances, and the settings chosen."""
    best = [trial for trial in trials if trial.kept][-1]
    rows = []
    for trial in trials:
        low, high = interval(trial.costs - best.costs)
        difference = {"mean": float(np.mean(trial.costs - best.costs)), "low": low, "high": high}
        rows.append(
            {
                "factor": trial.factor,
                "settings": trial.settings,
                "cost": sense * float(trial.costs.mean()),
                "above_best": difference,
                "kept": trial.kept,
            }
        )
    return {"chosen": best.settings, "trials": rows}
