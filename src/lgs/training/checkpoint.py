"""Checkpoints: everything a run needs to go on exactly where it was."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

FILE = "checkpoint.pt"


def save(folder: Path, state: dict[str, Any]) -> None:
    """Written beside the old one and moved over it, so that a crash leaves a whole file."""
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f"{FILE}.tmp"
    torch.save(state, fresh)
    os.replace(fresh, folder / FILE)


def load(folder: Path) -> dict[str, Any] | None:
    """The run's last checkpoint, if it has one."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        _ = state["recipe"]["model"]
    except Exception as error:  # torch raises many kinds for a damaged file
        raise ValueError(f"{path}: damaged checkpoint; delete it to start the run afresh") from error
    return state
