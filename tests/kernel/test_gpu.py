"""The GPU kernel plays the reference's episodes: in Triton's interpreter, which needs no GPU."""

from __future__ import annotations

import importlib
import os

import pytest
import torch

from lgs import kernel
from lgs.kernel import reference
from lgs.problems import names

from .cases import make

os.environ["TRITON_INTERPRET"] = "1"  # Read where Triton's functions and the kernel are defined, and where they run.
pytest.importorskip("triton", reason="torch's CUDA builds bring Triton along, its CPU builds do not")
gpu = importlib.import_module("lgs.kernel.gpu")


@pytest.mark.parametrize("extended", [False, True], ids=["paper", "extended"])
@pytest.mark.parametrize("name", ["tsp", "cvrp", "knapsack"])
@pytest.mark.parametrize("forced", [None, True], ids=["as usual", "forced"])
@pytest.mark.parametrize("greedy", [False, True], ids=["sampled", "greedy"])
def test_episodes_are_the_references(name: str, extended: bool, forced: bool | None, greedy: bool) -> None:
    # 19 particles fill one program and a part of another.
    case = make(name, 9, particles=19, heads=2, width=16, extended=extended, forced=forced)
    uniforms = None if greedy else case.uniforms
    actions, log_probs = gpu.rollout(*case.call, uniforms)
    expected, expected_log_probs = reference.rollout(*case.call, uniforms)
    assert torch.equal(actions, expected)
    torch.testing.assert_close(log_probs, expected_log_probs, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("name", names())
def test_it_is_chosen_for_what_it_can_play(name: str) -> None:
    case = make(name, 4, particles=2, heads=2, width=16)
    assert kernel._gpu(*case.call[:3]) is (gpu if name in gpu.RULES else None)
    assert set(gpu.RULES) <= set(names())
    narrow = make(name, 4, particles=2, heads=2, width=4)
    assert kernel._gpu(*narrow.call[:3]) is None
