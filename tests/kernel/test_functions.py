"""The kernel's exp and tanh keep the error bounds that csrc/simd.h states."""

from __future__ import annotations

import numpy as np
import pytest

from lgs.kernel import native
from lgs.kernel.native import _native


@pytest.fixture(params=native.levels())
def level(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def evaluate(function: str, x: np.ndarray, level: str) -> np.ndarray:
    y = np.empty_like(x)
    getattr(_native, function)(x, y, level)
    return y.astype(np.float64)


def test_exp(level: str) -> None:
    x = np.linspace(-87, 88, 1 << 20, dtype=np.float32)
    exact = np.exp(x.astype(np.float64))
    assert np.abs(evaluate("exp", x, level) / exact - 1).max() < 3e-7


def test_exp_at_the_ends(level: str) -> None:
    x = np.array([-1e30, -100, -87, 0, 88, 1, 1, -0.0] * 2, dtype=np.float32)
    y = evaluate("exp", x, level)
    assert np.all(np.isfinite(y)) and np.all(y > 0)
    assert y[3] == y[7] == 1
    assert y[0] == y[1] == y[2]


def test_tanh(level: str) -> None:
    x = np.concatenate((np.linspace(-20, 20, 1 << 20), np.geomspace(1e-30, 1, 1 << 10))).astype(np.float32)
    exact = np.tanh(x.astype(np.float64))
    assert np.abs(evaluate("tanh", x, level) - exact).max() < 3e-7


def test_tanh_saturates_and_is_odd(level: str) -> None:
    x = np.array([1e30, 100, 9.5, 1.0, 0.1, 0.0, 1e-5, 3.0], dtype=np.float32)
    y = evaluate("tanh", np.concatenate((x, -x)), level)
    assert np.all(y[:3] == 1)
    np.testing.assert_allclose(y[8:], -y[:8], rtol=0, atol=3e-7)
