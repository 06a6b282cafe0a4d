"""Solving: instances to batches, batches to solutions."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .. import io, problems, search
from ..io import Named
from ..model import LGSNet
from ..problems import Batched, concatenate
from ..report import benchmark
from ..report.methods import Contestant
from ..search import Budget, Result, Target
from . import capacity
from .progress import Progress, Watch
from .solution import Improvement, Solution

Callback = Callable[[Progress], None]
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
        if self.particles is not None and self.particles < 1:
            raise ValueError(f"particles must be at least 1, not {self.particles}")
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


def solve(
    instance: Named | str | os.PathLike[str],
    *,
    time_limit: float = 10.0,
    method: str = "lgs",
    model: str = "",
    particles: int | None = None,
    augment: int = 1,
    target: float | None = None,
    initial: Solution | list[list[int]] | None = None,
    seed: int = 0,
    memory: float = 4.0,
    callback: Callback | None = None,
) -> Solution:
    """Solve one instance within `time_limit` seconds; Ctrl-C ends the search early with the best so far.

    `instance`: from `lgs.read`, `lgs.Problem`, or a file's path. `method`: see `lgs methods`; settings may follow
    it, as in "lgs:lam=500". `model`: weights by name or path. `particles` and `memory` (GiB) bound the population,
    `augment` (1, 4 or 8) searches symmetric images too, `target` stops at a cost, `initial` is a solution to beat,
    `callback` hears a `Progress` after every iteration.
    """
    settings = Settings(time_limit, method, model, particles, augment, target, seed, memory)
    named = instance if isinstance(instance, Named) else io.read(instance)
    given = None if initial is None else [initial.routes if isinstance(initial, Solution) else initial]
    return next(solution for _, solution in solving([named], settings, given, callback))


def solve_many(
    instances: Sequence[Named | str | os.PathLike[str]], *, callback: Callback | None = None, **settings: Any
) -> list[Solution]:
    """Solve instances, those of equal shape together; `settings` as in `solve`, `time_limit` per instance."""
    named = [instance if isinstance(instance, Named) else io.read(instance) for instance in instances]
    found = dict(solving(named, Settings(**settings), callback=callback))
    if len(found) < len(named):
        raise KeyboardInterrupt
    return [found[place] for place in range(len(named))]


def solving(
    instances: Sequence[Named],
    settings: Settings,
    initial: Sequence[list[list[int]]] | None = None,
    callback: Callback | None = None,
) -> Iterator[tuple[int, Solution]]:
    """(place, solution) of each instance as its batch ends; an interruption ends the last batch begun early.

    Whatever can be wrong with the request is found before the first search.
    """
    possible = []
    for place, named in enumerate(instances):
        capacity.check_size(named)
        if initial is not None:
            _check_initial(named, initial[place])
        faults = tuple(named.problem.obstacles(named.instance))
        if faults:
            yield place, Solution(named, [], float("inf") * named.problem.sense, faults, settings.method)
        else:
            possible.append(place)
    for batch in list(_batches(instances, possible, settings)):
        given = None if initial is None else [initial[place] for place in batch.places]
        solutions = _search(batch, settings, given, callback)
        yield from zip(batch.places, solutions)
        if any(solution.interrupted for solution in solutions):
            return


def _batches(instances: Sequence[Named], places: Sequence[int], settings: Settings) -> Iterator[Batch]:
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


def _check_initial(named: Named, routes: list[list[int]]) -> None:
    verdict = named.check(routes)
    if not verdict.feasible:
        raise ValueError(f"the initial solution does not fit {named.name}: {verdict.violations[0]}")


def _search(
    batch: Batch, settings: Settings, initial: list[list[list[int]]] | None, callback: Callback | None
) -> list[Solution]:
    instance = concatenate([named.instance for named in batch.instances])
    seconds = settings.time_limit * len(batch.instances)
    who, sense = batch.who, batch.net.problem.sense
    target = Target(batch.net, instance, decoding=who.decoding, augment=who.augment, seed=settings.seed)
    watch = Watch(batch.instances, target, seconds, callback)
    if initial is not None:
        _submit(target, batch.instances, initial)
    _look(target)
    watch.tell()
    enough = None if settings.target is None else sense * settings.target
    budget = Budget(seconds=seconds, target_cost=enough)
    result = search.run(search.load(who.method), target, budget, who.params, [watch])
    return [_solution(batch, b, result, watch) for b in range(len(batch.instances))]


def _look(target: Target) -> None:
    """The decoder's most likely solutions at the prior's mean, from a few starts."""
    starts = target.starts(FIRST_LOOK)
    target.evaluate(target.encoded.mean[:, None].expand(-1, FIRST_LOOK, -1), starts)


def _submit(target: Target, instances: Sequence[Named], initial: list[list[list[int]]]) -> None:
    """Let given solutions count as the best so far."""
    import torch

    rows = []
    for named, routes in zip(instances, initial):
        actions = named.problem.actions(named.instance, routes)
        rows.append(torch.nn.functional.pad(actions, (0, target.horizon - len(actions)), value=problems.NONE))
    target.submit(torch.stack(rows).repeat(target.augment, 1)[:, None])


def _solution(batch: Batch, b: int, result: Result, watch: Watch) -> Solution:
    named, count = batch.instances[b], len(batch.instances)
    sense = named.problem.sense
    verdict = named.check(result.solutions[b])
    trace: list[Improvement] = []
    for point in result.trace.points:
        cost = sense * float(point.best[b])
        if not trace or cost != trace[-1].cost:
            trace.append(Improvement(point.seconds / count, point.rollouts, cost))
    return Solution(
        instance=named,
        routes=result.solutions[b],
        cost=sense * verdict.cost,
        violations=verdict.violations,
        method=result.method,
        model=batch.model,
        seed=result.seed + b,
        seconds=result.seconds / count,
        rollouts=result.rollouts,
        iterations=result.iterations,
        acceptance=result.acceptance,
        interrupted=result.stopped == "interrupted",
        settings={**result.params, "decoding": result.decoding, "augment": result.augment},
        trace=tuple(trace),
        steps=tuple(watch.steps),
    )
