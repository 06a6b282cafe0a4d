"""The kernel's tests again, on a build that checks every access and every undefined operation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

RUN_WITH_BUILD = """
import importlib.util, sys
import pytest
spec = importlib.util.spec_from_file_location("lgs.kernel._native", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.modules["lgs.kernel._native"] = module
from lgs.kernel import native
assert native._native is module
sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", "tests/kernel", *sys.argv[2:]]))
"""


def build(folder: Path, sanitizers: str) -> Path:
    """The extension as the wheel's own build step makes it, with these sanitizers."""
    settings = {
        "build-dir": folder / "build",
        "cmake.build-type": "RelWithDebInfo",
        "cmake.define.LGS_SANITIZE": sanitizers,
        "install.strip": "false",
    }
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    words += [word for name, value in settings.items() for word in ("--config-settings", f"{name}={value}")]
    made = subprocess.run(words, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout[-4000:] + made.stderr[-4000:]
    (built,) = (folder / "build").glob("_native*")
    return built


@pytest.mark.slow
def test_no_test_of_the_kernel_reads_or_writes_amiss(tmp_path: Path) -> None:
    built = build(tmp_path, "address,undefined")
    compiler = shutil.which("c++") or "g++"
    libraries = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], check=True, capture_output=True, text=True
        ).stdout.strip()
        for name in ("libasan.so", "libubsan.so")
    ]
    environment = os.environ | {
        "LD_PRELOAD": " ".join(libraries),
        "OMP_NUM_THREADS": "1",
        "ASAN_OPTIONS": "detect_leaks=0",  # the interpreter's own
        "UBSAN_OPTIONS": "halt_on_error=1,print_stacktrace=1",
    }
    # Starting a second interpreter under a sanitizer is not the kernel's business.
    second = ("test_ctrl_c_ends_a_long_rollout", "test_no_attention_of_all_steps_is_kept")
    chosen = [word for name in second for word in ("--deselect", f"tests/kernel/test_robust.py::{name}")]
    ran = subprocess.run(
        [sys.executable, "-c", RUN_WITH_BUILD, str(built), *chosen],
        env=environment, cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-4000:]
