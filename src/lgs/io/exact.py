"""Decimal numbers as whole multiples of one unit: 2.5 and 3 become 25 and 30 tenths.

Loads are compared without any tolerance (see problems/routes.py), so their decimals are taken as written, up to nine:
computed numbers (0.1 + 0.2, 7 / 60) are meant to be near what a float can say, and nobody weighs closer.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence

from .text import Cell

MAX_DECIMALS = 9
MAX_CHANGE = decimal.Decimal("1e-6")
"""Share of a number that rounding to so many decimals may take away."""
MAX_TOTAL = 10**15
"""Of all the amounts together, in units: floats still tell such numbers apart."""

_EXACT = decimal.Context(prec=100)


def scaled(cells: Sequence[Cell]) -> tuple[list[int], float]:
    """The amounts in the coarsest unit (a power of ten, at most 1) that all are multiples of, and that unit."""
    numbers = [_decimal(cell) for cell in cells]
    places = max((decimals(number) for number in numbers), default=0)
    amounts = [int(number.scaleb(places, _EXACT)) for number in numbers]
    if cells and sum(map(abs, amounts)) > MAX_TOTAL:
        raise cells[0].error(f"the amounts add up to more than {MAX_TOTAL:g} units of 1e-{places}")
    return amounts, float(f"1e-{places}")


def plain(amount: int, unit: float) -> int | float:
    """`amount` units as a number that is written with its exact decimals."""
    value = decimal.Decimal(amount) * decimal.Decimal(repr(unit))
    return int(value) if value == value.to_integral_value() else float(value)


def text(amount: int, unit: float) -> str:
    """`amount` units with exact decimals: (25, 0.1) is 2.5."""
    return format((decimal.Decimal(amount) * decimal.Decimal(repr(unit))).normalize(), "f")


def decimals(number: decimal.Decimal) -> int:
    """How many decimals the number has."""
    exponent = number.normalize(_EXACT).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _decimal(cell: Cell) -> decimal.Decimal:
    cell.number()  # refuses what is no number or too large
    try:
        number = decimal.Decimal(cell.text)
        if decimals(number) <= MAX_DECIMALS:
            return number
        rounded = round(number, MAX_DECIMALS)
        if abs(rounded - number) <= MAX_CHANGE * abs(number):
            return rounded
    except decimal.DecimalException:
        pass
    raise cell.error(f"{cell.shown()} is too small for {MAX_DECIMALS} decimals; choose a smaller unit of measure")
