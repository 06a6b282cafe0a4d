"""Looking around costs nothing: help and completion come without torch."""

from __future__ import annotations

import subprocess
import sys


def test_the_commands_are_listed_without_torch() -> None:
    code = "import sys; from lgs import cli; cli.build(); assert 'torch' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
