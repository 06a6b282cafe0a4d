"""The decode loop in plain torch: any problem, any device, any floating dtype, differentiable tables.

The compiled kernel has the same two functions with the same meaning; this file is what it is tested against.
"""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from ..model.tables import Tables
from ..problems import NONE, Context, Problem

SCORE_BYTES = {"cpu": 1 << 28, "cuda": 1 << 34}
"""About how much memory one chunk of steps may take in `score`, by kind of device."""


@torch.no_grad()
def rollout(
    problem: Problem[Any, Any], instance: Any, tables: Tables, starts: Tensor, uniforms: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Decode whole episodes: greedy, or sampled by inverting the cumulative probabilities at `uniforms` [B, K, T].

    Returns actions [B, K, T] (`NONE` after the end) and log-probabilities [B, K]; a forced start costs nothing.
    """
    state = problem.reset(instance, starts.shape[1])
    log_probs = tables.keys.new_zeros(starts.shape, dtype=_logit_dtype(tables))
    actions = torch.full((*starts.shape, problem.horizon(instance)), NONE, device=starts.device)
    for t in range(actions.shape[-1]):
        allowed = problem.allowed(instance, state)
        if t == 0 and problem.forced_start:
            action = starts
        else:
            running = allowed.any(-1)
            # Asking the device costs more than a step that does nothing: ask only where it may save steps.
            if t % 4 == 0 and not bool(running.any()):
                break
            action, step_log_prob = _choose(problem, instance, tables, state, allowed, uniforms, t)
            if t == 0:
                free = starts == NONE
                action = torch.where(free, action, starts)
                step_log_prob = step_log_prob * free
            action = torch.where(running, action, NONE)
            log_probs += torch.where(running, step_log_prob, 0.0)
        actions[..., t] = action
        state = problem.step(instance, state, action)
    return actions, log_probs


def score(problem: Problem[Any, Any], instance: Any, tables: Tables, actions: Tensor, starts: Tensor) -> Tensor:
    """[B, K] log-probabilities of given episodes, differentiable in the tables; steps are taken in chunks."""
    batch, particles, horizon = actions.shape
    horizon = int((actions != NONE).any(1).any(0).sum())
    nodes = tables.keys.shape[1]
    per_step = batch * particles * nodes * tables.heads * 4 * (1 + len(problem.dynamic))
    chunk = max(1, SCORE_BYTES.get(actions.device.type, 1 << 28) // max(1, per_step))
    state = problem.reset(instance, particles)
    first = 0
    if problem.forced_start and horizon:
        state, first = problem.step(instance, state, actions[..., 0]), 1
    total = tables.keys.new_zeros((batch, particles), dtype=_logit_dtype(tables))
    for begin in range(first, horizon, chunk):
        taken = actions[..., begin : min(begin + chunk, horizon)]
        seen, state = problem.unroll(instance, state, taken)
        counted = taken != NONE
        if begin == 0:
            counted = counted & torch.cat((starts[..., None] == NONE, counted[..., 1:]), -1)
        # Several chunks are recomputed in the backward pass rather than kept.
        run = functools.partial(checkpoint, _score_chunk, use_reentrant=False) if chunk < horizon else _score_chunk
        total = total + run(
            tables,
            problem.allowed(instance, seen),
            problem.context(instance, seen),
            problem.dynamic_features(instance, seen) if problem.dynamic else None,
            taken,
            counted,
        )
    return total


def _score_chunk(
    tables: Tables, allowed: Tensor, context: Context, features: Tensor | None, taken: Tensor, counted: Tensor
) -> Tensor:
    """[B, K] sum over a chunk of C steps of the log-probability of the action taken [B, K, C].

    The steps are more particles to everything else: allowed [B, K * C, N], and so on.
    """
    log_p = log_policy(tables, allowed, context, features, repeat=taken.shape[-1])
    chosen = log_p.gather(-1, taken.flatten(1).clamp_min(0)[..., None]).view(taken.shape)
    return torch.where(counted, chosen, 0.0).sum(-1)


def _choose(
    problem: Problem[Any, Any], instance: Any, tables: Tables, state: Any, allowed: Tensor,
    uniforms: Tensor | None, t: int,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    context = problem.context(instance, state)
    features = problem.dynamic_features(instance, state) if problem.dynamic else None
    log_p = log_policy(tables, allowed, context, features)
    if uniforms is None:
        action = log_p.argmax(-1)
    else:
        past = (log_p.exp().cumsum(-1) > uniforms[..., t, None]) & allowed
        # A parallel sum need not be monotone, nor end above u: the first allowed node past u, else the last allowed.
        nodes = torch.arange(allowed.shape[-1], device=allowed.device)
        last = torch.where(allowed, nodes, 0).amax(-1)
        action = torch.where(past, nodes, allowed.shape[-1]).amin(-1).minimum(last)
    return action, log_p.gather(-1, action[..., None])[..., 0]


def log_policy(tables: Tables, allowed: Tensor, context: Context, features: Tensor | None, repeat: int = 1) -> Tensor:
    """[B, K * repeat, N] log-probabilities of the next node (paper, eq. of the TSP and CVRP decoders)."""
    # An episode that is over has nothing to choose from; opening everything keeps its softmax finite.
    allowed = allowed | ~allowed.any(-1, keepdim=True)
    query = _per_particle(tables.query, repeat)
    for a in range(tables.anchors.shape[1]):
        query = query + _rows(tables.anchors[:, a], context.anchors[..., a])
    if tables.scalars.shape[1]:
        query = query + context.scalars.to(query.dtype) @ tables.scalars
    glimpse = _attend(tables, query, allowed, features)
    if tables.residual is not None:
        glimpse = glimpse + _per_particle(tables.residual, repeat)
    logits = _full_precision_product(glimpse, tables.logit_keys)
    if tables.pairwise is not None:
        logits = logits + _rows(tables.pairwise, context.anchors[..., 0])
    if features is not None:
        assert tables.feature_logits is not None and tables.feature_bias is not None
        weights = glimpse @ tables.feature_logits.mT + tables.feature_bias[:, None]
        logits = logits + (features.to(weights.dtype) @ weights[..., None])[..., 0]
    logits = (tables.clip * logits.tanh()).masked_fill(~allowed, -torch.inf)
    return logits.log_softmax(-1)


def _attend(tables: Tables, query: Tensor, allowed: Tensor, features: Tensor | None) -> Tensor:
    """Masked multi-head attention of queries [B, K, d] over the nodes; features [B, K, N, F] are rank-1 terms."""

    def heads(x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], tables.heads, x.shape[-1] // tables.heads).transpose(1, 2)

    q, k, v = heads(query), heads(tables.keys), heads(tables.values)
    if features is None:
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed[:, None], scale=1.0)
    else:
        assert tables.feature_keys is not None and tables.feature_values is not None
        x = features.to(q.dtype)
        scores = q @ k.mT + torch.einsum("bhkf,bknf->bhkn", q @ heads(tables.feature_keys).mT, x)
        attention = scores.masked_fill(~allowed[:, None], -torch.inf).softmax(-1)
        mixed = attention @ v + torch.einsum("bhkn,bknf->bhkf", attention, x) @ heads(tables.feature_values)
    return mixed.transpose(1, 2).flatten(2)


def _per_particle(rows: Tensor, repeat: int) -> Tensor:
    return rows if repeat == 1 else rows.repeat_interleave(repeat, 1)


def _rows(table: Tensor, node: Tensor) -> Tensor:
    """`table` [B, N, w] at `node` [B, K]; an absent node contributes zero."""
    batch, nodes = table.shape[:2]
    first = torch.arange(batch, device=node.device)[:, None] * nodes
    # An embedding's gradient is summed after a sort; that of a gather by atomic additions, slow where many
    # particles stand at the same node (every depot).
    picked = F.embedding(node.clamp_min(0) + first, table.flatten(0, 1))
    return picked * (node != NONE)[..., None]


def _full_precision_product(glimpse: Tensor, logit_keys: Tensor) -> Tensor:
    """Logits decide; under mixed precision, too, they are computed in float32."""
    dtype = torch.promote_types(logit_keys.dtype, torch.float32)
    with torch.autocast(glimpse.device.type, enabled=False):
        return glimpse.to(dtype) @ logit_keys.to(dtype).mT


def _logit_dtype(tables: Tables) -> torch.dtype:
    """Probabilities are never computed in less than float32."""
    return torch.promote_types(tables.keys.dtype, torch.float32)
