"""Which kernel runs: automatic, or as LGS_KERNEL says."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from lgs import kernel
from lgs.problems import Rules
from lgs.problems.tsp import TSP, Instance

from .cases import make


class HomeMade(TSP):
    """A problem that the compiled kernel does not know."""

    @property
    def name(self) -> str:
        return "homemade"

    def rules(self, instance: Instance) -> Rules:
        return Rules("homemade")


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the kernels that ran, in order."""
    ran: list[str] = []

    def note(name: str, function: Any) -> Any:
        def noted(*arguments: Any) -> Any:
            ran.append(name)
            return function(*arguments)

        return noted

    for name in ("native", "reference"):
        module = getattr(kernel, name)
        monkeypatch.setattr(module, "rollout", note(name, module.rollout))
    monkeypatch.delenv("LGS_KERNEL", raising=False)
    return ran


def test_the_compiled_kernel_is_taken_where_it_can_run(chosen: list[str]) -> None:
    case = make("tsp", 6, particles=2)
    kernel.rollout(*case.call, None)
    doubled = dataclasses.replace(case, tables=case.tables._map(torch.Tensor.double))
    _, log_probs = kernel.rollout(*doubled.call, None)
    assert log_probs.dtype == torch.float64
    kernel.rollout(HomeMade(), *case.call[1:], None)
    steep = dataclasses.replace(case.tables, clip=50.0)
    kernel.rollout(*case.call[:2], steep, case.starts, None)
    kernel.rollout(*make("tsp", 6, particles=2, heads=9).call, None)
    assert chosen == ["native", "reference", "reference", "reference", "reference"]


def test_the_environment_decides(chosen: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    case = make("tsp", 6, particles=2)
    monkeypatch.setenv("LGS_KERNEL", "reference")
    kernel.rollout(*case.call, None)
    monkeypatch.setenv("LGS_KERNEL", "native")
    kernel.rollout(*case.call, None)
    assert chosen == ["reference", "native"]


def test_what_cannot_run_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    case = make("tsp", 6, particles=2)
    monkeypatch.setenv("LGS_KERNEL", "native")
    with pytest.raises(kernel.KernelError, match="LGS_KERNEL=native: it has no rules for homemade"):
        kernel.rollout(HomeMade(), *case.call[1:], None)
    with pytest.raises(kernel.KernelError, match="at most 8 attention heads, the model has 9"):
        kernel.rollout(*make("tsp", 6, particles=2, heads=9).call, None)
    with pytest.raises(kernel.KernelError, match="clips logits at most at 32, the model at 50"):
        kernel.rollout(*case.call[:2], dataclasses.replace(case.tables, clip=50.0), case.starts, None)
    monkeypatch.setenv("LGS_KERNEL", "fast")
    with pytest.raises(kernel.KernelError, match="LGS_KERNEL=fast: must be native or reference"):
        kernel.score(*case.call[:3], torch.zeros(2, 2, 6, dtype=torch.long), case.starts)
