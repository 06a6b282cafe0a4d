"""`lgs solve`: instance files to solutions."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .errors import INTERRUPTED, explained

if TYPE_CHECKING:
    from ..api import Solution
    from ..io import Named

INFEASIBLE = 3
"""The exit code when an instance has no feasible solution or none was found (`lgs check` uses it as well)."""
_EXPERTS = "Search"
_FLAG = ""
"""Flags take no value; without this, some versions of Typer print "<bool>" as if they did."""


def solve(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE", help="Instance files, or directories of them.", show_default=False),
    ],
    time: Annotated[float, typer.Option(metavar="SECONDS", help="Time to search, for each instance.")] = 10.0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Write the solution: .sol, .tour, .json or .csv; several go into a directory."
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Draw the solution: .png, .pdf or .svg; or a directory.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", metavar=_FLAG, help="Print one JSON object per instance.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", metavar=_FLAG, help="No progress; only results and errors.")
    ] = False,
    initial: Annotated[
        Path | None, typer.Option(metavar="SOL", help="A solution to beat: the answer is never worse.")
    ] = None,
    target: Annotated[float | None, typer.Option(metavar="COST", help="Stop as soon as this is reached.")] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Of the random numbers.")] = 0,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="How to search, see `lgs methods`; settings may follow: lgs:lam=500.",
            rich_help_panel=_EXPERTS,
        ),
    ] = "lgs",
    model: Annotated[
        str,
        typer.Option(
            metavar="NAME|PATH",
            help="Weights: see `lgs models`. Default: the nearest in size.",
            show_default=False,
            rich_help_panel=_EXPERTS,
        ),
    ] = "",
    particles: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|auto",
            help="Solutions per generation; auto: what time and memory allow.",
            rich_help_panel=_EXPERTS,
        ),
    ] = "auto",
    augment: Annotated[
        int,
        typer.Option(
            metavar="1|4|8", help="Search that many turned and mirrored images at once.", rich_help_panel=_EXPERTS
        ),
    ] = 1,
    memory: Annotated[
        float, typer.Option(metavar="GIB", help="What the search may take of it.", rich_help_panel=_EXPERTS)
    ] = 4.0,
) -> None:
    """Solve instances: TSP, CVRP, CVRPTW, job shop, knapsack; the file says which.

    For example: lgs solve depot.vrp --time 30 --out depot.sol --plot depot.png

    Ctrl-C ends the search early and keeps the best solution so far.

    Exit code 0: solved; 2: bad input or usage; 3: no feasible solution exists or was found.
    """
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with explained():
            with _signals(_leave):
                from ..api import Settings, solving
                from .display import Display
                from .instances import read
                from .outputs import Outputs

            found = read(files)
            instances = [named for _, named in found]
            if initial is not None and len(instances) > 1:
                raise ValueError(f"--initial {initial}: one solution cannot be for {len(instances)} instances")
            outputs = Outputs(instances, [path for path, _ in found], out, plot)
            settings = Settings(time, method, model, _particles(particles), augment, target, seed, memory)
            start = None if initial is None else [_initial(initial, instances[0])]
            feasible = {}
            with Display(quiet) as display:
                for place, solution in solving(instances, settings, start, display):
                    feasible[place] = solution.feasible
                    with display.paused(), _signals(signal.SIG_IGN):
                        # Whoever is impatient now: it is printed, and first of all, whatever happens to the files.
                        _report(solution, as_json, full=len(instances) == 1 and not outputs)
                        for path in outputs.write(place, solution):
                            _tell(f"  written: {path}", as_json)
    except KeyboardInterrupt:
        print("lgs: interrupted before there was a solution", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    if len(feasible) < len(instances):
        print(f"lgs: interrupted; not begun: {len(instances) - len(feasible)} of {len(instances)}", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
    if not all(feasible.values()):
        raise typer.Exit(INFEASIBLE)


def _interrupt(_signal: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _leave(_signal: int, _frame: Any) -> None:
    """There is nothing to keep while torch is loaded, and an exception might be lost in there."""
    print("lgs: interrupted before there was a solution", file=sys.stderr, flush=True)
    os._exit(INTERRUPTED)


@contextmanager
def _signals(handler: Any) -> Iterator[None]:
    """Interrupts are handled so in the meantime; those that are ignored stay so."""
    heard = [number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heard}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _particles(text: str) -> int | None:
    if text == "auto":
        return None
    if not text.isdecimal():
        raise ValueError(f"--particles {text}: a whole number or auto expected")
    return int(text)


def _initial(path: Path, named: Named) -> list[list[int]]:
    """The solution in a file, which must be one of this instance."""
    from .. import io

    routes = io.read_solution(path, named)
    verdict = named.check(routes)
    if not verdict.feasible:
        raise ValueError(f"{path}: does not fit {named.name}: {verdict.violations[0]}")
    return routes


def _report(solution: Solution, as_json: bool, full: bool) -> None:
    """One JSON line, or a summary; `full`: with the solution itself, for it goes nowhere else."""
    if as_json:
        print(solution.to_json(), flush=True)
        return
    print(_summary(solution), flush=True)
    for fault in solution.violations:
        print(f"  {fault}")
    for note in solution.notes:
        print(f"  note: {note}")
    if full and solution.feasible:
        for line in _lines(solution.solution):
            print(f"  {line}")


def _tell(line: str, as_json: bool) -> None:
    """For people: on stdout, unless that is for JSON."""
    print(line, file=sys.stderr if as_json else sys.stdout, flush=True)


def _summary(solution: Solution) -> str:
    problem = solution.instance.problem
    name = f"{solution.instance.name} ({problem.name})"
    if not solution.feasible:
        return f"{name}: no feasible solution"
    gap = "" if solution.gap is None else f", {solution.gap:.2f}% above the best known {solution.instance.reference:g}"
    early = ", interrupted" if solution.interrupted else ""
    work = f"{solution.seconds:.1f} s, {solution.rollouts} rollouts{early}"
    return f"{name}: {problem.unit} {solution.cost:.10g}{gap}, feasible, {work}"


def _lines(solution: list[Any]) -> list[str]:
    """Routes, a row of numbers, or operations."""
    if solution and isinstance(solution[0], list):
        return [f"Route #{number}: {' '.join(map(str, route))}" for number, route in enumerate(solution, 1)]
    if solution and isinstance(solution[0], dict):
        return ["  ".join(f"{key} {value}" for key, value in row.items()) for row in solution]
    return [" ".join(map(str, solution))]
