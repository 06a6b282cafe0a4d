"""`lgs generate`: random instances as files."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from .errors import explained

MAX_SEED = 2**64 - 1
"""The largest seed that torch's generators take."""


class Form(str, Enum):
    """How the files are written."""

    json = "json"
    native = "native"


def generate(
    problem: Annotated[str, typer.Argument(help="Such as tsp, cvrp, cvrptw, knapsack, jobshop.")],
    out: Annotated[Path, typer.Option(help="Folder for the files; made if it does not exist.")],
    size: Annotated[int, typer.Option(min=1, max=2_000, help="Customers, nodes, items or jobs.")] = 100,
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="How many instances.")] = 1,
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=MAX_SEED, metavar="NUMBER", help="The same seed gives the same instances, whatever the count."
        ),
    ] = 0,
    machines: Annotated[
        int | None, typer.Option(min=1, max=2_000, help="Of a job shop; as many as jobs without it.")
    ] = None,
    form: Annotated[
        Form, typer.Option("--format", help="json, or the problem's own: .tsp, .vrp, Solomon's .txt, .kp, .jsp.")
    ] = Form.json,
) -> None:
    """Write random instances of a problem's distribution, one file each."""
    with explained():
        import torch

        from .. import io, problems

        options = {} if machines is None else {"machines": machines}
        kind, shape = problems.load(problem, **options), "x".join(map(str, (size, *options.values())))
        suffix = io.native(problem).SUFFIX if form is Form.native else f".{form.value}"
        generator = torch.Generator().manual_seed(seed)
        for number in range(1, count + 1):
            name = f"{problem}-n{shape}-s{seed}-{number}"
            named = io.wrap(problem, kind.generate(1, size, generator), name)
            out.mkdir(parents=True, exist_ok=True)
            io.write(out / f"{name}{suffix}", named)
        print(f"{count} {problem} instance{'s' if count > 1 else ''} of size {shape} (seed {seed}) in {out}")
