"""An interrupt that arrives while the kernel takes its arrays is not lost."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from lgs.kernel import native

from ..search.small import instances, model


def test_no_python_of_tensors_runs_inside_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """nanobind swallows what `__dlpack__` raises, a KeyboardInterrupt too: the kernel must not come to call it."""
    net, instance = model("cvrp"), instances("cvrp")
    tables = net.tables(net.encode(instance), torch.randn(1, 4, net.config.latent))
    starts = net.starts(instance, 4)

    def interrupt(*_: Any, **__: Any) -> None:
        raise AssertionError("the kernel called back into Python")

    called: list[str] = []
    for name in ("__dlpack__", "__dlpack_device__"):
        monkeypatch.setattr(torch.Tensor, name, lambda *_, name=name, **__: called.append(name) or interrupt())
    actions, _ = native.rollout(net.problem, instance, tables, starts, None)
    native.score(net.problem, instance, tables, actions, starts).sum().backward()
    assert called == []
