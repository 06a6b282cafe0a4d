"""`lgs bench tune`: the recorded study behind the defaults of LGS."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import explained


def tune(
    problem: Annotated[str, typer.Option(help="What is solved.")] = "cvrp",
    size: Annotated[int, typer.Option(min=1, help="Customers, items or jobs.")] = 100,
    instances: Annotated[int, typer.Option(min=1, help="How many validation instances.")] = 16,
    seconds: Annotated[float, typer.Option("--seconds-per-instance", min=0.0, help="Time for each instance.")] = 2.0,
    seed: Annotated[int, typer.Option(min=0, help="Of the instances and of the search.")] = 4321,
    seeds: Annotated[int, typer.Option(min=1, help="How often every trial is run.")] = 1,
    batch: Annotated[int, typer.Option(min=1, help="Instances searched together.")] = 20,
    factor: Annotated[list[str] | None, typer.Option(help="Only these factors; repeat it.")] = None,
    model: Annotated[str, typer.Option(help="Weights by name or path; those of the problem without.")] = "",
    out: Annotated[Path | None, typer.Option(help="Write the study here, as JSON.")] = None,
) -> None:
    """Choose the settings of LGS one factor after the other, on instances of our own, and record every trial."""
    with explained():
        from ...report import benchmark, tuning

        known = [name for name, _ in tuning.FACTORS]
        for name in factor or []:
            if name not in known:
                raise ValueError(f"unknown factor {name!r}; known: {', '.join(known)}")
        net, weights = benchmark.model(problem, size, model)
        instance = benchmark.instances(net.problem, size, instances, seed)
        sense = net.problem.sense

        def tell(trial: tuning.Trial) -> None:
            value = trial.settings.get(trial.factor, "")
            mark = "  kept" if trial.kept else ""
            print(f"{trial.factor:<14}{value:<24}{sense * trial.costs.mean():.4f}{mark}", file=sys.stderr)

        factors = [pair for pair in tuning.FACTORS if not factor or pair[0] in factor]
        searches = [seed + 1000 * repeat for repeat in range(seeds)]
        trials = tuning.study(net, instance, seconds, searches, batch, factors, tell)
        found = {
            "problem": problem,
            "size": size,
            "instances": instances,
            "seed": seed,
            "seeds": seeds,
            "seconds_per_instance": seconds,
            "weights": weights,
            "machine": platform.processor() or platform.machine(),
            **tuning.figures(trials, sense),
        }
        text = json.dumps(found, indent=2)
        if out:
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(text + "\n")
        else:
            print(text)
