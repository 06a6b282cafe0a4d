"""Decimals as whole units: nothing is lost and nothing is compared with a tolerance."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lgs.io import ReadError, exact
from lgs.io.text import Cell


def cells(*words: str) -> list[Cell]:
    return [Cell(word, f"demand[{i}]") for i, word in enumerate(words)]


@pytest.mark.parametrize(
    ("words", "amounts", "unit"),
    [
        (("2.5", "3"), [25, 30], 0.1),
        (("0.10", "20.0"), [1, 200], 0.1),
        (("7", "1e2", "3.00"), [7, 100, 3], 1.0),
        (("1e-3", "0"), [1, 0], 0.001),
        (("0.000000001",), [1], 1e-9),
        (("0e99",), [0], 1.0),
    ],
)
def test_scaled(words: tuple[str, ...], amounts: list[int], unit: float) -> None:
    assert exact.scaled(cells(*words)) == (amounts, unit)


def test_a_tenth_and_two_tenths_are_three_tenths() -> None:
    (one, two, three), _ = exact.scaled(cells("0.1", "0.2", "0.3"))
    assert one + two == three


def test_computed_numbers_are_rounded_to_nine_decimals() -> None:
    amounts, unit = exact.scaled(cells(repr(0.1 + 0.2), repr(7 / 60), "0.3"))
    assert (amounts, unit) == ([300_000_000, 116_666_667, 300_000_000], 1e-9)
    assert exact.scaled(cells(repr(0.1 + 0.2), "0.3")) == ([3, 3], 0.1)


@pytest.mark.parametrize("word", ["1e-10", "4e-10", "0.0000001234"])
def test_too_small_for_nine_decimals(word: str) -> None:
    with pytest.raises(ReadError, match=r"demand\[1\]: .* too small for 9 decimals"):
        exact.scaled(cells("1", word))


def test_too_much_in_all() -> None:
    with pytest.raises(ReadError, match="add up to more"):
        exact.scaled(cells("900000000", "0.000000001", "900000000"))


@given(st.lists(st.decimals(0, 1000, places=6), min_size=1, max_size=20))
def test_amounts_times_unit_are_the_numbers(numbers: list[Decimal]) -> None:
    amounts, unit = exact.scaled(cells(*map(str, numbers)))
    assert [Decimal(exact.text(amount, unit)) for amount in amounts] == numbers
    assert [Decimal(repr(exact.plain(amount, unit))) for amount in amounts] == numbers
