"""Episodes with random decoders, for comparing kernels."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import torch
from hypothesis import strategies as st
from torch import Tensor

from lgs.kernel import native
from lgs.model import LGSNet, Tables
from lgs.model.config import Config
from lgs.problems import Problem, load, names

#: The problems that have rules for the compiled kernel; a new one may do without.
KNOWN = [name for name in names() if load(name).rules(load(name).generate(1, 2)) is not None]


@dataclass(frozen=True)
class Case:
    problem: Problem[Any, Any]
    instance: Any
    tables: Tables
    starts: Tensor
    uniforms: Tensor

    @property
    def call(self) -> tuple[Problem[Any, Any], Any, Tables, Tensor]:
        return self.problem, self.instance, self.tables, self.starts


def make(
    name: str, size: int, particles: int, batch: int = 2, heads: int = 2, width: int = 4, extended: bool = False,
    seed: int = 0, forced: bool | None = None,
) -> Case:  # fmt: skip
    """A case of `problem` whose decoder's weights, dynamic ones included, are random and matter."""
    generator = torch.Generator().manual_seed(seed)
    problem = load(name)
    config = Config(
        problem=name, dim=heads * width, heads=heads, layers=1, hidden=8, latent=3,
        pairwise=extended and bool(problem.pairwise), latent_residual=extended,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = LGSNet(config)
    instance = problem.generate(batch, size, generator)
    z = torch.randn(batch, particles, 3, generator=generator)
    with torch.no_grad():
        tables = model.tables(model.encode(instance), z)
        if tables.feature_keys is not None:
            # Features of a new model barely count.
            noise = {
                name: 0.5 * torch.randn(getattr(tables, name).shape, generator=generator)
                for name in native.TABLES
                if name.startswith("feature_")
            }
            tables = dataclasses.replace(tables, **noise)
    uniforms = torch.rand(batch, particles, problem.horizon(instance), generator=generator)
    return Case(problem, instance, tables, problem.starts(instance, particles, forced), uniforms)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Any built-in problem, small and not so small, with every shape of decoder."""
    name = draw(st.sampled_from(KNOWN))
    largest = 5 if name == "jobshop" else 40
    return make(
        name,
        size=draw(st.integers(1, largest)),
        particles=draw(st.sampled_from([1, 2, 7, 33])),
        batch=draw(st.integers(1, 3)),
        heads=draw(st.sampled_from([1, 3, 8])),
        width=draw(st.sampled_from([1, 4, 5, 16])),
        extended=draw(st.booleans()),
        seed=draw(st.integers(0, 1000)),
        forced=draw(st.sampled_from([None, True])),
    )


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def with_gradients(tables: Tables, dtype: torch.dtype = torch.float32, only: tuple[str, ...] = native.TABLES) -> Tables:
    """The same tables as leaves; those of `only` collect gradients."""
    present = {name: getattr(tables, name) for name in native.TABLES if getattr(tables, name) is not None}
    return dataclasses.replace(
        tables,
        **{name: table.detach().to(dtype).clone().requires_grad_(name in only) for name, table in present.items()},
    )


def gradients(tables: Tables) -> dict[str, Tensor]:
    found = {name: getattr(tables, name) for name in native.TABLES}
    return {name: x.grad for name, x in found.items() if x is not None and x.grad is not None and x.numel()}
