"""What the kernel refuses, what it converts, and what it survives."""

from __future__ import annotations

import dataclasses
import subprocess
import sys

import pytest
import torch

from lgs.kernel import native, reference

from .cases import KNOWN, gradients, make, with_gradients


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize("table", native.TABLES)
def test_tables_that_are_not_finite_are_refused_by_name(table: str, value: float) -> None:
    case = make("cvrptw", 6, particles=2, extended=True)
    broken = getattr(case.tables, table).clone()
    broken.view(-1)[-1] = value
    tables = dataclasses.replace(case.tables, **{table: broken})
    with pytest.raises(ValueError, match=f"'{table}' holds NaN or infinite"):
        native.rollout(case.problem, case.instance, tables, case.starts, None)


def test_nodes_that_do_not_exist_are_refused() -> None:
    case = make("cvrp", 6, particles=2)
    actions, _ = native.rollout(*case.call, None)
    for node in (7, -2):
        wrong = actions.clone()
        wrong[1, 0, 2] = node
        with pytest.raises(ValueError, match=f"action {node} is no node"):
            native.score(*case.call[:3], wrong, case.starts)
        with pytest.raises(ValueError, match=f"start {node} is no node"):
            native.rollout(*case.call[:3], torch.full_like(case.starts, node), None)


def test_a_tour_needs_its_first_node() -> None:
    case = make("tsp", 6, particles=2)
    with pytest.raises(ValueError, match="start -1"):
        native.rollout(*case.call[:3], torch.full_like(case.starts, -1), None)


def test_tables_of_the_wrong_shape_are_refused_by_name() -> None:
    case = make("tsp", 6, particles=2)
    tables = dataclasses.replace(case.tables, values=case.tables.values[:, :5])
    with pytest.raises(ValueError, match="'values' has the wrong shape"):
        native.rollout(case.problem, case.instance, tables, case.starts, None)


def test_non_contiguous_and_other_dtypes_are_converted() -> None:
    case = make("cvrp", 9, particles=5)
    expected = native.rollout(*case.call, case.uniforms)

    def transposed(x: torch.Tensor) -> torch.Tensor:
        return x.transpose(-1, -2).contiguous().transpose(-1, -2)

    double = case.tables._map(torch.Tensor.double)
    for tables in (case.tables._map(transposed), double):
        found = native.rollout(
            case.problem, case.instance, tables, case.starts.int(), transposed(case.uniforms.double())
        )
        assert torch.equal(found[0], expected[0]) and torch.equal(found[1], expected[1])
    leaves = with_gradients(case.tables, torch.float64)
    native.score(case.problem, case.instance, leaves, expected[0], case.starts).sum().backward()
    assert all(gradient.dtype == torch.float64 for gradient in gradients(leaves).values())


@pytest.mark.parametrize("name", KNOWN)
def test_the_smallest_instance(name: str) -> None:
    case = make(name, 1, particles=1, batch=1)
    actions, log_probs = native.rollout(*case.call, case.uniforms)
    expected, expected_log_probs = reference.rollout(*case.call, case.uniforms)
    assert torch.equal(actions, expected)
    torch.testing.assert_close(log_probs, expected_log_probs)


@pytest.mark.parametrize(("name", "size"), [("tsp", 140), ("cvrp", 2000)])
def test_large_instances(name: str, size: int) -> None:
    case = make(name, size, particles=2, batch=1, extended=True)
    # Log-probabilities and gradients of the episodes' last steps stand for all: the reference is slow.
    actions, log_probs = native.rollout(*case.call, case.uniforms)
    assert bool(torch.isfinite(case.problem.cost(case.instance, actions)).all())
    leaves = with_gradients(case.tables)
    scored = native.score(case.problem, case.instance, leaves, actions, case.starts)
    torch.testing.assert_close(scored.detach(), log_probs, rtol=1e-5, atol=1e-3)
    scored.sum().backward()
    assert all(bool(torch.isfinite(gradient).all()) for gradient in gradients(leaves).values())
    if size < 1000:
        torch.testing.assert_close(
            log_probs, reference.score(*case.call[:3], actions, case.starts), rtol=1e-5, atol=1e-3
        )


def test_very_many_particles() -> None:
    case = make("knapsack", 3, particles=100_000, batch=1)
    actions, _ = native.rollout(*case.call, case.uniforms)
    weight = case.instance.weights[0].gather(0, actions.clamp_min(0).flatten()).view(actions.shape)
    assert bool(((weight * (actions >= 0)).sum(-1) <= case.instance.capacity[:, None]).all())
    assert len(actions[0].unique(dim=0)) > 1


INTERRUPTED = """
import os, signal, threading, time, torch
signal.signal(signal.SIGINT, signal.default_int_handler)  # Whoever runs the tests may ignore it.
from tests.kernel.cases import make
from lgs.kernel import native
case = make("tsp", 2000, particles=10000, batch=1, heads=8, width=16)
sent = []
def interrupt():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(0.5, interrupt).start()
try:
    native.rollout(*case.call, None)
except KeyboardInterrupt:
    print("interrupted" if time.process_time() < sent[0] + torch.get_num_threads() else "late")
"""


def test_ctrl_c_ends_a_long_rollout() -> None:
    """Within a second of every thread's processor time. Unhindered it takes minutes; most of a minute is left to start
    the interpreter on a loaded machine."""
    ran = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "interrupted\n", ran.stderr


FRUGAL = """
import resource, sys, torch
from tests.kernel.cases import make, with_gradients
from lgs.kernel import native
case = make("tsp", 300, particles=1000, batch=1)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
actions, _ = native.rollout(*case.call, case.uniforms)
native.score(*case.call[:2], with_gradients(case.tables), actions, case.starts).sum().backward()
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // (1 if sys.platform == "darwin" else 1024))
"""


def test_no_attention_of_all_steps_is_kept() -> None:
    """One number per particle, step and node would be 343 MiB here, and a head's attention as much again."""
    ran = subprocess.run([sys.executable, "-c", FRUGAL], capture_output=True, text=True, timeout=100)
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stdout) < 60
