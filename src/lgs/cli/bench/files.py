"""`lgs bench files`: instance files solved, against the best known costs."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from ..errors import explained


def files(
    directories: Annotated[list[Path], typer.Argument(help="Directories of instance files, or files.")],
    best_known: Annotated[Path | None, typer.Option(help="JSON object: instance name to best known cost.")] = None,
    time: Annotated[float, typer.Option(help="Seconds of search for each instance.")] = 10.0,
    method: Annotated[str, typer.Option(help="How to search, see `lgs methods`.")] = "lgs",
    model: Annotated[str, typer.Option(help="Weights by name or path. Default: the nearest in size.")] = "",
    augment: Annotated[int, typer.Option(help="Symmetric images of each instance: 1, 4 or 8.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Of the search.")] = 0,
    max_nodes: Annotated[int, typer.Option(min=1, help="Pass over what has more nodes.")] = 201,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Solve every instance file of a directory and print its gap to the best known cost, and the mean."""
    with explained():
        from ...api import Settings, gap, solving
        from ...report import files as report
        from ..instances import read

        best = report.load_best(best_known) if best_known else {}
        named = [
            dataclasses.replace(one, reference=best.get(path.stem, best.get(one.name, one.reference)))
            for path, one in read(directories)
            if one.size <= max_nodes
        ]
        if not named:
            raise ValueError(f"no instance has at most {max_nodes} nodes; raise --max-nodes")
        rows = []
        for place, solution in solving(named, Settings(time, method, model, augment=augment, seed=seed)):
            one = named[place]
            cost = solution.cost if solution.feasible else None
            rows.append(
                report.Row(
                    one.name,
                    one.problem.name,
                    one.size,
                    cost,
                    one.reference,
                    None if cost is None else gap(one.problem.sense, cost, one.reference),
                    solution.seconds,
                    solution.rollouts,
                )
            )
            print(f"{one.name}: {solution.cost:.10g}", file=sys.stderr, flush=True)
        found = {"summary": report.summary(rows), "instances": [dataclasses.asdict(row) for row in rows]}
        print(json.dumps(found, indent=2) if as_json else report.table(rows))
