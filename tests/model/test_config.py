"""The model's configuration."""

from __future__ import annotations

import math
from typing import Any

import pytest

from lgs.model import Config


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"problem": "vrp"}, "unknown problem 'vrp'; known: "),
        ({"dim": 20, "heads": 8}, r"dim \(20\) must be a positive multiple of heads \(8\)"),
        ({"heads": 2.0}, "heads must be a whole number, is 2.0"),
        ({"layers": -1}, "layers must not be negative, is -1"),
        ({"radius": math.nan}, "radius must be positive, is nan"),
        ({"clip": 0}, "clip must be positive, is 0"),
        ({"log_var_low": 2.0}, r"log_var_low \(2.0\) must be below log_var_high \(2.0\)"),
        ({"prior": "flat"}, "prior must be 'conditioned' or 'independent', is 'flat'"),
    ],
)
def test_settings_that_make_no_network_are_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Config(**({"problem": "tsp"} | wrong))


def test_the_papers_architecture_is_the_default_and_extensions_are_off() -> None:
    config = Config("tsp")
    assert (config.layers, config.heads, config.dim, config.hidden) == (6, 8, 128, 512)
    assert (config.clip, config.latent, config.radius, config.prior) == (10, 100, 40, "conditioned")
    assert not (config.graph_query or config.pairwise or config.relations or config.latent_residual)
