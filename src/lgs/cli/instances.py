"""The instances that a command line names: files, and directories of them."""

from __future__ import annotations

import sys
from pathlib import Path

from .. import io
from ..io import Named
from .errors import UserError


def read(files: list[Path]) -> list[tuple[Path, Named]]:
    """The instances of files, and of whatever in directories looks like one."""
    found = []
    for path in files:
        if path.is_dir():
            found += _folder(path)
        else:
            found.append((path, io.read(path)))
    return found


def _folder(folder: Path) -> list[tuple[Path, Named]]:
    """What is no instance may well lie beside them: solutions, notes. It is named and passed over."""
    suffixes = {kind.SUFFIX for kind in io.formats().values()}
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in suffixes or not path.is_file():
            continue
        try:
            found.append((path, io.read(path)))
        except io.ReadError as error:
            print(f"lgs: passed over: {error}", file=sys.stderr)
    if not found:
        raise UserError(f"{folder}: there are no instances ({', '.join(sorted(suffixes))}) in this directory")
    return found
