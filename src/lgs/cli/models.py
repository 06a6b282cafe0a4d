"""`lgs models`: the weights that come with the package."""

from __future__ import annotations

import re
from typing import Any

from .errors import explained


def models() -> None:
    """List the weights that come with the package, one line each; `--model` takes their names."""
    with explained():
        from .. import problems
        from ..model import weights

        shipped = weights.names()
        for name in shipped:
            print(f"{name:<14} {_line(weights.card(name))}")
        for problem in problems.names():
            if not any(re.fullmatch(rf"{problem}\d*(x\d+)?", name) for name in shipped):
                print(f"{problem:<14} no weights yet: lgs train fast-{problem}")


def _line(card: dict[str, Any]) -> str:
    """What it solves, and how much training it had, that of the weights it began with included."""
    sittings = [card]
    while isinstance(sittings[-1].get("started_from"), dict):
        sittings.append(sittings[-1]["started_from"])
    instances = sum(sitting.get("instances", 0) for sitting in sittings)
    hours = sum(sitting.get("hours", 0.0) for sitting in sittings)
    devices = " and ".join(sorted({str(sitting.get("device", "?")) for sitting in sittings}))
    return (
        f"{card.get('problem', '?')}, trained on {instances / 1e6:.2g} million instances in {hours:.2g} h ({devices})"
    )
