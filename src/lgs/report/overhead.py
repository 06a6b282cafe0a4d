"""What a search spends beside its rollouts: proposals, tables, costs, acceptance, and the updates of the weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ..kernel import native
from ..search import Target, algorithm1, lgs
from ..search.base.noise import Noise
from .speed import Figures, case, timed


def measure(problem: str, size: int, particles: int, instances: int, rounds: int) -> Figures:
    """Seconds of one iteration of Algorithm 1, of the same rollouts alone and of one update of W_O, timed in turn.

    The shares are of a search over the paper's whole schedule of updates.
    """
    episodes = case(problem, size, particles, instances)
    target, noise = Target(episodes.model, episodes.instance), Noise(0, instances)
    params = algorithm1.Params(particles=particles)
    never = replace(params, intervals=())
    state = lgs.init(target, never, noise)
    jobs: dict[tuple[str, str], Callable[[], object]] = {
        ("rollouts", "native"): partial(episodes.rollout, native, sampled=True),
        ("iteration", "native"): partial(lgs.step, target, never, state, noise),
        ("update", "native"): partial(lgs.update, target, params, state, state.chains, noise),
    }
    seconds = {name: found for (name, _), found in timed(jobs, rounds).items()}
    return shares(seconds["rollouts"], seconds["iteration"], seconds["update"], params.intervals)


def shares(rollouts: float, iteration: float, update: float, intervals: tuple[int, ...]) -> Figures:
    """Of the time of a search with these intervals between updates: how much is not rollouts, and is updates."""
    total = sum(intervals) * iteration + len(intervals) * update
    return {
        "rollouts_ms": 1000 * rollouts,
        "iteration_ms": 1000 * iteration,
        "update_ms": 1000 * update,
        "updates": len(intervals) * update / total,
        "overhead": 1 - sum(intervals) * rollouts / total,
    }


def line(found: Figures) -> str:
    """The figures for people."""
    return (
        "search, algorithm1: {iteration_ms:.1f} ms an iteration, {rollouts_ms:.1f} of them rollouts; an update "
        "{update_ms:.1f} ms; over its schedule {overhead:.1%} is not rollouts, {updates:.1%} updates of the weights"
    ).format(**found)
