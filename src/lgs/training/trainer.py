"""The training loop, flat: draw, roll out, score, step, average, validate, save."""

from __future__ import annotations

import copy
import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from lightning_fabric import Fabric
from torch import Generator

from .. import __version__
from ..model import LGSNet, weights
from . import checkpoint, validation
from .objective import Objective, Task, draw
from .recipe import Phase, Recipe

LAST_WEIGHTS = "last.safetensors"
BEST_WEIGHTS = "best.safetensors"


LATENT = ("latent.", "decoder.query_latent.", "decoder.residual.")
"""Weights that only a model with latents has."""
UNSEEN = ("decoder.features.",)
"""Weights that only a problem with dynamic features has."""


class TrainingError(ValueError):
    """A run that cannot go on; the message says why and what to change."""


@dataclass(frozen=True)
class Status:
    """What an observer hears of a run after every step."""

    step: int
    phase: str
    progress: float
    seconds: float
    """Of training, over all sittings of this run."""
    remaining: float
    """Seconds to the end of the budget, as far as it can be told."""
    instances: int
    trajectories: int
    rate: float
    """Instances per second, lately."""
    loss: float
    cost: float
    """Mean over the batch of the sampled costs."""
    best: float
    """Mean over the batch of the best of K."""
    lr: float
    validation: float | None = None
    """Percent above the reference (or the cost, where there is none) when this step validated."""


Observer = Callable[[Status], None]


class Trainer:
    """One run of a recipe in a folder; the same call again goes on where the last checkpoint was."""

    def __init__(self, recipe: Recipe, folder: Path, fabric: Fabric, initial: str | None = None) -> None:
        self.recipe, self.folder, self.fabric = recipe, folder, fabric
        for phase in recipe.phases:
            if phase.batch % fabric.world_size:
                wanted = f"a multiple of {fabric.world_size}, the number of processes"
                raise TrainingError(f"phase {phase.name!r}: batch must be {wanted}, is {phase.batch}")
        torch.manual_seed(recipe.seed)
        self.model = LGSNet(recipe.model)
        self.initial = weights.card(initial) if initial else None
        if initial:
            start_from(self.model, weights.load(initial))
        self.average = copy.deepcopy(self.model).requires_grad_(False).to(fabric.device)
        optimizer = torch.optim.Adam(self.model.parameters(), lr=0.0, weight_decay=recipe.weight_decay)
        self.objective, self.optimizer = fabric.setup(Objective(self.model, recipe.bfloat16), optimizer)
        self.generator = Generator(fabric.device).manual_seed(recipe.seed)
        self.step = self.instances = self.trajectories = 0
        self.seconds = 0.0
        self.phase, self.phase_began = recipe.phases[0].name, 0
        self.best: float | None = None
        """The best validation so far."""
        self._resume()
        self.references = validation.references(recipe.model.problem, recipe.validate_size, recipe.validate_count)

    # -- the loop ----------------------------------------------------------------------------------
    def run(self, observers: list[Observer], stop: Callable[[], bool] = lambda: False) -> None:
        """Train until the budget is spent or `stop` says so; a checkpoint is kept in both cases."""
        saved = validated = time.monotonic()
        rate = 0.0
        while not self._agreed(stop()) and self.progress < 1:
            begin = time.monotonic()
            phase, within = self.recipe.phase_at(self.progress)
            if phase.name != self.phase:
                self._finish_phase(self.phase)
                self.phase, self.phase_began = phase.name, self.step
            loss, costs, lr = self._update(phase, within)
            self.step += 1
            self.instances += phase.batch * phase.accumulate
            self.trajectories += phase.batch * phase.accumulate * phase.particles
            now = time.monotonic()
            self.seconds += now - begin
            latest = phase.batch * phase.accumulate / (now - begin)
            rate = latest if rate == 0 else 0.95 * rate + 0.05 * latest
            score = None
            if now - validated > 60 * self.recipe.validate_minutes or self.progress >= 1:
                score, validated = self.validate(phase), time.monotonic()
                self._keep_best(score, phase)
            if now - saved > 60 * self.recipe.checkpoint_minutes:
                self.save()
                saved = time.monotonic()
            status = Status(
                self.step, phase.name, self.progress, self.seconds, self._remaining(), self.instances,
                self.trajectories, rate, loss, float(costs.mean()), float(costs.amin(-1).mean()), lr, score,
            )  # fmt: skip
            for observer in observers:
                observer(status)
        self.save()
        if self.progress >= 1:
            self._finish_phase(self.phase)

    def _agreed(self, stop: bool) -> bool:
        """Whether to stop and how much time has passed: in a distributed run, as the first process says."""
        if self.fabric.world_size > 1:
            self.seconds, stop = self.fabric.broadcast((self.seconds, stop))
        return stop

    def _update(self, phase: Phase, within: float) -> tuple[float, torch.Tensor, float]:
        """One optimiser step; returns the loss, the sampled costs and the learning rate."""
        lr = self._learning_rate(phase, within)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.optimizer.zero_grad()
        total = 0.0
        for _ in range(phase.accumulate):
            try:
                loss, costs = self._gradient(phase, within)
            except (RuntimeError, MemoryError) as error:
                if not _out_of_memory(error):
                    raise
                raise TrainingError(
                    f"out of memory in phase {phase.name!r}; lower its batch or particles, or set scored"
                    f" ({self._kept()})"
                ) from error
            except ValueError as error:
                if "infinite numbers" not in str(error):
                    raise
                raise self._not_finite("policy") from error
            total += loss / phase.accumulate
        norm = self.fabric.clip_gradients(
            self.objective, self.optimizer, max_norm=self.recipe.clip, error_if_nonfinite=False
        )
        if not math.isfinite(total) or norm is None or not norm.isfinite():
            raise self._not_finite("gradient" if math.isfinite(total) else "loss")
        self.optimizer.step()
        self._update_average()
        return total, costs, lr

    def _not_finite(self, what: str) -> TrainingError:
        return TrainingError(f"the {what} is not finite at step {self.step}; lower lr ({self._kept()})")

    def _gradient(self, phase: Phase, within: float) -> tuple[float, torch.Tensor]:
        """Draw a batch and add its gradient, in a distributed run that of this process's rows; loss and costs."""
        rank, world = self.fabric.global_rank, self.fabric.world_size
        which = int(torch.randint(len(phase.sizes), (1,), generator=self.generator, device=self.fabric.device))
        batch = draw(self.model, phase, phase.sizes[which], self.generator)
        if world > 1:
            batch = batch.rows(slice(rank * phase.batch // world, (rank + 1) * phase.batch // world))
        loss, costs = self.objective(Task(batch, phase, within))
        self.fabric.backward(loss / phase.accumulate)
        return float(loss.detach()), costs

    @torch.no_grad()
    def _update_average(self) -> None:
        decay = min(self.recipe.ema, (1 + self.step) / (10 + self.step))
        torch._foreach_lerp_(list(self.average.parameters()), list(self.model.parameters()), 1 - decay)

    # -- schedule ----------------------------------------------------------------------------------
    @property
    def progress(self) -> float:
        if self.recipe.steps:
            return min(1.0, self.step / self.recipe.steps)
        return min(1.0, self.seconds / (3600 * self.recipe.hours))

    def _remaining(self) -> float:
        return self.seconds * (1 - self.progress) / max(self.progress, 1e-9)

    def _learning_rate(self, phase: Phase, within: float) -> float:
        start, end = phase.lr
        warm = min(1.0, (self.step - self.phase_began + 1) / phase.warmup) if phase.warmup else 1.0
        return warm * (end + (start - end) * (1 + math.cos(math.pi * within)) / 2)

    # -- keeping -----------------------------------------------------------------------------------
    def validate(self, phase: Phase) -> float:
        """Best of 100 latents, greedy, on the validation set: gap in percent, or cost without a reference."""
        recipe = self.recipe
        instance = validation.instances(self.model.problem, recipe.validate_size, recipe.validate_count)
        instance = instance.to(self.fabric.device)
        costs = validation.evaluate(self.average, instance, latent=phase.latent)
        best = costs.amin(-1).cpu()
        if self.references is not None:
            return validation.gap(best, self.references)
        return self.model.problem.sense * float(best.mean())

    def _keep_best(self, score: float, phase: Phase) -> None:
        """The best weights by validation are kept apart: a run that goes wrong later loses nothing."""
        sense = 1 if self.references is not None else self.model.problem.sense
        if self.best is None or sense * score < sense * self.best:
            self.best = score
            if self.fabric.global_rank == 0:
                weights.save(self._as_trained(phase), self.folder / BEST_WEIGHTS, self.card() | {"validation": score})

    def save(self) -> None:
        """The checkpoint and the averaged weights."""
        if self.fabric.global_rank != 0:
            return
        checkpoint.save(
            self.folder,
            {
                "model": self.model.state_dict(),
                "average": self.average.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "generator": self.generator.get_state(),
                "recipe": _plain(self.recipe.to_dict()),
                "counts": [self.step, self.instances, self.trajectories, self.phase_began],
                "phase": self.phase,
                "seconds": self.seconds,
                "best": self.best,
            },
        )
        weights.save(self.average, self.folder / LAST_WEIGHTS, self.card())

    def card(self) -> dict[str, Any]:
        """What can be said of these weights."""
        return {
            "problem": self.recipe.model.problem,
            "recipe": _plain(self.recipe.to_dict()),
            "steps": self.step,
            "instances": self.instances,
            "trajectories": self.trajectories,
            "hours": round(self.seconds / 3600, 3),
            "device": str(self.fabric.device.type),
            "machine": _machine(self.fabric.device),
            "version": __version__,
            "date": time.strftime("%Y-%m-%d", time.gmtime()),
            "labels": "none",
            "local_search": "none",
            "started_from": self.initial,
        }

    def _finish_phase(self, name: str) -> None:
        """Every phase leaves its own weights behind."""
        if self.fabric.global_rank != 0:
            return
        phase = next((phase for phase in self.recipe.phases if phase.name == name), None)
        if phase is None:  # The recipe was changed between two sittings.
            return
        weights.save(self._as_trained(phase), self.folder / f"{name}.safetensors", self.card() | {"phase": name})

    def _as_trained(self, phase: Phase) -> LGSNet:
        """The averaged weights, without the latents that a phase did not use."""
        return self.average if phase.latent else without_latent(self.average)

    def _resume(self) -> None:
        state = checkpoint.load(self.folder)
        if state is None:
            return
        if state["recipe"]["model"] != _plain(self.recipe.to_dict())["model"]:
            raise TrainingError(f"{self.folder}: holds a run of another model; choose another --out")
        self.model.load_state_dict(state["model"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        self.step, self.instances, self.trajectories, self.phase_began = state["counts"]
        self.seconds, self.best = state["seconds"], state["best"]
        self.phase = state.get("phase") or self.recipe.phase_at(self.progress)[0].name

    def _kept(self) -> str:
        kept = (self.folder / checkpoint.FILE).exists()
        return f"last good checkpoint: {self.folder / checkpoint.FILE}" if kept else "no checkpoint yet"


def start_from(model: LGSNet, initial: LGSNet) -> None:
    """Copy the weights of `initial`; a model without latents may become one that has them.

    Weights of another problem lend what the two have in common. The features of the instance that they never saw come
    last in the new problem's and start at zero, so that the policy is at first that of the old problem.
    """
    own, given = model.state_dict(), initial.state_dict()
    related = initial.config.problem != model.config.problem
    unseen = [name for name in own if name not in given and not name.startswith(LATENT)]
    foreign = [name for name, value in given.items() if name not in own or not _fits(value, own[name], related)]
    if related:
        unseen = [name for name in unseen if not name.startswith(UNSEEN)]
    if unseen or foreign:
        raise TrainingError(f"the initial weights are of another architecture ({(unseen + foreign)[0]} does not fit)")
    for name, value in own.items():
        if name in given:
            value.zero_()[tuple(slice(length) for length in given[name].shape)] = given[name]
        elif name.startswith(UNSEEN):
            value.zero_()


def _fits(given: torch.Tensor, own: torch.Tensor, smaller: bool) -> bool:
    if not smaller:
        return given.shape == own.shape
    return given.dim() == own.dim() and all(g <= o for g, o in zip(given.shape, own.shape))


def without_latent(model: LGSNet) -> LGSNet:
    """The same policy at z = 0, as a model that has no latent space."""
    plain = LGSNet(dataclasses.replace(model.config, latent=0))
    own = plain.state_dict()
    plain.load_state_dict({name: value for name, value in model.state_dict().items() if name in own})
    return plain


def _out_of_memory(error: Exception) -> bool:
    """Torch has a class for a GPU's memory, and only words for the machine's."""
    words = ("not enough memory", "can't allocate memory")
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(word in str(error) for word in words)


def _machine(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"CPU, {torch.get_num_threads()} threads"


def _plain(value: Any) -> Any:
    """Tuples to lists, so that what is stored compares equal to what was loaded."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
