"""`lgs bench quality`: how good a model is before any search."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from ..errors import explained


def quality(
    problem: Annotated[str, typer.Option(help="What is solved.")] = "tsp",
    size: Annotated[int, typer.Option(min=1, help="Customers, items or jobs.")] = 100,
    instances: Annotated[int, typer.Option(min=1, help="How many instances.")] = 200,
    weights: Annotated[str, typer.Option(help="Weights by name or path; those of the problem without.")] = "",
    references: Annotated[
        Path | None, typer.Option(help="JSON file with costs of the paper's test set, which is then what is measured.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of generated instances; without, those of validation.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Best and mean of 100 latents from the prior, greedy, without augmentation; and of a single latent."""
    with explained():
        if references is not None and seed is not None:
            raise ValueError("--references measures the paper's test set, which has no --seed; give one of the two")
        from ...report import benchmark
        from ...report import quality as report

        net, name = benchmark.model(problem, size, weights)
        yardstick = (
            report.published(net, size, instances, references)
            if references is not None
            else report.generated(net, size, instances, seed)
        )
        found = {
            "problem": problem,
            "size": size,
            "instances": instances,
            "set": yardstick.instances,
            "weights": name,
            **report.measure(net, yardstick),
        }
        print(json.dumps(found, indent=2) if as_json else report.table(found))
