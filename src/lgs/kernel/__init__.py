"""The only door to compiled code: whole episodes and their scores.

`native` runs built-in problems on the CPU; `reference` is the same in plain torch, for everything else. The
choice is automatic; the environment variable LGS_KERNEL=reference|native forces one.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor

from ..model.tables import Tables
from ..problems import Problem
from . import reference

__all__ = ["rollout", "score"]


def rollout(
    problem: Problem[Any, Any], instance: Any, tables: Tables, starts: Tensor, uniforms: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Actions [B, K, T] and log-probabilities [B, K]: sampled from `uniforms` [B, K, T], greedy without."""
    return reference.rollout(problem, instance, tables, starts, uniforms)


def score(problem: Problem[Any, Any], instance: Any, tables: Tables, actions: Tensor, starts: Tensor) -> Tensor:
    """Log-probabilities [B, K] of given actions, differentiable in the tables."""
    return reference.score(problem, instance, tables, actions, starts)
