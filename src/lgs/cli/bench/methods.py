"""`lgs bench methods`: search methods on the same weights and the same wall-clock time."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import explained


def methods(
    problem: Annotated[str, typer.Option(help="What is solved.")] = "cvrp",
    size: Annotated[int, typer.Option(min=1, help="Customers, items or jobs.")] = 100,
    instances: Annotated[int, typer.Option(min=1, help="How many instances.")] = 20,
    seconds: Annotated[float, typer.Option("--seconds-per-instance", min=0.0, help="Time for each instance.")] = 5.0,
    method: Annotated[
        list[str] | None, typer.Option(help="name or name:setting=value:...; repeat it. All of them without.")
    ] = None,
    decoding: Annotated[str, typer.Option(help="greedy or sampled, where a method does not say.")] = "sampled",
    augment: Annotated[int, typer.Option(help="Symmetric images of each instance: 1, 4 or 8.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of the instances and of the search.")] = 0,
    seeds: Annotated[int, typer.Option(min=1, help="How often everything is run; the plot has bands over them.")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="Instances searched together.")] = 20,
    paper: Annotated[bool, typer.Option("--paper", help="The paper's test set, instead of own instances.")] = False,
    references: Annotated[Path | None, typer.Option(help="JSON file with the costs that gaps are to.")] = None,
    model: Annotated[str, typer.Option(help="Weights by name or path; those of the problem without.")] = "",
    plot: Annotated[Path | None, typer.Option(help="Write the anytime curves here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare search methods: same weights, same instances, same wall-clock time per instance."""
    with explained():
        from ...report import anytime, benchmark
        from ...report import methods as report

        contestants = [report.Contestant.parse(text, decoding, augment) for text in method or report.everyone()]
        if plot:
            plot.parent.mkdir(parents=True, exist_ok=True)
        net, name = benchmark.model(problem, size, model)
        instance = benchmark.instances(net.problem, size, instances, seed, paper)
        comparison = report.compare(
            net,
            instance,
            contestants,
            seconds,
            [seed + 1000 * repeat for repeat in range(seeds)],
            batch,
            report.load_reference(references, instances) if references else None,
            lambda label, cost: print(f"{label}: {net.problem.sense * cost:.4f}", file=sys.stderr),
        )
        found = {
            "problem": problem,
            "size": size,
            "instances": instances,
            "set": "paper" if paper else f"generated, seed {seed}",
            "seconds_per_instance": seconds,
            "seeds": seeds,
            "weights": name,
            **report.figures(comparison, net.problem.sense),
        }
        # First the figures: a picture that cannot be written must not cost them.
        print(json.dumps(found, indent=2) if as_json else report.table(found))
        if plot:
            anytime.plot(comparison, plot, f"{problem} {size}, {instances} instances, weights {name}")
