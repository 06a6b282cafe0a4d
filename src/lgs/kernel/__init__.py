"""The only door to compiled code: whole episodes and their scores.

`native` runs built-in problems on the CPU in float32, `gpu` plays some of them on a GPU; `reference` is the same in
plain torch, for everything else. The choice is automatic; the environment variable LGS_KERNEL=reference|native forces
one.
"""

from __future__ import annotations

import importlib.util
import os
from types import ModuleType
from typing import Any

import torch
from torch import Tensor

from ..model.tables import Tables
from ..problems import Problem
from . import native, reference

__all__ = ["KernelError", "rollout", "score"]


class KernelError(ValueError):
    """The kernel asked for cannot run."""


def rollout(
    problem: Problem[Any, Any], instance: Any, tables: Tables, starts: Tensor, uniforms: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Actions [B, K, T] and log-probabilities [B, K]: sampled from `uniforms` [B, K, T], greedy without."""
    chosen = _chosen(problem, instance, tables)
    if chosen is reference and tables.keys.is_cuda and os.environ.get("LGS_KERNEL") != "reference":
        chosen = _gpu(problem, instance, tables) or reference
    result: tuple[Tensor, Tensor] = chosen.rollout(problem, instance, tables, starts, uniforms)
    return result


def score(
    problem: Problem[Any, Any], instance: Any, tables: Tables, actions: Tensor, starts: Tensor,
    known: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Log-probabilities [B, K] of given actions, differentiable in the tables.

    Where the rollout that took these actions by these very tables has told them, pass them as `known`: it saves the
    compiled kernel the forward pass.
    """
    chosen = _chosen(problem, instance, tables)
    told = {"known": known} if chosen is native else {}
    result: Tensor = chosen.score(problem, instance, tables, actions, starts, **told)
    return result


def _gpu(problem: Problem[Any, Any], instance: Any, tables: Tables) -> ModuleType | None:
    """The Triton kernel where it knows the problem; torch's CUDA builds bring Triton along."""
    if importlib.util.find_spec("triton") is None:
        return None
    from . import gpu

    return gpu if gpu.supports(problem, instance, tables) else None


def _chosen(problem: Problem[Any, Any], instance: Any, tables: Tables) -> ModuleType:
    wish = os.environ.get("LGS_KERNEL", "")
    if wish not in ("", "native", "reference"):
        raise KernelError(f"LGS_KERNEL={wish}: must be native or reference")
    if wish == "reference":
        return reference
    obstacle = native.obstacle(problem, instance, tables)
    if wish == "native":
        if obstacle:
            raise KernelError(f"LGS_KERNEL=native: {obstacle}")
        return native
    # Whoever works in double precision wants it kept.
    return reference if obstacle or tables.keys.dtype == torch.float64 else native
