"""`lgs models`: the weights that come with the package."""

from __future__ import annotations

from .errors import explained


def models() -> None:
    """List the weights that come with the package, one line each; `--model` takes their names."""
    with explained():
        from .. import problems
        from ..model import weights

        shipped = {name: weights.card(name) for name in weights.names()}
        for name, card in shipped.items():
            print(f"{name:<14} {card.get('description') or card.get('summary') or ''}".rstrip())
        for problem in problems.names():
            if not any(
                name.startswith(problem) and name[len(problem) :][:1] in ("", *"0123456789") for name in shipped
            ):
                print(f"{problem:<14} no weights yet: lgs train fast-{problem}")
