"""An instance with what its file says besides: names, numbers, the cost to beat."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..problems import Problem, Solution, Verdict
from ..problems.routes import Instance as Routes
from . import exact
from .text import Cell


@dataclass(frozen=True)
class Named:
    """One instance as read from a file, or about to be written to one."""

    problem: Problem[Any, Any]
    instance: Any
    """The problem's own instance, a batch of one."""
    name: str
    comment: str = ""
    labels: tuple[str, ...] = ()
    """What the file calls each node (the depot first) or item; empty where it has no names for them."""
    reference: float | None = None
    """The best known cost that the file states, as people count it: a knapsack's is its value."""
    first: int = 0
    """The number that solution files give to entry 0 of the problem's solutions: 1 where they count tours from 1."""
    vehicles: int | None = None
    """The size of the fleet that the file states; the problems do not limit the number of routes."""

    @property
    def size(self) -> int:
        """How many nodes (the depot included) or items there are."""
        return self.problem.num_nodes(self.instance)

    def number(self, entry: int) -> int:
        """How solution files write an entry of the problem's solution."""
        return entry + self.first

    def entry(self, cell: Cell, least: int, most: int) -> int:
        """An entry of the problem's solution, between `least` and `most`, from a solution file's number for it."""
        entry = cell.integer() - self.first
        if not least <= entry <= most:
            span = f"{self.number(least)} to {self.number(most)}"
            raise cell.error(f"{cell.shown()} is not in {self.name}, which has {span}")
        return entry

    def label(self, index: int) -> str:
        """The name of a node or item by its place in the instance; empty where it has none."""
        return self.labels[index] if self.labels else ""

    def obstacles(self) -> tuple[str, ...]:
        """Why no solution can exist, as far as that shows without a search: the problem's reasons and the fleet's."""
        return (*self.problem.obstacles(self.instance), *self._shortage())

    def _shortage(self) -> list[str]:
        if self.vehicles is None or not isinstance(self.instance, Routes):
            return []
        demand, room = int(self.instance.demands.sum()), self.vehicles * int(self.instance.capacity[0])
        if demand <= room:
            return []
        demanded, carried = (exact.text(amount, self.instance.unit) for amount in (demand, room))
        return [f"all customers together demand {demanded}, the {self.vehicles} vehicles of the file carry {carried}"]

    def check(self, solution: Solution) -> Verdict:
        """The checker's word, in which nodes have the file's numbers."""
        verdict = self.problem.check(self.instance, solution)
        if not self.first:
            return verdict

        def renumbered(match: re.Match[str]) -> str:
            return f"node {self.number(int(match[1]))}"

        faults = tuple(re.sub(r"\bnode (\d+)", renumbered, fault) for fault in verdict.violations)
        return dataclasses.replace(verdict, violations=faults)


_REFERENCE = re.compile(
    r"\b(?:optimal|optimum|best)(?: known)?(?: value| cost| solution)?\s?[:=]\s?([0-9.]{1,20})", re.I
)


def stated_reference(comment: str) -> float | None:
    """The cost in a comment such as "Optimal value: 784" (CVRPLIB)."""
    for match in _REFERENCE.finditer(comment):
        try:
            return float(match[1].rstrip("."))
        except ValueError:
            continue
    return None


def stated(cells: Mapping[str, Cell]) -> dict[str, Any]:
    """The fields of `Named` that our own formats give by name, where they give them."""
    about: dict[str, Any] = {}
    if "comment" in cells:
        about["comment"] = cells["comment"].text
    if "reference" in cells:
        about["reference"] = cells["reference"].number()
    if "vehicles" in cells:
        about["vehicles"] = cells["vehicles"].integer(least=1)
    return about
