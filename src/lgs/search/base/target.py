"""What is searched: a model, a batch of instances, and the only place where particles are evaluated."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import torch
from torch import Tensor

from ... import kernel
from ...model import LGSNet
from ...problems import NONE, concatenate
from . import overlay as overlays
from .budget import Budget, Exhausted
from .overlay import Overlay
from .speed import Speed
from .trace import Trace

Decoding = Literal["greedy", "sampled"]
DECODING: Decoding = "sampled"
"""The default: what the theory is about, and the better one in the study (docs/studies)."""

GRADIENT_WORK = 20_000_000
"""Particles x steps x nodes in one block of gradients: about a tenth of a second on two cores."""


@dataclass(frozen=True)
class Evaluation:
    actions: Tensor
    """[R, K, T]"""
    costs: Tensor
    """[R, K] float64"""


class Target:
    """Evaluates particles (z, start) of B instances, and keeps count, time, the best so far and the trace.

    With augmentation every instance has A images, each with its own chains: methods see R = A * B rows (all
    first images, then all second ones, ...), the best is kept over the images. One target serves one run.
    """

    def __init__(
        self,
        model: LGSNet,
        instance: Any,
        *,
        decoding: Decoding = DECODING,
        augment: int = 1,
        seed: int = 0,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if decoding not in get_args(Decoding):
            raise ValueError(f"decoding must be one of {', '.join(get_args(Decoding))}, is {decoding!r}")
        self._clock, self._began = clock, clock()
        # Gradients are only ever wanted of latents and overlays; and the caller's model stays as it is.
        self.model = copy.deepcopy(model).eval().requires_grad_(False)
        self.problem = self.model.problem
        self.device = next(self.model.parameters()).device
        self.instance = instance.to(self.device)
        self.decoding, self.augment, self.seed = decoding, augment, seed
        self.images = concatenate(self.problem.symmetries(self.instance, augment))
        with torch.no_grad():
            self.encoded = self.model.encode(self.images)
        self.horizon = self.problem.horizon(self.images)
        self.budget = Budget()
        self.rollouts = 0
        """Per instance, so far."""
        self.trace = Trace()
        self.best_costs = torch.full((len(instance),), torch.inf, dtype=torch.float64, device=self.device)
        self.best_actions = torch.full((len(instance), self.horizon), NONE, device=self.device)
        self._decoding, self._scoring = Speed(), Speed()

    @property
    def rows(self) -> int:
        return len(self.images)

    @property
    def seconds(self) -> float:
        return self._clock() - self._began

    def starts(self, particles: int) -> Tensor:
        """[R, K] the first node of each particle; it stays the particle's own for the whole search."""
        return self.model.starts(self.images, particles)

    # -- evaluation --------------------------------------------------------------------------------
    @torch.no_grad()
    def evaluate(
        self, z: Tensor, starts: Tensor, uniforms: Tensor | None = None, overlay: Overlay | None = None
    ) -> Evaluation:
        """Decode particles z [R, K, d_z], starts [R, K]: sampled from uniforms [R, K, T], greedily without.

        Raises `Exhausted` when the budget ends before the last particle; what was decoded counts.
        """
        tables = overlays.tables(self.model, self.encoded, z, overlay or {})
        parts = []
        for block in self._blocks(z.shape[1]):
            some = tables if block == slice(0, z.shape[1]) else overlays.particles(tables, block)
            noise = None if uniforms is None else uniforms[:, block]
            actions, _ = kernel.rollout(self.problem, self.images, some, starts[:, block], noise)
            parts.append(Evaluation(actions, self._note(actions)))
        if len(parts) == 1:
            return parts[0]
        return Evaluation(torch.cat([p.actions for p in parts], 1), torch.cat([p.costs for p in parts], 1))

    def submit(self, actions: Tensor) -> Tensor:
        """[R, K] costs of complete episodes [R, K, T] made by other means; each counts as a rollout."""
        self.check()
        return self._note(actions)

    def gradient(
        self,
        weights: Tensor,
        z: Tensor,
        starts: Tensor,
        actions: Tensor,
        wrt: Sequence[Tensor],
        overlay: Overlay | None = None,
    ) -> list[Tensor]:
        """Gradient of sum_k weights[r, k] log p(y_k | x_r, z_k) with respect to latents or an overlay's leaves."""
        tables = overlays.tables(self.model, self.encoded, z, overlay or {})
        names = overlays.moving(tables)
        # The way from what is adapted to the tables is gone once, not once per block.
        leaves = [getattr(tables, name).detach().requires_grad_() for name in names]
        cut = replace(tables, **dict(zip(names, leaves)))
        total = [torch.zeros_like(leaf) for leaf in leaves]
        for block in self._gradient_blocks(z.shape[1]):
            some = overlays.particles(cut, block)
            # Their values are of no interest, which spares the compiled kernel the forward pass.
            nothing = torch.zeros_like(weights[:, block])
            log_probs = kernel.score(
                self.problem, self.images, some, actions[:, block], starts[:, block], known=nothing
            )
            for sum_, part in zip(total, _grad((weights[:, block] * log_probs).sum(), leaves)):
                sum_ += part
        pulled = [(getattr(tables, name) * part).sum() for name, part in zip(names, total)]
        return list(_grad(torch.stack(pulled).sum() if pulled else weights.sum(), wrt))

    def check(self) -> None:
        """Raise `Exhausted` if the budget is used up; the first rollout is always allowed."""
        if self.rollouts and self._over():
            raise Exhausted

    def _over(self) -> bool:
        budget = self.budget
        return (
            (budget.seconds is not None and self.seconds >= budget.seconds)
            or (budget.rollouts is not None and self.rollouts + self.augment > budget.rollouts)
            or (budget.target_cost is not None and bool((self.best_costs <= budget.target_cost).all()))
        )

    def _blocks(self, particles: int) -> Iterator[slice]:
        """Particles in blocks that each fit what is left of the budget; all at once without a deadline."""
        begin = 0
        while begin < particles:
            size = particles
            if self.budget.seconds is not None:
                size = max(1, self._decoding.size(self._time_left()) // self.rows)
            if self.budget.rollouts is not None:
                size = min(size, (self.budget.rollouts - self.rollouts) // self.augment)
            end = min(particles, begin + max(1, size))
            with self._timed(self._decoding, 1, (end - begin) * self.rows):
                yield slice(begin, end)
            begin = end

    def _gradient_blocks(self, particles: int) -> Iterator[slice]:
        """Particles in blocks of one size, whatever the time: the order of a sum is part of its value."""
        size = max(1, GRADIENT_WORK // (self.rows * self.horizon * self.problem.num_nodes(self.images)))
        for begin in range(0, particles, size):
            end = min(particles, begin + size)
            with self._timed(self._scoring, end - begin, end - begin):
                yield slice(begin, end)

    @contextmanager
    def _timed(self, speed: Speed, least: int, count: int) -> Iterator[None]:
        """Work on `count`, measured; not begun when even `least` would end long after the deadline."""
        self.check()
        if self.rollouts and not speed.fits(self._time_left(), least):
            raise Exhausted
        began = self._clock()
        yield
        speed.measured(count, self._clock() - began)

    def _time_left(self) -> float:
        return torch.inf if self.budget.seconds is None else self.budget.seconds - self.seconds

    def _note(self, actions: Tensor) -> Tensor:
        """Count episodes [R, K, T] and keep the best of each instance over its images; returns their costs."""
        costs = self.problem.cost(self.images, actions)
        particles = costs.shape[1]
        self.rollouts += particles * self.augment
        best, where = costs.view(self.augment, -1, particles).transpose(0, 1).flatten(1).min(1)
        better = best < self.best_costs
        if bool(better.any()):
            image, particle = where // particles, where % particles
            winners = actions[image * len(self.instance) + torch.arange(len(image), device=self.device), particle]
            self.best_costs = torch.where(better, best, self.best_costs)
            self.best_actions = torch.where(better[:, None], winners, self.best_actions)
            self.trace.note(self.seconds, self.rollouts, self.best_costs)
        return costs


def _grad(value: Tensor, wrt: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Gradients of a number, zero for weights that this problem does not use.

    Torch imports half a second of symbolic algebra when it is given gradients to start from, hence a number.
    """
    if not value.requires_grad:  # Episodes without a choice.
        return tuple(torch.zeros_like(leaf) for leaf in wrt)
    # An overlay may have been computed from its leaves, by a graph that its owner needs again.
    return torch.autograd.grad(value, wrt, retain_graph=True, materialize_grads=True)
