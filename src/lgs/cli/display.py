"""The live display of a search: a few lines that renew themselves in a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from ..api import Progress

EVERY = 10.0
"""Seconds between plain lines."""
_BARS = "▁▂▃▄▅▆▇█"
_WIDTH = 32


class Display:
    """A callback for `solve` that shows its progress on stderr."""

    def __init__(self, quiet: bool = False) -> None:
        console = Console(stderr=True)
        self._quiet, self._printed = quiet, -math.inf
        self._live = Live(self, console=console, transient=True, refresh_per_second=8) if console.is_terminal else None
        self._progress: Progress | None = None
        self._heard = 0.0
        self._history: list[tuple[float, float]] = []
        self._accepted = math.nan

    def __enter__(self) -> Display:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop()

    def __call__(self, progress: Progress) -> None:
        if self._quiet:
            return
        if self._progress is None or progress.instances is not self._progress.instances:
            self._history, self._accepted, self._printed = [], math.nan, -math.inf
        self._progress, self._heard = progress, time.monotonic()
        mean = sum(progress.costs) / len(progress.costs)
        # A long search has millions of iterations and few improvements.
        if not self._history or mean != self._history[-1][1]:
            self._history.append((progress.seconds, mean))
        if progress.acceptance is not None:
            old = progress.acceptance if math.isnan(self._accepted) else self._accepted
            self._accepted = 0.9 * old + 0.1 * progress.acceptance
        if self._live is not None:
            self._live.start()
        elif self._heard - self._printed >= EVERY:
            self._printed = self._heard
            print(self._line(progress), file=sys.stderr, flush=True)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Out of the way while something else is printed."""
        self._stop()
        yield

    def _stop(self) -> None:
        if self._live is not None and self._live.is_started:
            self._live.stop()

    def __rich__(self) -> Any:
        """What the terminal shows; asked for several times a second."""
        progress = self._progress
        if progress is None:
            return Text("")
        table = Table.grid(padding=(0, 2))
        bars = Text(sparkline(self._history, progress.seconds), style="cyan")
        table.add_row(Text(title(progress), style="bold"), bars)
        left = max(0.0, progress.time_limit - progress.seconds - (time.monotonic() - self._heard))
        table.add_row(*(Text(part) for part in (self._best(progress), self._work(progress))))
        table.add_row(Text(f"{left:.0f} s left", style="dim"), Text("Ctrl-C keeps the best so far", style="dim"))
        return table

    def _line(self, progress: Progress) -> str:
        return f"{title(progress)}: {self._best(progress)}, {self._work(progress)}, {progress.seconds:.1f} s"

    def _best(self, progress: Progress) -> str:
        from ..api import gap

        count = len(progress.costs)
        mean = f"{'best' if count == 1 else 'mean best'} {sum(progress.costs) / count:.10g}"
        gaps = [gap(one.problem.sense, cost, one.reference) for one, cost in zip(progress.instances, progress.costs)]
        known = [percent for percent in gaps if percent is not None]
        return f"{mean}, gap {sum(known) / len(known):.2f}%" if known else mean

    def _work(self, progress: Progress) -> str:
        accepted = "" if math.isnan(self._accepted) else f", {100 * self._accepted:.0f}% accepted"
        return f"iteration {progress.iteration}{accepted}, {progress.rate:,.0f} rollouts/s"


def title(progress: Progress) -> str:
    first, count = progress.instances[0], len(progress.instances)
    return f"{first.name} ({first.problem.name})" if count == 1 else f"{count} of {first.problem.name} together"


def sparkline(history: list[tuple[float, float]], end: float) -> str:
    """Values from their moments on, until `end`, as `_WIDTH` bars from the lowest to the highest."""
    known = [(moment, value) for moment, value in history if math.isfinite(value)]
    if not known:
        return ""
    low, high = min(value for _, value in known), max(value for _, value in known)
    bars, place = "", 0
    for cell in range(_WIDTH):
        while place + 1 < len(known) and known[place + 1][0] <= end * (cell + 1) / _WIDTH:
            place += 1
        share = (known[place][1] - low) / (high - low) if high > low else 0.0
        bars += _BARS[round(share * (len(_BARS) - 1))]
    return bars
