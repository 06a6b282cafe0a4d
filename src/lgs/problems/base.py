"""The contract of a problem: what is solved, with no knowledge of any network.

A problem is one file in this folder that defines one subclass of `Problem`; the file's name is the problem's
name everywhere (command line, weights, recipes). See docs/add-a-problem.md.

Shapes: B instances, N nodes, K particles, T steps, A anchors, S scalars, F dynamic features, P pairwise features.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

import torch
from torch import Generator, Tensor

from .batched import Batched, as_particles

I = TypeVar("I", bound=Batched)  # noqa: E741  the problem's instance batch
S = TypeVar("S", bound=Batched)  # the problem's episode state, one row per instance, [B, K, ...]

#: A readable solution of one instance: routes of nodes, chosen items, or start times per job.
Solution = list[list[int]]

NONE = -1
"""An absent node: the action after an episode's end, the anchor before the first action, a free start."""


@dataclass(frozen=True)
class Context:
    """What the decoder's query depends on at one step (the paper's c_t without z)."""

    anchors: Tensor
    """[B, K, A] nodes whose embeddings enter the query; `NONE` contributes nothing."""
    scalars: Tensor
    """[B, K, S] unit-scale numbers such as the remaining capacity."""


@dataclass(frozen=True)
class Rules:
    """How the compiled kernel plays the episode: the name of its policy and the arrays that it reads."""

    name: str
    arrays: dict[str, Tensor] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """The independent checker's word on one solution."""

    cost: float
    """The cost by the checker's own arithmetic; infinite when it cannot be computed."""
    violations: tuple[str, ...] = ()

    @property
    def feasible(self) -> bool:
        return not self.violations


PAPER_COUNT = 1000
"""Instances in each of the paper's test sets."""


class Problem(abc.ABC, Generic[I, S]):
    """One combinatorial problem as an episode of node choices.

    Costs are always minimised; `sense` is -1 where people maximise (the value shown is `sense * cost`).
    An episode is over when nothing is allowed any more; its remaining actions are `NONE`.
    """

    sense: ClassVar[int] = 1
    unit: ClassVar[str] = "length"
    """What `sense * cost` measures, for tables and plots."""
    anchors: ClassVar[tuple[str, ...]] = ()
    scalars: ClassVar[tuple[str, ...]] = ()
    dynamic: ClassVar[tuple[str, ...]] = ()
    """Names of the node features that change during the episode."""
    pairwise: ClassVar[tuple[str, ...]] = ()
    """Names of the static features of (current node = first anchor, candidate node)."""
    relations: ClassVar[tuple[str, ...]] = ()
    """Names of the node relations that an encoder may use."""
    feature_widths: ClassVar[tuple[int, ...]]
    """Width of the features of each node type, in the order of the nodes."""
    forced_start: ClassVar[bool] = False
    """Whether every episode begins with a given node (a tour may begin anywhere)."""

    @property
    def name(self) -> str:
        return type(self).__module__.rsplit(".", 1)[-1]

    # -- instances ---------------------------------------------------------------------------------
    @abc.abstractmethod
    def generate(self, batch: int, size: int, generator: Generator | None = None) -> I:
        """`batch` random instances of the paper's distribution; `size` as people count it (customers, items)."""

    def paper_set(self, size: int, count: int = PAPER_COUNT) -> I:
        """The first `count` of the paper's test instances of this size, where it published some."""
        raise ValueError(f"{self.name}: the paper has no test set; use `generate`")

    @abc.abstractmethod
    def num_nodes(self, instance: I) -> int:
        """N, the width of the decoder's choice."""

    @abc.abstractmethod
    def features(self, instance: I) -> tuple[Tensor, ...]:
        """Per node type [B, N_type, width], on unit scale, invariant to the instance's own units."""

    def relation(self, instance: I) -> Tensor:
        """[B, R, N, N] booleans, one layer per name in `relations`."""
        raise NotImplementedError(f"{self.name} declares no relations")

    def pair_features(self, instance: I) -> Tensor:
        """[B, N, N, P] static features of (current, candidate), one per name in `pairwise`."""
        raise NotImplementedError(f"{self.name} declares no pairwise features")

    def symmetries(self, instance: I, count: int) -> list[I]:
        """`count` images of the instance that look different to a network and have the same costs."""
        if count != 1:
            raise ValueError(f"{self.name} has no symmetries to augment with; use 1")
        return [instance]

    def obstacles(self, instance: I) -> list[str]:
        """Why a batch of one has no feasible solution, as far as that can be seen at once; empty: it may have."""
        return []

    def rules(self, instance: I) -> Rules | None:
        """The compiled kernel's policy for this problem, if it has one."""
        return None

    # -- the episode -------------------------------------------------------------------------------
    @abc.abstractmethod
    def horizon(self, instance: I) -> int:
        """An upper bound on the number of steps T."""

    @abc.abstractmethod
    def first_nodes(self, instance: I) -> Tensor:
        """[B, M] the nodes where an episode may begin."""

    def starts(self, instance: I, particles: int, forced: bool | None = None) -> Tensor:
        """[B, K] first node of each particle: in turn through `first_nodes`, or `NONE`: the decoder chooses."""
        forced = self.forced_start if forced is None else forced
        if not forced:
            if self.forced_start:
                raise ValueError(f"{self.name} episodes begin with a given node; forced_start cannot be off")
            return torch.full((len(instance), particles), NONE, device=instance.device)
        nodes = self.first_nodes(instance)
        return nodes[:, torch.arange(particles, device=nodes.device) % nodes.shape[1]]

    @abc.abstractmethod
    def reset(self, instance: I, particles: int) -> S:
        """The state before the first action."""

    @abc.abstractmethod
    def step(self, instance: I, state: S, action: Tensor) -> S:
        """The state after `action` [B, K]; pure; `NONE` changes nothing."""

    def unroll(self, instance: I, state: S, actions: Tensor) -> tuple[S, S]:
        """The states before each of C given actions [B, K, C], as K * C particles, and the state after the last.

        One `step` after the other; a problem whose states can be read off the actions may do it at once.
        """
        states = []
        for action in actions.unbind(-1):
            states.append(state)
            state = self.step(instance, state, action)
        return as_particles(states), state

    @abc.abstractmethod
    def allowed(self, instance: I, state: S) -> Tensor:
        """[B, K, N] what may come next; all False once the episode is over."""

    @abc.abstractmethod
    def context(self, instance: I, state: S) -> Context:
        """Anchors and scalars of the decoder's query."""

    def dynamic_features(self, instance: I, state: S) -> Tensor:
        """[B, K, N, F] one per name in `dynamic`; only read where `allowed`."""
        raise NotImplementedError(f"{self.name} declares no dynamic features")

    # -- outcomes ----------------------------------------------------------------------------------
    @abc.abstractmethod
    def cost(self, instance: I, actions: Tensor) -> Tensor:
        """[B, K] float64 cost of complete episodes [B, K, T], from the actions alone, in the instance's metric."""

    @abc.abstractmethod
    def solution(self, instance: I, actions: Tensor) -> Solution:
        """The readable form of one episode [T] of a batch of one."""

    @abc.abstractmethod
    def actions(self, instance: I, solution: Solution) -> Tensor:
        """An episode [T] that yields `solution` (the inverse of `solution`, up to order that costs nothing)."""

    @abc.abstractmethod
    def check(self, instance: I, solution: Solution) -> Verdict:
        """Judge a solution of a batch of one, sharing no code with `allowed` and `step`."""


def of_paper_set(count: int) -> slice:
    """The first `count` instances of a test set; a ValueError if it has not so many."""
    if not 1 <= count <= PAPER_COUNT:
        raise ValueError(f"the paper's test sets have {PAPER_COUNT} instances each, {count} are asked for")
    return slice(count)


def mark(flags: Tensor, node: Tensor) -> Tensor:
    """`flags` [B, K, N] with `node` [B, K] set; `NONE` matches no node."""
    return flags | (torch.arange(flags.shape[-1], device=flags.device) == node[..., None])


def mark_before(flags: Tensor, nodes: Tensor) -> Tensor:
    """[B, K, C, N] `flags` [B, K, N] with the first 0, 1, ... C - 1 of `nodes` [B, K, C] set."""
    steps, width = nodes.shape[-1], flags.shape[-1]
    when = torch.arange(steps, device=nodes.device)
    # One column more than there are nodes takes the marks of `NONE`.
    first = torch.full((*flags.shape[:-1], width + 1), steps, device=nodes.device)
    first = first.scatter(-1, nodes.where(nodes != NONE, width), when.expand(nodes.shape))[..., None, :width]
    return flags[..., None, :] | (first < when[:, None])


def at(values: Tensor, node: Tensor) -> Tensor:
    """`values` [B, N] at `node` [B, ...], zero where the node is `NONE`."""
    index = node.clamp_min(0).flatten(1)
    picked = values.gather(1, index).view(node.shape)
    return picked.masked_fill(node == NONE, 0)


def trim(actions: Tensor) -> list[int]:
    """One episode [T] as a list, without the padding after its end."""
    return [node for node in actions.tolist() if node != NONE]
