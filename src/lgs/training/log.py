"""The record of a run: a CSV that anything can read, and TensorBoard scalars."""

from __future__ import annotations

import csv
import dataclasses
from pathlib import Path
from typing import Any

from .trainer import Status

FILE = "log.csv"
EVERY = 20
"""Steps between two rows (a validation is always written)."""


class Log:
    """An observer that writes; goes on where an earlier sitting stopped."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE
        fresh = not path.exists()
        self.file = path.open("a", newline="")
        self.writer = csv.DictWriter(self.file, [field.name for field in dataclasses.fields(Status)])
        if fresh:
            self.writer.writeheader()
        self.board = _summary_writer(folder)

    def __call__(self, status: Status) -> None:
        if status.step % EVERY and status.validation is None and status.step > 1:
            return
        row = dataclasses.asdict(status)
        self.writer.writerow(row)
        self.file.flush()
        if self.board is None:
            return
        for name in ("loss", "cost", "best", "lr", "rate", "validation"):
            if row[name] is not None:
                self.board.add_scalar(name, row[name], status.step)


def _summary_writer(folder: Path) -> Any | None:
    """TensorBoard's writer; a machine without tensorboard still has the CSV."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))
