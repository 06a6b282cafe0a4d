"""The loop around every method: budget, observers, interruption, result."""

from __future__ import annotations

import dataclasses
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from .budget import Budget, Exhausted
from .method import Info, Method
from .noise import Noise
from .observers import Observer, Progress
from .result import Result, Stop
from .target import Target


def run(
    method: Method, target: Target, budget: Budget, params: Any = None, observers: Sequence[Observer] = ()
) -> Result:
    """Search until the budget is used up, the method has finished or someone interrupts; the best so far is kept."""
    if budget.rollouts is not None and budget.rollouts < target.augment:
        raise ValueError(f"{target.augment} images need at least as many rollouts, the budget has {budget.rollouts}")
    params = method.Params() if params is None else params
    target.budget = budget
    noise = Noise(target.seed, len(target.instance), target.augment, target.device)
    tally = _Tally(target, observers)
    stopped: Stop = "budget"
    try:
        with _termination_as_interrupt():
            stopped = _loop(method, target, params, noise, tally)
    except Exhausted:
        pass
    except KeyboardInterrupt:
        if not target.rollouts:
            raise
        stopped = "interrupted"
    target.trace.note(target.seconds, target.rollouts, target.best_costs)
    return _result(method, target, params, tally, stopped)


def _loop(method: Method, target: Target, params: Any, noise: Noise, tally: _Tally) -> Stop:
    state = method.init(target, params, noise)
    tally.begun()
    while tally.iterations != target.budget.iterations:
        target.check()
        state, info = method.step(target, params, state, noise)
        tally.stepped(info)
        if info.done:
            return "finished"
    return "budget"


class _Tally:
    """Counts iterations and acceptances, and tells the observers."""

    def __init__(self, target: Target, observers: Sequence[Observer]) -> None:
        self.iterations = 0
        self._target, self._observers = target, observers
        self._shares: list[float] = []

    @property
    def acceptance(self) -> float | None:
        return sum(self._shares) / len(self._shares) if self._shares else None

    def begun(self) -> None:
        self._tell(None)

    def stepped(self, info: Info) -> None:
        self.iterations += 1
        if info.accepted is not None:
            self._shares.append(float(info.accepted.double().mean()))
        self._tell(info)

    def _tell(self, info: Info | None) -> None:
        target = self._target
        progress = Progress(self.iterations, target.seconds, target.rollouts, target.best_costs, info)
        for observer in self._observers:
            observer(progress)


def _result(method: Method, target: Target, params: Any, tally: _Tally, stopped: Stop) -> Result:
    problem, instances = target.problem, target.instance.to("cpu")
    actions = target.best_actions.cpu()
    rows = [instances.rows(slice(b, b + 1)) for b in range(len(instances))]
    solutions = [problem.solution(row, episode) for row, episode in zip(rows, actions)]
    return Result(
        costs=target.best_costs.cpu(),
        actions=actions,
        solutions=solutions,
        verdicts=[problem.check(row, solution) for row, solution in zip(rows, solutions)],
        trace=target.trace,
        seconds=target.seconds,
        rollouts=target.rollouts,
        iterations=tally.iterations,
        acceptance=tally.acceptance,
        stopped=stopped,
        method=method.__name__.rsplit(".", 1)[-1],
        params=dataclasses.asdict(params),
        problem=problem.name,
        decoding=target.decoding,
        augment=target.augment,
        seed=target.seed,
        budget=target.budget,
    )


@contextmanager
def _termination_as_interrupt() -> Iterator[None]:
    """SIGTERM ends a search like Ctrl-C does. Only the main thread may listen to signals."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
