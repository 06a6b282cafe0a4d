"""`lgs methods`: the search methods there are."""

from __future__ import annotations

from .errors import explained


def methods() -> None:
    """List the search methods, one line each; the first sentence of each file says what it does."""
    with explained():
        from .. import search

        for name in search.names():
            text = " ".join((search.load(name).__doc__ or "").split("\n\n")[0].split())
            print(f"{name:<12} {text}")
