"""Whole episodes in one GPU launch (Triton), for the problems whose rules fit in registers.

Eager torch spends a decode step on some forty launches that each pass [B, K, N] through memory; here a program plays
all steps of `PARTICLES` particles of one instance, and only the tables and the chosen nodes touch memory.
Tested against the reference by Triton's interpreter (TRITON_INTERPRET=1), which needs no GPU.
"""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor

from ..model.tables import Tables
from ..problems import NONE, Problem

RULES = {"tsp": 0, "cvrp": 1, "knapsack": 2}
PARTICLES, WARPS = 16, 2
"""Per program. More particles or warps share loads better and lose more to registers and barriers: at n = 100 on an
H200, 16 particles take 36 to 41 ms with 1, 2 or 4 warps, 32 take 62 to 80 ms, 64 take 96 ms."""


def supports(problem: Problem[Any, Any], instance: Any, tables: Tables) -> bool:
    """Whether `rollout` can play this problem with these tables."""
    rules = problem.rules(instance)
    width = tables.keys.shape[-1] // tables.heads
    return rules is not None and rules.name in RULES and tables.feature_keys is None and width in (16, 32, 64)


@torch.no_grad()
def rollout(
    problem: Problem[Any, Any], instance: Any, tables: Tables, starts: Tensor, uniforms: Tensor | None
) -> tuple[Tensor, Tensor]:
    """As `reference.rollout`."""
    batch, particles = starts.shape
    nodes, dim = tables.keys.shape[1:]
    horizon = problem.horizon(instance)
    rules = problem.rules(instance)
    assert rules is not None
    loads = rules.arrays.get("demands", rules.arrays.get("weights"))
    actions = torch.full((batch, particles, horizon), NONE, device=starts.device)
    log_probs = torch.zeros((batch, particles), device=starts.device)

    def given(x: Tensor | None) -> Tensor:
        return actions if x is None else x.contiguous()

    def by_head(x: Tensor) -> Tensor:
        """[B, H, N, d_k]: a program reads the table of one head in one piece."""
        return x.view(batch, nodes, tables.heads, -1).transpose(1, 2).contiguous()

    _episodes[(batch, triton.cdiv(particles, PARTICLES))](
        given(tables.query), given(tables.anchors), given(tables.scalars),
        by_head(tables.keys), by_head(tables.values), by_head(tables.logit_keys),
        given(tables.residual), given(tables.pairwise), given(loads), given(rules.arrays.get("capacity")),
        given(starts), given(uniforms), actions, log_probs,
        particles, nodes, horizon,
        RULE=RULES[rules.name], ANCHORS=tables.anchors.shape[1], CLIP=tables.clip,
        RESIDUAL=tables.residual is not None, PAIRWISE=tables.pairwise is not None, GREEDY=uniforms is None,
        DIM=dim, HEADS=tables.heads, WIDTH=dim // tables.heads,
        PARTICLES=PARTICLES, NODES=max(16, triton.next_power_of_2(nodes)), num_warps=WARPS,
    )  # fmt: skip
    return actions, log_probs


@triton.jit
def _episodes(
    query, anchors, scalars, keys, values, logit_keys, residual, pairwise, loads, capacities,
    starts, uniforms, actions, log_probs, particles, nodes, horizon,
    RULE: tl.constexpr, ANCHORS: tl.constexpr, CLIP: tl.constexpr,
    RESIDUAL: tl.constexpr, PAIRWISE: tl.constexpr, GREEDY: tl.constexpr,
    DIM: tl.constexpr, HEADS: tl.constexpr, WIDTH: tl.constexpr,
    PARTICLES: tl.constexpr, NODES: tl.constexpr,
):  # fmt: skip
    b = tl.program_id(0).to(tl.int64)
    k = tl.program_id(1) * PARTICLES + tl.arange(0, PARTICLES)
    n, w = tl.arange(0, NODES), tl.arange(0, WIDTH)
    real, exists = k < particles, n < nodes
    row = b * particles + k
    start = tl.load(starts + row, mask=real, other=-1)
    taken = tl.zeros((PARTICLES, NODES), tl.int32)
    last = tl.full((PARTICLES,), -1, tl.int64)
    first = last
    left = tl.zeros((PARTICLES,), tl.int64)
    load = tl.zeros((NODES,), tl.int64)
    capacity = tl.zeros((1,), tl.int64)
    if RULE > 0:
        load = tl.load(loads + b * nodes + n, mask=exists, other=0)
        capacity += tl.load(capacities + b)
        left += capacity
    if RULE == 1:
        last = tl.zeros((PARTICLES,), tl.int64)
    total = tl.zeros((PARTICLES,), tl.float32)
    t = 0
    going = 1
    while going > 0:
        # What may come next: the rules of problems/*.py.
        allowed = (taken == 0) & exists[None, :]
        if RULE == 1:
            waiting = allowed & (n > 0)[None, :]
            away = (last != 0) & (tl.max(waiting.to(tl.int32), 1) > 0)
            allowed = waiting & (load[None, :] <= left[:, None])
            allowed = allowed | (away[:, None] & (n == 0)[None, :])
        if RULE == 2:
            allowed = allowed & (load[None, :] <= left[:, None])
        running = (tl.max(allowed.to(tl.int32), 1) > 0) & real
        # An episode that is over has nothing to choose from; opening everything keeps its softmax finite.
        opened = (allowed | (running == 0)[:, None]) & exists[None, :]

        share = left.to(tl.float32) / tl.maximum(capacity, 1).to(tl.float32)
        logits = tl.zeros((PARTICLES, NODES), tl.float32)
        for h in range(HEADS):
            c = h * WIDTH + w
            q = tl.load(query + row[:, None] * DIM + c[None, :], mask=real[:, None], other=0.0).to(tl.float32)
            for a in tl.static_range(ANCHORS):
                node = last if a == 0 else first
                place = (b * ANCHORS + a) * nodes + tl.maximum(node, 0)
                inside = (real & (node >= 0))[:, None]
                q += tl.load(anchors + place[:, None] * DIM + c[None, :], mask=inside, other=0.0).to(tl.float32)
            if RULE > 0:
                q += share[:, None] * tl.load(scalars + b * DIM + c).to(tl.float32)[None, :]
            tile = ((b * HEADS + h) * nodes + n) * WIDTH
            across, along = tile[None, :] + w[:, None], tile[:, None] + w[None, :]
            key = tl.load(keys + across, mask=exists[None, :], other=0.0)
            scores = tl.where(opened, tl.dot(q.to(key.dtype), key), float("-inf"))
            weight = tl.exp(scores - tl.max(scores, 1)[:, None])
            value = tl.load(values + along, mask=exists[:, None], other=0.0)
            glimpse = tl.dot(weight.to(value.dtype), value) / tl.sum(weight, 1)[:, None]
            if RESIDUAL:
                extra = tl.load(residual + row[:, None] * DIM + c[None, :], mask=real[:, None], other=0.0)
                glimpse += extra.to(tl.float32)
            logit_key = tl.load(logit_keys + across, mask=exists[None, :], other=0.0)
            logits = tl.dot(glimpse.to(logit_key.dtype), logit_key, acc=logits)
        if PAIRWISE:
            place = (b * nodes + tl.maximum(last, 0)) * nodes
            inside = (last >= 0)[:, None] & exists[None, :]
            logits += tl.load(pairwise + place[:, None] + n[None, :], mask=inside, other=0.0).to(tl.float32)
        logits = CLIP * (2.0 * tl.sigmoid(2.0 * logits) - 1.0)
        logits = tl.where(opened, logits, float("-inf"))
        top = tl.max(logits, 1)
        mass = tl.exp(logits - top[:, None])
        whole = tl.sum(mass, 1)
        if GREEDY:
            action = tl.argmax(logits, 1).to(tl.int64)
        else:
            u = tl.load(uniforms + row * horizon + t, mask=real, other=0.0)
            # A parallel sum need not be monotone, nor end above u: the first open node past u, else the last open one.
            past = (tl.cumsum(mass, 1) > (u * whole)[:, None]) & opened
            highest = tl.max(tl.where(opened, n[None, :], 0), 1)
            action = tl.minimum(tl.min(tl.where(past, n[None, :], NODES), 1), highest).to(tl.int64)
        chosen = tl.sum(tl.where(n[None, :] == action[:, None], logits, 0.0), 1)
        forced = (start >= 0) & (t == 0)
        action = tl.where(forced, start, action)
        total += tl.where(running & (forced == 0), chosen - top - tl.log(whole), 0.0)
        action = tl.where(running, action, -1)
        tl.store(actions + row * horizon + t, action, mask=real)

        taken = taken | (n[None, :] == action[:, None]).to(tl.int32)
        if RULE > 0:
            left -= tl.load(loads + b * nodes + tl.maximum(action, 0), mask=running, other=0)
        if RULE == 1:
            left = tl.where(action == 0, capacity, left)
        last = tl.where(running, action, last)
        first = tl.where(first >= 0, first, last)
        t += 1
        going = tl.where(t < horizon, tl.max(running.to(tl.int32), 0), 0)
    tl.store(log_probs + row, total, mask=real)
