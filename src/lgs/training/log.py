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
    """An observer that writes; goes on where an earlier sitting left off, at the checkpoint of `step`."""

    def __init__(self, folder: Path, step: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path, names = folder / FILE, [field.name for field in dataclasses.fields(Status)]
        earlier = _rows(path, names, step) if path.exists() else []
        self.file = path.open("w", newline="")
        self.writer = csv.DictWriter(self.file, names)
        self.writer.writeheader()
        self.writer.writerows(earlier)
        self.file.flush()
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


def _rows(path: Path, names: list[str], step: int) -> list[dict[str, str]]:
    """Whole rows up to `step`: a sitting that was killed leaves some that came after its last checkpoint."""
    with path.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if list(row) == names and None not in row.values()]
    return [row for row in rows if int(row["step"]) <= step]


def _summary_writer(folder: Path) -> Any | None:
    """TensorBoard's writer; a machine without tensorboard still has the CSV."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder / "tensorboard"))
