"""How fast episodes run: the compiled kernel, plain torch and a matrix product, timed in turn.

Machines are shared and their clocks drift, so everything that is compared is timed round after round in one run, and
medians are reported. The tables are made beforehand: encoder and projections are the same torch code for both kernels.
"""

from __future__ import annotations

import dataclasses
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import torch

from ..kernel import KernelError, native, reference
from ..model import LGSNet, Tables
from ..model.config import Config
from ..problems import NONE
from ..rollout import sample_latents, sample_uniforms

GRADIENT_PARTICLES = 100
MATMUL = 2048
NATIVE_REPEATS = 5
"""Short jobs are timed this often in each round."""

Figures = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A batch of episodes of an untrained model, ready to run."""

    model: LGSNet
    instance: Any
    tables: Tables
    starts: torch.Tensor
    uniforms: torch.Tensor

    @property
    def trajectories(self) -> int:
        return self.starts.numel()

    def rollout(self, kernel: ModuleType, sampled: bool) -> tuple[torch.Tensor, torch.Tensor]:
        uniforms = self.uniforms if sampled else None
        played: tuple[torch.Tensor, torch.Tensor] = kernel.rollout(
            self.model.problem, self.instance, self.tables, self.starts, uniforms
        )
        return played

    def gradient(self, kernel: ModuleType) -> None:
        """Sampled episodes and the gradient of every table from every one of them."""
        actions, log_probs = self.rollout(kernel, sampled=True)
        leaves = {
            field.name: getattr(self.tables, field.name).detach().contiguous().requires_grad_()
            for field in dataclasses.fields(self.tables)
            if isinstance(getattr(self.tables, field.name), torch.Tensor)
        }
        tables = dataclasses.replace(self.tables, **leaves)
        # Autograd needs its own forward pass, the compiled kernel does not.
        told = {"known": log_probs} if kernel is native else {}
        kernel.score(self.model.problem, self.instance, tables, actions, self.starts, **told).sum().backward()


def case(problem: str, size: int, particles: int, instances: int) -> Case:
    """`instances` random instances with `particles` latents each."""
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    model = LGSNet(Config(problem=problem)).eval()
    instance = model.problem.generate(instances, size, generator)
    with torch.no_grad():
        encoded = model.encode(instance)
        tables = model.tables(encoded, sample_latents(encoded, particles, model.config.radius, generator))
    obstacle = native.obstacle(model.problem, instance, tables)
    if obstacle:
        raise KernelError(f"nothing to measure: {obstacle}")
    starts = model.starts(instance, particles)
    return Case(model, instance, tables, starts, sample_uniforms(model, instance, particles, generator))


def compare(problem: str, size: int, particles: int, instances: int, rounds: int) -> Figures:
    """Trajectories per second of both kernels, and multiply-adds per second of the native one and of torch.matmul."""
    episodes = case(problem, size, particles, instances)
    trained = case(problem, size, GRADIENT_PARTICLES, instances)
    matrix = torch.rand(MATMUL, MATMUL)
    jobs: dict[tuple[str, str], Callable[[], object]] = {("matmul", "native"): partial(torch.matmul, matrix, matrix)}
    for name, kernel in (("native", native), ("reference", reference)):
        jobs["rollout_greedy", name] = partial(episodes.rollout, kernel, sampled=False)
        jobs["rollout_sampled", name] = partial(episodes.rollout, kernel, sampled=True)
        jobs["gradient", name] = partial(trained.gradient, kernel)
    seconds = timed(jobs, rounds)

    def rates(what: str, count: int) -> dict[str, float]:
        return {name: count / seconds[what, name] for name in ("native", "reference")}

    steps = int((episodes.rollout(native, sampled=False)[0] != NONE).sum())
    return {
        "problem": problem, "size": size, "particles": particles, "instances": instances,
        "threads": torch.get_num_threads(), "level": native.levels()[0],
        "rollout_greedy": rates("rollout_greedy", episodes.trajectories),
        "rollout_sampled": rates("rollout_sampled", episodes.trajectories),
        "gradient": rates("gradient", trained.trajectories),
        "native_macs": multiply_adds(episodes.tables, steps) / seconds["rollout_greedy", "native"],
        "matmul_macs": MATMUL**3 / seconds["matmul", "native"],
    }  # fmt: skip


def multiply_adds(tables: Tables, steps: int) -> int:
    """3 d N per step: keys, values and logit keys of every node, whether or not it may still be visited."""
    return 3 * tables.keys.shape[-1] * tables.keys.shape[1] * steps


def growth(problem: str, sizes: list[int], particles: int, instances: int, rounds: int) -> list[Figures]:
    """Greedy trajectories per second by size, and the milliseconds of one over those at the first size times n^2."""
    cases = {size: case(problem, size, particles, instances) for size in sizes}
    jobs: dict[tuple[str, str], Callable[[], object]] = {
        (str(size), "native"): partial(case.rollout, native, sampled=False) for size, case in cases.items()
    }
    seconds = timed(jobs, rounds)
    each = {size: seconds[str(size), "native"] / case.trajectories for size, case in cases.items()}
    first = sizes[0]
    return [
        {
            "size": size,
            "per_second": 1 / each[size],
            "milliseconds": 1000 * each[size],
            "over_square": each[size] / each[first] / (size / first) ** 2,
        }
        for size in sizes
    ]


def parse_sizes(text: str) -> list[int]:
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        sizes = []
    if not sizes or min(sizes) < 1:
        raise ValueError(f"--sizes {text}: expected positive numbers such as 50,100,200")
    return sizes


def table(figures: Figures) -> str:
    """The comparison for people."""
    lines = [
        "{problem}{size}, {instances} instances x {particles} particles, {threads} threads, {level}".format(**figures),
        f"{'trajectories per second':26}{'native':>10}{'reference':>12}{'ratio':>8}",
    ]
    for what in ("rollout_greedy", "rollout_sampled", "gradient"):
        ours, theirs = figures[what]["native"], figures[what]["reference"]
        lines.append(f"{what.replace('_', ', '):26}{ours:10,.0f}{theirs:12,.0f}{ours / theirs:8.1f}")
    ours, theirs = figures["native_macs"], figures["matmul_macs"]
    lines.append(
        f"multiply-adds per second: {ours / 1e9:.1f}e9 (3 d N per step), torch.matmul {theirs / 1e9:.1f}e9, "
        f"ratio {ours / theirs:.2f}"
    )
    return "\n".join(lines)


def growth_table(rows: list[Figures]) -> str:
    """The growth for people."""
    lines = [f"{'n':>6}{'per second':>13}{'ms each':>10}{'over n^2':>10}"]
    lines += ["{size:6d}{per_second:13,.1f}{milliseconds:10.3f}{over_square:10.2f}".format(**row) for row in rows]
    return "\n".join(lines)


def timed(jobs: dict[tuple[str, str], Callable[[], object]], rounds: int) -> dict[tuple[str, str], float]:
    """Median seconds of each job, all of them in turn in every round after one round of warming up."""
    times: dict[tuple[str, str], list[float]] = {key: [] for key in jobs}
    for turn in range(rounds + 1):
        for key, job in jobs.items():
            if turn == 0 and key[1] == "reference":
                continue
            for _ in range(NATIVE_REPEATS if turn and key[1] == "native" else 1):
                begin = time.perf_counter()
                job()
                if turn:
                    times[key].append(time.perf_counter() - begin)
    return {key: statistics.median(values) for key, values in times.items()}
