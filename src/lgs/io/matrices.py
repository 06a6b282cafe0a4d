"""EDGE_WEIGHT_SECTION: a matrix written whole or as one of its triangles, row by row or column by column."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .errors import ReadError
from .text import Line


class Layout(NamedTuple):
    """A triangle's column by column is the other one's row by row, so three facts say it all."""

    lower: bool
    diagonal: bool
    full: bool = False

    def count(self, size: int) -> int:
        """How many numbers a matrix of `size` nodes takes."""
        return size * size if self.full else size * (size + (1 if self.diagonal else -1)) // 2


LAYOUTS = {
    "FULL_MATRIX": Layout(lower=False, diagonal=True, full=True),
    "UPPER_ROW": Layout(lower=False, diagonal=False),
    "UPPER_DIAG_ROW": Layout(lower=False, diagonal=True),
    "UPPER_COL": Layout(lower=True, diagonal=False),
    "UPPER_DIAG_COL": Layout(lower=True, diagonal=True),
    "LOWER_ROW": Layout(lower=True, diagonal=False),
    "LOWER_DIAG_ROW": Layout(lower=True, diagonal=True),
    "LOWER_COL": Layout(lower=False, diagonal=False),
    "LOWER_DIAG_COL": Layout(lower=False, diagonal=True),
}


def matrix(rows: list[Line], size: int, layout: str, where: str) -> NDArray[np.float64]:
    """[size, size] from the section's numbers, which may be broken into lines anywhere; the diagonal means nothing."""
    expected, found = LAYOUTS[layout].count(size), sum(len(row.words()) for row in rows)
    if found != expected:
        raise ReadError(f"{where}: the section has {found} numbers; {layout} for DIMENSION {size} takes {expected}")
    numbers = np.array([number for row in rows for number in row.numbers()], dtype=np.float64)
    if LAYOUTS[layout].full:
        return numbers.reshape(size, size)
    lower, diagonal, _ = LAYOUTS[layout]
    triangle = np.tril_indices(size, 0 if diagonal else -1) if lower else np.triu_indices(size, 0 if diagonal else 1)
    table = np.zeros((size, size))
    table[triangle] = numbers
    return table + table.T
