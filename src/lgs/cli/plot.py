"""`lgs plot`: pictures of training runs, solutions, searches and the latent space."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer

from .errors import explained

plot = typer.Typer(no_args_is_help=True, help="Draw training runs, solutions, searches, the latent space.")
plot.callback()(lambda: None)

Out = Annotated[Path | None, typer.Option(help="The picture: .png, .pdf or .svg (default: beside the input).")]


@plot.command()
def training(run: Annotated[Path, typer.Argument(help="The folder of a run of `lgs train`.")], out: Out = None) -> None:
    """Costs, validation and loss of a training run."""
    with explained():
        from ..report.plots import training as picture

        place = _place(out, (run if run.is_dir() else run.parent) / "training.png")
        _save(picture.draw(picture.read(run), run.resolve().name), place)


@plot.command()
def solution(
    instance: Annotated[Path, typer.Argument(help="The instance, in any format that lgs reads.")],
    solution: Annotated[Path, typer.Argument(help="Its solution: .sol, .tour, .json or .csv.")],
    out: Out = None,
) -> None:
    """A tour, routes with their loads and hours, a schedule, or the items of a knapsack."""
    with explained():
        from .. import io
        from ..report.plots import solutions

        place = _place(out, solution.with_suffix(".png"))
        named = io.read(instance)
        routes = io.read_solution(solution, named)
        verdict = named.check(routes)
        if not verdict.feasible:
            raise ValueError(f"{solution}: not a feasible solution of {named.name}: {verdict.violations[0]}")
        _save(solutions.draw(named, routes), place)


@plot.command()
def trace(
    results: Annotated[list[Path], typer.Argument(help="What `lgs solve --json` printed; one or several files.")],
    out: Out = None,
) -> None:
    """How the best cost fell over time and, for chains, how many proposals were accepted."""
    with explained():
        from matplotlib.figure import Figure

        from ..report.plots import acceptance, anytime

        place = _place(out, results[0].with_suffix(".png"))
        found = [result for path in results for result in _results(path)]
        steps = [step for step in found[0]["steps"] if step[1] is not None] if len(found) == 1 else []
        steps = steps if len(steps) > 1 else []
        figure = Figure(figsize=(7.5, 7.0 if steps else 4.5), dpi=150, layout="constrained")
        panels = list(figure.subplots(1 + bool(steps), 1, squeeze=False)[:, 0])
        several = len({result["method"] for result in found}) > 1
        curves = [
            anytime.Curve(
                f"{result['instance']} ({result['method']})" if several else result["instance"],
                [point[0] for point in result["trace"]],
                [point[2] for point in result["trace"]],
                result["reference"],
                result["seconds"],
            )
            for result in found
        ]
        anytime.draw(curves, found[0]["instance"] if len(found) == 1 else "", panels[0])
        if steps:
            acceptance.draw([step[0] for step in steps], [step[1] for step in steps], "", panels[1])
        _save(figure, place)


@plot.command()
def latent(
    instance: Annotated[Path, typer.Argument(help="The instance, in any format that lgs reads.")],
    iterations: Annotated[int, typer.Option(min=1, help="How much of a search to draw.")] = 100,
    method: Annotated[str, typer.Option(help="A method with chains; settings may follow.")] = "lgs:particles=100",
    model: Annotated[str, typer.Option(help="Weights by name or a file. Default: the nearest in size.")] = "",
    seed: Annotated[int, typer.Option(min=0, help="Of the search.")] = 0,
    out: Out = None,
) -> None:
    """Where a search's chains go in the latent space, what that costs, and the way to the best."""
    with explained():
        from .. import io
        from ..report import benchmark, latents
        from ..report.methods import Contestant
        from ..report.plots import latent as picture

        place = _place(out, instance.with_suffix(".latent.png"))
        named = io.read(instance)
        net, name = benchmark.model(named.problem.name, named.size, model)
        z, costs = latents.record(net, named.instance, Contestant.parse(method), iterations, seed)
        title = f"{named.name}: {z.shape[1]} chains, {z.shape[0]} iterations, weights {Path(name).stem}"
        _save(picture.draw(z, costs, title, named.problem.unit, named.problem.sense), place)


def _place(out: Path | None, otherwise: Path) -> Path:
    """Where the picture goes; a ValueError if it cannot be written there."""
    from .. import io

    place = out or otherwise
    if place.suffix.lower() not in (".png", ".pdf", ".svg"):
        raise ValueError(f"{place}: pictures end in .png, .pdf, .svg")
    io.check_writable(place)
    return place


def _save(figure: Any, place: Path) -> None:
    figure.savefig(place)
    print(f"written: {place}")


def _results(path: Path) -> list[dict[str, Any]]:
    """The objects of a file, one per line; those without a solution have nothing to draw."""
    needed = ("instance", "method", "trace", "steps", "reference", "seconds")
    try:
        found = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: not what `lgs solve --json` prints ({error})") from error
    for result in found:
        if not isinstance(result, dict) or any(key not in result for key in needed):
            raise ValueError(f"{path}: not what `lgs solve --json` prints (it has {', '.join(needed)})")
    found = [result for result in found if any(math.isfinite(point[2]) for point in result["trace"])]
    if not found:
        raise ValueError(f"{path}: there is no solution in it to draw")
    return found
