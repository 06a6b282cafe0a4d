"""What happens before torch is loaded: help and completion come without it, and its threads learn to wait."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ..conftest import Run


def test_the_commands_are_listed_without_torch() -> None:
    code = "import sys; from lgs import cli; cli.build(); assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("chosen", "policy"), [("", "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_waiting_threads_leave_the_processor_to_others_unless_told_otherwise(
    command: Run, monkeypatch: pytest.MonkeyPatch, chosen: str, policy: str
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", chosen)
    if not chosen:
        monkeypatch.delenv("OMP_WAIT_POLICY")
    assert command("methods").code == 0
    assert os.environ["OMP_WAIT_POLICY"] == policy
