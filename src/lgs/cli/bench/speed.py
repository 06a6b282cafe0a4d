"""`lgs bench speed`: the compiled kernel against plain torch and against a matrix product."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ..errors import explained


def speed(
    problem: Annotated[str, typer.Option(help="What is solved.")] = "cvrp",
    size: Annotated[int, typer.Option(min=1, help="Customers, items or jobs.")] = 100,
    particles: Annotated[int, typer.Option(min=1, help="Episodes per instance in a rollout.")] = 600,
    instances: Annotated[int, typer.Option(min=1, help="Instances in a batch.")] = 4,
    rounds: Annotated[int, typer.Option(min=1, help="How often everything is timed; medians are shown.")] = 3,
    sizes: Annotated[str, typer.Option(help="Instead: how the cost grows, at these sizes, as 50,100,200.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Trajectories per second of the compiled kernel and of the reference, and what a search spends beside them."""
    with explained():
        from ...report import overhead
        from ...report import speed as measure

        if sizes:
            rows = measure.growth(problem, measure.parse_sizes(sizes), particles, instances, rounds)
            print(json.dumps({"growth": rows}, indent=2) if as_json else measure.growth_table(rows))
            return
        figures = measure.compare(problem, size, particles, instances, rounds)
        figures["search"] = overhead.measure(problem, size, particles, instances, rounds)
        lines = f"{measure.table(figures)}\n{overhead.line(figures['search'])}"
        print(json.dumps(figures, indent=2) if as_json else lines)
