"""How much fits: particles and instances of a batch, from the memory limit, the time and the size."""

from __future__ import annotations

from ..io import Named

MAX_NODES = 1001
"""A depot and 1,000 customers: what the weights were ever looked at for."""
GIB = 2**30
_PROGRAM = 0.4 * GIB
"""Python, torch and two copies of the weights."""
_PAIR = 400
"""Bytes per pair of nodes and image: attention of the encoder, distances, tables."""
_CHOICE = 120
"""Bytes per particle and choice: actions, uniforms, legs of the tour, before and after a proposal."""
_PARTICLE = 10_000
"""Bytes per particle: latents and its share of the decoder's tables."""
_CHOICES_PER_SECOND = 1e8
"""Steps times nodes that an ordinary pair of cores decodes."""
_POPULATIONS = 30
"""Generations that a search should at least see in its time."""
FEWEST = 30


class TooLarge(ValueError):
    """An instance beyond the limits; the message says which limit and what to do."""


def check_size(named: Named) -> None:
    if named.size > MAX_NODES:
        raise TooLarge(
            f"{named.name} has {named.size} nodes; lgs solves up to {MAX_NODES} (a depot and 1,000 customers). "
            "Divide it into regions, or use a solver made for large instances"
        )


def memory(named: Named, particles: int, images: int) -> float:
    """Bytes that one instance of a batch takes, roughly and not too little."""
    horizon = named.problem.horizon(named.instance)
    return images * (_PAIR * named.size**2 + particles * (_PARTICLE + _CHOICE * horizon))


def together(named: Named, particles: int, images: int, limit: float) -> int:
    """How many such instances fit into `limit` GiB at a time."""
    room = (limit * GIB - _PROGRAM) / memory(named, particles, images)
    if room < 1:
        least = (memory(named, FEWEST, 1) + _PROGRAM) / GIB
        raise TooLarge(
            f"{named.name} does not fit into {limit:g} GiB with {particles} particles and {images} images; "
            f"it needs {least:.1f} GiB at least. Raise the memory limit or ask for fewer particles"
        )
    return int(room)


def particles(named: Named, images: int, time_limit: float, limit: float, most: int) -> int:
    """A population that a search can move often enough in its time, and that fits into `limit` GiB.

    By the size alone, never by a clock: the same command gives the same population.
    """
    choices = named.problem.horizon(named.instance) * named.size * images
    wanted = max(FEWEST, int(time_limit * _CHOICES_PER_SECOND / (choices * _POPULATIONS)))
    wanted = min(most, wanted)
    while wanted > 1 and memory(named, wanted, images) > limit * GIB - _PROGRAM:
        wanted //= 2
    return wanted
