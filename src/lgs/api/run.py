"""Solving: instances to batches, batches to solutions."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

# NumPy loads this on first use, and loses interrupts while it does: so before any search is under way.
import numpy.random  # noqa: F401

from .. import io, problems, search
from ..io import Named
from ..problems import concatenate
from ..search import Budget, Exhausted, Result, Target
from . import capacity
from .batches import FIRST_LOOK, Batch, Settings, batches
from .progress import Progress, Watch
from .solution import Improvement, Solution

Callback = Callable[[Progress], None]


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

    >>> box = lgs.Problem.tsp(coords=[[0, 0], [2, 0], [2, 1], [0, 1], [1, 0]])
    >>> solution = lgs.solve(box, time_limit=0.5)
    >>> solution.cost, solution.feasible
    (6.0, True)
    """
    settings = Settings(time_limit, method, model, particles, augment, target, seed, memory)
    named = instance if isinstance(instance, Named) else io.read(instance)
    given = None if initial is None else [initial.routes if isinstance(initial, Solution) else initial]
    return next(solution for _, solution in solving([named], settings, given, callback))


def solve_many(
    instances: Sequence[Named | str | os.PathLike[str]], *, callback: Callback | None = None, **settings: Any
) -> list[Solution]:
    """Solve instances, those of equal shape together; `settings` as in `solve`, `time_limit` per instance.

    >>> squares = [lgs.Problem.tsp(coords=[[0, 0], [side, 0], [side, side], [0, side]]) for side in (1, 2)]
    >>> [solution.cost for solution in lgs.solve_many(squares, time_limit=0.5)]
    [4.0, 8.0]
    """
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
    hopeless: dict[int, tuple[str, ...]] = {}
    for place, named in enumerate(instances):
        capacity.check_size(named)
        if initial is not None:
            _check_initial(named, initial[place])
        faults = named.obstacles()
        if faults:
            hopeless[place] = faults
    planned = list(batches(instances, [place for place in range(len(instances)) if place not in hopeless], settings))
    for place, faults in hopeless.items():
        nothing = instances[place].problem.sense * math.inf
        yield place, Solution(instances[place], [], nothing, faults, settings.method)
    for batch in planned:
        given = None if initial is None else [initial[place] for place in batch.places]
        solutions = _search(batch, settings, given, callback)
        yield from zip(batch.places, solutions)
        if any(solution.interrupted for solution in solutions):
            return


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
    enough = None if settings.target is None else sense * settings.target
    target.budget = budget = Budget(seconds=seconds, target_cost=enough)
    method, interrupted = search.load(who.method), False
    try:
        if initial is not None:
            _submit(target, batch.instances, initial)
        _look(target)
        watch.tell()
        result = search.run(method, target, budget, who.params, [watch])
    except KeyboardInterrupt:
        if not target.rollouts:
            raise
        # There is a solution, but no run is there to hand it over: one without any budget left does.
        result, interrupted = search.run(method, target, Budget(rollouts=target.rollouts), who.params), True
    interrupted = interrupted or result.stopped == "interrupted"
    return [_solution(batch, b, result, watch, interrupted) for b in range(len(batch.instances))]


def _look(target: Target) -> None:
    """The decoder's most likely solutions at the prior's mean, from a few starts; fewer where time is short."""
    starts = target.starts(FIRST_LOOK)
    with suppress(Exhausted):
        target.evaluate(target.encoded.mean[:, None].expand(-1, FIRST_LOOK, -1), starts)


def _submit(target: Target, instances: Sequence[Named], initial: list[list[list[int]]]) -> None:
    """Let given solutions count as the best so far."""
    import torch

    rows = []
    for named, routes in zip(instances, initial):
        actions = named.problem.actions(named.instance, routes)
        rows.append(torch.nn.functional.pad(actions, (0, target.horizon - len(actions)), value=problems.NONE))
    target.submit(torch.stack(rows).repeat(target.augment, 1)[:, None])


def _solution(batch: Batch, b: int, result: Result, watch: Watch, interrupted: bool) -> Solution:
    named, count = batch.instances[b], len(batch.instances)
    sense = named.problem.sense
    verdict = named.check(result.solutions[b])
    trace: list[Improvement] = []
    for point in result.trace.points:
        cost = sense * float(point.best[b])
        if math.isfinite(cost) and (not trace or cost != trace[-1].cost):
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
        interrupted=interrupted,
        settings={**result.params, "decoding": result.decoding, "augment": result.augment},
        trace=tuple(trace),
        steps=tuple(watch.steps),
    )
