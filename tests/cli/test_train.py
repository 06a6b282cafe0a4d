"""`lgs train` as a process: its first words, signals, faults, and two processes that share a batch."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from lgs.training import checkpoint

from ..training import runs

ENVIRONMENT = os.environ | {"OMP_NUM_THREADS": "1"}


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "lgs", "train", *map(str, words), "--device", "cpu"]


def lgs(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), env=ENVIRONMENT, capture_output=True, text=True)


def test_sigterm_leaves_a_checkpoint_from_which_the_same_command_goes_on(tmp_path: Path) -> None:
    recipe, folder = runs.write(tmp_path), tmp_path / "run"
    words = [recipe, "--out", folder, "--set", "steps=1000000"]
    process = subprocess.Popen(
        command(*words), env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    first, second = process.stdout.readline(), process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert first == f"training cvrp in {folder} on cpu, from the beginning\n"
    for word in ("plain  step 1 ", "inst/s", "cost ", "best ", "%", "min left"):
        assert word in second, "the first step is reported at once"
    assert "kept in" in out and "Traceback" not in err
    state = checkpoint.load(folder)
    assert state is not None
    steps = state["counts"][0]
    again = lgs(recipe, "--out", folder, "--set", f"steps={steps + 2}")
    assert again.returncode == 0, again.stderr
    assert f"from step {steps}\n" in again.stdout
    assert f"kept in {folder}: {steps + 2} steps" in again.stdout


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    recipe = runs.write(tmp_path)
    failed = lgs(recipe, "--out", tmp_path / "run", "--set", "phase.0.batch=-1")
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == f"lgs: {recipe}: phase 'plain': batch must be at least 1, is -1\n"
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--set", "steps"], "--set steps: expected key=value"),
        (["--set", "colour=3"], "recipe: unknown key 'colour'"),
        (["--initial", "nowhere.safetensors"], "no weights 'nowhere.safetensors'"),
    ],
)
def test_mistakes_in_options(
    tmp_path: Path, words: list[str], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from lgs import cli

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.setattr("sys.argv", ["lgs", "train", str(runs.write(tmp_path)), "--out", str(tmp_path / "run"), *words])
    try:
        with pytest.raises(SystemExit) as stopped:
            cli.main()
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert message in error and error.startswith("lgs: ") and error.count("\n") == 1


def test_two_processes_have_the_gradients_of_one_with_the_whole_batch(tmp_path: Path) -> None:
    """Over gloo, in a phase whose latents get no gradient and in one where they do; nothing moves meanwhile."""
    still = [text for number in (0, 1) for text in ("--set", f"phase.{number}.lr=[0.0, 0.0]")]
    arguments = [runs.write(tmp_path), *still, "--set", "clip=1e9"]
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "lgs"]
    alone, both = tmp_path / "alone", tmp_path / "both"
    one = lgs(*arguments, "--out", alone)
    two = subprocess.run(
        [*launch, *command(*arguments, "--out", both)[3:]], env=ENVIRONMENT, capture_output=True, text=True
    )
    assert one.returncode == 0, one.stderr
    assert two.returncode == 0, two.stderr
    assert two.stdout.count("training cvrp in") == 1, "one process speaks"
    expected, found = moments(alone), moments(both)
    assert expected.norm() > 0.01
    assert (found - expected).norm() < 1e-5 * expected.norm()


def moments(folder: Path) -> torch.Tensor:
    """Adam's average of the gradients of all six steps, over all parameters."""
    state = checkpoint.load(folder)
    assert state is not None and state["counts"][0] == 6
    rows: dict[int, Any] = state["optimizer"]["state"]
    return torch.cat([rows[index]["exp_avg"].flatten() for index in sorted(rows)])
