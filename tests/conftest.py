"""What several test folders need: a command line in this process, and weights small enough to search in no time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from lgs import cli, problems
from lgs.model import save

from .search.small import model


class Done(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process."""

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["lgs", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        code = stopped.value.code
        assert code is None or isinstance(code, int)
        return Done(code or 0, *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def weights(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A weights file for every problem, of an untrained network."""
    folder = tmp_path_factory.mktemp("weights")
    paths = {problem: folder / f"{problem}.safetensors" for problem in problems.names()}
    for problem, path in paths.items():
        save(model(problem), path)
    return paths
