"""Small tensors gain nothing from torch's threads, and lose much on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .cases import threads


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    with threads(1):
        yield
