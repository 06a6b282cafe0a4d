"""What the pictures share: colours, and a figure to draw on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...problems.geometry import Geometry

COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000", "#B8A800")
"""Okabe and Ito's, the yellow darkened so that it is seen on white."""
GREY = "#8C8C8C"
MAP = "viridis"


def axes(ax: Any = None, size: tuple[float, float] = (7.5, 6.0)) -> Any:
    """`ax`, or the only axes of a new figure; no window is ever opened."""
    if ax is not None:
        return ax
    from matplotlib.figure import Figure

    return Figure(figsize=size, dpi=150, layout="constrained").subplots()


def colour(index: int) -> str:
    return COLOURS[index % len(COLOURS)]


def dashes(index: int) -> str:
    """The line style that tells things of the same colour apart."""
    return ("-", "--", ":", "-.")[index // len(COLOURS) % 4]


def around(place: int, count: int) -> str:
    """The colour of one of `count` things in a circle: the last never has the first one's."""
    return COLOURS[place % (len(COLOURS) - (count % len(COLOURS) == 1))]


def ink(colour: str) -> str:
    """Black or white, whichever is read more easily on a colour like "#0072B2"."""
    red, green, blue = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    # The relative luminance at which both contrast alike (WCAG 2, with its plain gamma).
    return "black" if 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2 > 0.18 else "white"


def points(places: Geometry) -> NDArray[np.float64]:
    """[N, 2] where to draw the places of a batch of one; latitude is a map's vertical."""
    coords: NDArray[np.float64] = places.coords[0].cpu().numpy()
    return coords[:, ::-1] if places.metric == "geo" else coords


def plain_map(ax: Any) -> None:
    """A map: equal scales, no numbers on its sides."""
    ax.set_aspect("equal", "datalim")
    ax.set_xticks([])
    ax.set_yticks([])


def dot_size(count: int) -> float:
    """Area of the dot of one of `count` places: large for 20, not a blot for 1,000."""
    return float(np.clip(2400 / max(count, 1), 5, 45))


def line_width(count: int) -> float:
    return 1.6 if count <= 150 else 1.0
