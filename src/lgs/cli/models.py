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
            print(f"{name:<14} {_line(weights.card(name))}".rstrip())
        for problem in problems.names():
            if not any(re.fullmatch(rf"{problem}\d*(x\d+)?", name) for name in shipped):
                print(f"{problem:<14} no weights yet: lgs train fast-{problem}")


def _line(card: dict[str, Any]) -> str:
    """What it solves, and how much training it had, as far as its card says."""
    model = card.get("recipe", {}).get("model", {})
    parts = [str(card.get("problem", ""))]
    if "latent" in model:
        parts.append(f"{model['latent']} latent dimensions" if model["latent"] else "no latent space")
    if "instances" in card:
        parts.append(f"trained on {card['instances'] / 1e6:.1f} million instances")
    if "device" in card and "hours" in card:
        parts.append(f"{card['hours']:.2g} hours on {card.get('machine') or card['device']}")
    return ", ".join(part for part in parts if part)
