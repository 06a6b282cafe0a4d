"""Search methods compared: same weights, same instances, same wall-clock time (the paper's table of methods)."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from .. import search
from ..model import LGSNet
from ..search import Budget, Result, Target
from ..search.base.target import DECODING, Decoding
from .bootstrap import Values, interval

Figures = dict[str, Any]
VARIANTS = ("active:imitation=0", "eas:variant=lay")
"""Compared beside every method with its default settings."""
BASELINE = "lgs"
SHORTEST = 0.001
"""Seconds of the time axis at least: a budget of 0 still makes a first rollout."""


@dataclass(frozen=True)
class Contestant:
    """A method with its settings, written `name:setting=value:...`; decoding and augment are settings as well."""

    label: str
    method: str
    params: Any
    decoding: Any = DECODING
    augment: int = 1

    @staticmethod
    def parse(text: str, decoding: str = DECODING, augment: int = 1) -> Contestant:
        method, *parts = text.split(":")
        settings: dict[str, Any] = {}
        for part in parts:
            name, equals, value = part.partition("=")
            if not equals:
                raise ValueError(f"{text!r}: {part!r} is not of the form setting=value")
            settings[name] = value
        decoding = settings.pop("decoding", decoding)
        if decoding not in get_args(Decoding):
            raise ValueError(f"{text}: decoding must be one of {', '.join(get_args(Decoding))}, is {decoding!r}")
        images = str(settings.pop("augment", augment))
        if not images.isdecimal() or not int(images):
            raise ValueError(f"{text}: augment must be a whole number from 1, is {images!r}")
        return Contestant(text, method, search.parameters(method, settings), decoding, int(images))


@dataclass(frozen=True)
class Runs:
    """One contestant on B instances with S seeds; time is per instance."""

    costs: Values
    """[S, B]"""
    curves: Values
    """[S, points] mean best cost at each moment of the common time axis; nan before every instance has one."""
    seconds: float
    rollouts: float
    iterations: float
    acceptance: float | None
    feasible: bool


@dataclass(frozen=True)
class Comparison:
    times: Values
    """[points] seconds per instance."""
    runs: dict[str, Runs]
    reference: Values
    """[B] costs that gaps are measured from."""
    reference_name: str


def everyone() -> list[str]:
    """All methods with their defaults, and the variants that the paper's table names."""
    return sorted([*search.names(), *VARIANTS])


def compare(
    model: LGSNet,
    instance: Any,
    contestants: Sequence[Contestant],
    seconds: float,
    seeds: Sequence[int] = (0,),
    batch: int = 20,
    reference: Values | None = None,
    progress: Callable[[str, float], None] = lambda label, cost: None,
) -> Comparison:
    """Everyone in turn, `seconds` per instance, `batch` instances searched together; seeds are the outer loop."""
    labels = [who.label for who in contestants]
    for label in labels:
        if labels.count(label) > 1:
            raise ValueError(f"{label} is there {labels.count(label)} times; name every method once")
    axis = max(seconds, SHORTEST)
    times = np.geomspace(axis / 100, axis, 60)
    results: dict[str, list[list[Result]]] = {label: [] for label in labels}
    for seed in seeds:
        for who in contestants:
            one_seed = [
                _run(model, instance.rows(slice(first, first + batch)), who, seconds, seed + first)
                for first in range(0, len(instance), batch)
            ]
            results[who.label].append(one_seed)
            progress(who.label, float(np.concatenate([result.costs.numpy() for result in one_seed]).mean()))
    runs = {label: _summary(by_seed, times) for label, by_seed in results.items()}
    if reference is None:
        best = np.min([run.costs.min(0) for run in runs.values()], axis=0)
        return Comparison(times, runs, best, "best of these runs")
    return Comparison(times, runs, reference, "given")


def _run(model: LGSNet, instance: Any, who: Contestant, seconds: float, seed: int) -> Result:
    target = Target(model, instance, decoding=who.decoding, augment=who.augment, seed=seed)
    result = search.run(search.load(who.method), target, Budget(seconds=seconds * len(instance)), who.params)
    if result.stopped == "interrupted":  # Whoever was cut short cannot be compared.
        raise KeyboardInterrupt
    return result


def _summary(by_seed: list[list[Result]], times: Values) -> Runs:
    every = [result for results in by_seed for result in results]
    instances = sum(len(result.costs) for result in by_seed[0])
    accepted = [result.acceptance for result in every if result.acceptance is not None]
    return Runs(
        costs=np.stack([np.concatenate([result.costs.numpy() for result in results]) for results in by_seed]),
        curves=np.stack([_curve(results, times) for results in by_seed]),
        seconds=sum(result.seconds for result in every) / (instances * len(by_seed)),
        rollouts=float(np.mean([result.rollouts for result in every])),
        iterations=float(np.mean([result.iterations for result in every])),
        acceptance=float(np.mean(accepted)) if accepted else None,
        feasible=all(result.feasible for result in every),
    )


def _curve(results: list[Result], times: Values) -> Values:
    """[points] mean over instances of the best cost by each moment of time per instance; the last is the outcome."""
    return np.asarray(
        [np.concatenate([_known(result, moment) for result in results]).mean() for moment in times[:-1]]
        + [np.concatenate([result.costs.numpy() for result in results]).mean()]
    )


def _known(result: Result, moment: float) -> Values:
    """[B] best costs by a moment of time per instance, nan before there are any."""
    best = result.trace.at(moment * len(result.costs))
    return np.full(len(result.costs), np.nan) if best is None else best.cpu().numpy()


def load_reference(path: Path, count: int) -> Values:
    """The first `count` costs of a JSON file `{"costs": [...]}`."""
    try:
        costs = json.loads(path.read_text())["costs"]
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise ValueError(f'{path}: not a JSON file with reference costs, as {{"costs": [...]}}') from error
    if len(costs) < count:
        raise ValueError(f"{path}: {len(costs)} reference costs for {count} instances; use fewer instances")
    return np.asarray(costs[:count], dtype=np.float64)


def figures(comparison: Comparison, sense: int = 1) -> Figures:
    """Per contestant: cost, gap to the reference in percent, time and work, and how much it is above `lgs`."""
    baseline = comparison.runs.get(BASELINE)
    rows: dict[str, Figures] = {}
    for label, run in sorted(comparison.runs.items(), key=lambda item: float(item[1].costs.mean())):
        mean = run.costs.mean(0)
        rows[label] = {
            "cost": sense * float(mean.mean()),
            "gap": float(_gap(mean.mean(), comparison.reference.mean())),
            "seconds": run.seconds,
            "rollouts": run.rollouts,
            "iterations": run.iterations,
            "acceptance": run.acceptance,
            "feasible": run.feasible,
        }
        if baseline is not None and label != BASELINE:
            rows[label]["above_lgs"] = _difference(mean - baseline.costs.mean(0))
    return {"reference": comparison.reference_name, "methods": rows}


def _difference(values: Values) -> Figures:
    low, high = interval(values)
    return {"mean": float(values.mean()), "low": low, "high": high}


def _gap(cost: float, reference: float) -> float:
    """The paper's gap in percent, for costs of either sign."""
    return (cost - reference) / abs(reference) * 100


def table(found: Figures) -> str:
    """The figures for people."""
    lines = [f"{'method':<24}{'cost':>10}{'gap %':>9}{'s/inst':>8}{'rollouts':>10}   above lgs (95% interval)"]
    for label, row in found["methods"].items():
        line = f"{label:<24}{row['cost']:>10.4f}{row['gap']:>9.3f}{row['seconds']:>8.2f}{row['rollouts']:>10.0f}"
        if "above_lgs" in row:
            d = row["above_lgs"]
            line += f"   {d['mean']:+.4f} ({d['low']:+.4f} to {d['high']:+.4f})"
        lines.append(line)
    return "\n".join([*lines, f"gaps to: {found['reference']}"])
