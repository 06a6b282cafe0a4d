"""The compiled kernel: the two functions of `reference`, for problems whose rules it knows, on the CPU in float32.

Randomness comes in as uniforms and particles never meet, so results depend neither on the number of threads nor on
how particles are divided into blocks. Like the reference, a greedy rollout takes the most likely node; where the tanh
has saturated and several are equally likely, it takes the one with the largest logit before the tanh.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from ..model.tables import Tables
from ..problems import NONE, Problem

try:
    _native: Any = importlib.import_module("._native", __package__)
except ImportError:  # installed without a compiler
    _native = None

MAX_HEADS, MAX_CLIP = 8, 32.0
TABLES = tuple(field.name for field in dataclasses.fields(Tables) if field.name not in ("heads", "clip"))


def levels() -> list[str]:
    """The kernel's levels of vector instructions that this machine can run, best first; empty without the extension."""
    return list(_native.levels()) if _native else []


def obstacle(problem: Problem[Any, Any], instance: Any, tables: Tables) -> str | None:
    """Why the compiled kernel cannot run these episodes, or None."""
    if _native is None:
        return "the compiled extension is not installed"
    if tables.keys.device.type != "cpu":
        return f"it runs on the CPU, the model is on {tables.keys.device}"
    rules = problem.rules(instance)
    if rules is None or rules.name not in _native.policies():
        return f"it has no rules for {problem.name}"
    if tables.heads > MAX_HEADS:
        return f"it runs at most {MAX_HEADS} attention heads, the model has {tables.heads}"
    if not 0 < tables.clip <= MAX_CLIP:
        return f"it clips logits at most at {MAX_CLIP:g}, the model at {tables.clip:g}"
    return None


@torch.no_grad()
def rollout(
    problem: Problem[Any, Any], instance: Any, tables: Tables, starts: Tensor, uniforms: Tensor | None, level: str = ""
) -> tuple[Tensor, Tensor]:
    """Actions [B, K, T] and log-probabilities [B, K], as `reference.rollout`; `level` "" is the best one."""
    actions = torch.full((*starts.shape, problem.horizon(instance)), NONE)
    log_probs = torch.zeros(starts.shape)
    if actions.numel():
        job = _job(problem, instance, _plain(tables), tables, starts, actions, level)
        job.rollout(_view(log_probs), None if uniforms is None else _view(_as(uniforms, torch.float32)))
    return actions, log_probs


def score(
    problem: Problem[Any, Any], instance: Any, tables: Tables, actions: Tensor, starts: Tensor,
    known: Tensor | None = None, level: str = "",
) -> Tensor:  # fmt: skip
    """Log-probabilities [B, K] of given actions, as `reference.score`; differentiable once in every table.

    `known` log-probabilities, of the rollout that took these actions by these tables, are taken for granted: then
    only the backward pass, if there is one, plays the episodes again.
    """
    call = (problem, instance, tables, starts, actions, level)
    total: Tensor = _Score.apply(call, known, *_plain(tables).values())  # type: ignore[no-untyped-call]
    return total


class _Score(torch.autograd.Function):
    """Neither direction keeps anything of an episode but the tables: the backward pass runs it again."""

    @staticmethod
    def forward(ctx: Any, call: tuple[Any, ...], known: Tensor | None, *values: Tensor | None) -> Tensor:
        ctx.call = call
        ctx.save_for_backward(*values)
        if known is not None:
            return known.detach().clone()
        log_probs = torch.zeros(call[3].shape)
        if call[4].numel():
            _job_of(call, values).score(_view(log_probs))
        return log_probs

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        values = ctx.saved_tensors
        wanted = [value is not None and need for value, need in zip(values, ctx.needs_input_grad[2:])]
        gradients = [torch.zeros_like(value) if want else None for value, want in zip(values, wanted)]
        if ctx.call[4].numel():
            views = {name: None if sums is None else _view(sums) for name, sums in zip(TABLES, gradients)}
            _job_of(ctx.call, values).score_backward(_view(_as(upstream, torch.float32)), views)
        return None, None, *gradients


def _job_of(call: tuple[Any, ...], values: tuple[Tensor | None, ...]) -> Any:
    problem, instance, tables, starts, actions, level = call
    return _job(problem, instance, dict(zip(TABLES, values)), tables, starts, _as(actions, torch.int64), level)


def _job(
    problem: Problem[Any, Any], instance: Any, plain: dict[str, Tensor | None], tables: Tables,
    starts: Tensor, actions: Tensor, level: str,
) -> Any:  # fmt: skip
    rules = problem.rules(instance)
    assert rules is not None
    arrays = {name: _view(_as(array, _wide(array))) for name, array in rules.arrays.items()}
    views = {name: None if table is None else _view(table) for name, table in plain.items()}
    return _native.Job(
        rules.name, arrays, views, tables.heads, tables.clip, problem.forced_start,
        _view(_as(starts, torch.int64)), _view(actions), torch.get_num_threads(), level,
    )  # fmt: skip


def _plain(tables: Tables) -> dict[str, Tensor | None]:
    """The tables as the kernel reads them; the conversion is part of what gradients flow through."""
    given = {name: getattr(tables, name) for name in TABLES}
    return {name: None if table is None else table.float().contiguous() for name, table in given.items()}


def _wide(array: Tensor) -> torch.dtype:
    return torch.float64 if array.is_floating_point() else torch.int64


def _as(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    return tensor.detach().to("cpu", dtype).contiguous()


def _view(tensor: Tensor) -> Any:
    """The same memory as a NumPy array, which the kernel takes without running any Python.

    A tensor's own `__dlpack__` is Python, and an interrupt that arrives in there is lost: nanobind tries again.
    """
    return tensor.detach().numpy()
