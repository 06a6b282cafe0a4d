"""How to solve, and which instances are searched together."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..io import Named
from ..model import LGSNet
from ..problems import Batched
from ..report import benchmark
from ..report.methods import Contestant
from . import capacity

FIRST_LOOK = 8
"""Particles of the first, greedy look: a solution is known at once, whatever the method does first."""


@dataclass(frozen=True)
class Settings:
    """How to solve."""

    time_limit: float = 10.0
    """Seconds of search per instance."""
    method: str = "lgs"
    """A method's name, with settings if wanted: `lgs:lam=500`."""
    model: str = ""
    """Weights by name or path; without, the shipped ones whose size is nearest."""
    particles: int | None = None
    """None: chosen to fit the time and the memory."""
    augment: int = 1
    target: float | None = None
    """Stop once every instance has a solution of this cost."""
    seed: int = 0
    memory: float = 4.0
    """GiB"""

    def __post_init__(self) -> None:
        if not 0 < self.time_limit < float("inf"):
            raise ValueError(f"the time limit must be a positive number of seconds, not {self.time_limit:g}")
        if self.target is not None and math.isnan(self.target):
            raise ValueError("the target must be a cost, not nan")
        if self.particles is not None and self.particles < 1:
            raise ValueError(f"particles must be at least 1, not {self.particles}")
        if self.augment not in (1, 4, 8):
            raise ValueError(f"augment must be 1, 4 or 8 images, not {self.augment}")
        if self.seed < 0:
            raise ValueError(f"the seed must not be negative, is {self.seed}")
        if not self.memory > 0:
            raise ValueError(f"the memory limit must be positive, not {self.memory:g}")


@dataclass(frozen=True)
class Batch:
    """Instances that are searched together, with what searches them."""

    places: tuple[int, ...]
    """Where its instances stand among those given."""
    instances: tuple[Named, ...]
    net: LGSNet
    model: str
    who: Contestant


def batches(instances: Sequence[Named], places: Sequence[int], settings: Settings) -> Iterator[Batch]:
    groups: dict[Any, list[int]] = {}
    for place in places:
        named = instances[place]
        groups.setdefault((named.problem.name, _shape(named.instance)), []).append(place)
    loaded: dict[str, LGSNet] = {}
    for (problem, _), members in groups.items():
        first = instances[members[0]]
        name = settings.model or benchmark.choose(problem, first.size)
        if name not in loaded:
            loaded[name] = benchmark.model(problem, first.size, name)[0]
        net = loaded[name]
        who = _populated(Contestant.parse(settings.method, augment=settings.augment), first, settings)
        first.problem.symmetries(first.instance, who.augment)  # Raises where a problem has none.
        count = getattr(who.params, "particles", FIRST_LOOK)
        most = capacity.together(first, count, who.augment, settings.memory)
        for begin in range(0, len(members), most):
            some = tuple(members[begin : begin + most])
            yield Batch(some, tuple(instances[place] for place in some), net, name, who)


def _shape(value: Any) -> Any:
    """What two instances must share to be searched in one batch: everything but the numbers in their tensors."""
    if isinstance(value, Batched):
        return type(value), tuple(_shape(getattr(value, part.name)) for part in dataclasses.fields(value))  # type: ignore[arg-type]
    return (value.shape[1:], value.dtype) if hasattr(value, "dtype") else value


def _populated(who: Contestant, named: Named, settings: Settings) -> Contestant:
    """With the population that was asked for, or one that fits."""
    if settings.particles is not None:
        text = f"{who.label}:particles={settings.particles}"
        return Contestant.parse(text, who.decoding, who.augment)
    if not hasattr(who.params, "particles") or ":particles=" in who.label:
        return who
    most = who.params.particles
    count = capacity.particles(named, who.augment, settings.time_limit, settings.memory, most)
    return dataclasses.replace(who, params=dataclasses.replace(who.params, particles=count))
