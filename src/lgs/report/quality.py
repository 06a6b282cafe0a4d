"""How good a model is before any search: greedy episodes of 100 latents, against costs that are known."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Generator, Tensor

from ..model import LGSNet
from ..training import validation
from . import optimum
from .bootstrap import interval

PARTICLES = 100

Figures = dict[str, Any]


@dataclass(frozen=True)
class Yardstick:
    """Instances, and what their costs are compared with."""

    instance: Any
    costs: Tensor | None
    """[B] float64; None: nothing is known of these instances."""
    name: str
    instances: str
    """Where the instances come from."""


def published(model: LGSNet, size: int, count: int, path: Path) -> Yardstick:
    """The first `count` instances of the paper's test set, with the costs of a file."""
    problem = model.problem
    try:
        stored = json.loads(path.read_text())
        costs, name, first = stored["costs"], str(stored["solver"]), int(stored.get("first", 0))
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f'{path}: not a file of references, JSON with "costs" and "solver"') from error
    for key, asked in (("problem", problem.name), ("size", size)):
        if stored.get(key, asked) != asked:
            raise ValueError(f"{path}: made for {key} {stored[key]}, not {asked}")
    if len(costs) < count:
        raise ValueError(f"{path}: has {len(costs)} costs, {count} instances asked for; lower --instances")
    instance = problem.paper_set(size, first + count).rows(slice(first, first + count))
    return Yardstick(instance, torch.tensor(costs[:count], dtype=torch.float64), name, "paper")


def generated(model: LGSNet, size: int, count: int, seed: int | None = None) -> Yardstick:
    """Own instances: those of validation, or of another seed; exact optima where the problem lets one compute them."""
    problem = model.problem
    if seed is None or seed == validation.SEED:
        name, instance = "validation", validation.instances(problem, size, count)
        costs = validation.references(problem.name, size, count)
        if costs is not None:
            return Yardstick(instance, costs, validation.solver(problem.name, size), name)
    else:
        name, instance = f"generated, seed {seed}", problem.generate(count, size, Generator().manual_seed(seed))
    if problem.name in optimum.names():
        return Yardstick(instance, optimum.costs(problem.name, instance), "optimum", name)
    return Yardstick(instance, None, "none", name)


def measure(model: LGSNet, yardstick: Yardstick) -> Figures:
    """Costs as people count them, and gaps in percent where there is a reference.

    `single_z` gives all particles of an instance one latent and leaves them their starts: what distinct latents
    add to it is `latent_margin`, with a 95% interval over instances.
    """
    distinct = validation.evaluate(model, yardstick.instance, PARTICLES)
    single = validation.evaluate(model, yardstick.instance, PARTICLES, same=True)
    costs = {"best_of_100": distinct.amin(-1), "mean": distinct.mean(-1), "single_z": single.amin(-1)}
    sense = model.problem.sense
    figures: Figures = {name: sense * float(cost.mean()) for name, cost in costs.items()}
    figures["reference"] = yardstick.name
    scale = costs["best_of_100"] if yardstick.costs is None else yardstick.costs
    if yardstick.costs is not None:
        figures["reference_mean"] = sense * float(scale.mean())
        figures |= {f"{name}_gap": validation.gap(cost, scale) for name, cost in costs.items()}
    gained = 100 * (costs["single_z"] - costs["best_of_100"]) / scale.abs()
    low, high = interval(gained.numpy())
    figures["latent_margin"] = {"mean": float(gained.mean()), "low": low, "high": high}
    return figures


def table(found: Figures) -> str:
    """The figures for people."""
    lines = [
        "{problem} {size}, {instances} instances ({set}), weights {weights}".format(**found),
        f"{'':<14}{'mean':>12}{'gap %':>9}",
    ]
    for name in ("best_of_100", "mean", "single_z"):
        gap = f"{found[f'{name}_gap']:9.3f}" if f"{name}_gap" in found else f"{'-':>9}"
        lines.append(f"{name.replace('_', ' '):<14}{found[name]:12.4f}{gap}")
    if "reference_mean" in found:
        lines.append(f"{'reference':<14}{found['reference_mean']:12.4f}   {found['reference']}")
    margin = found["latent_margin"]
    lines.append("distinct latents gain {mean:.3f}% over a single one ({low:.3f} to {high:.3f})".format(**margin))
    return "\n".join(lines)
