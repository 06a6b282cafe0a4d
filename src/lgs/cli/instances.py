"""The instances that a command line names: files, and directories of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import UserError

if TYPE_CHECKING:
    from ..io import Named


def read(files: list[Path]) -> list[tuple[Path, Named]]:
    """The instances of files, and of whatever in directories looks like one."""
    from .. import io

    found = []
    for path in files:
        if path.is_dir():
            found += _folder(path)
        else:
            found.append((path, io.read(path)))
    return found


def _folder(folder: Path) -> list[tuple[Path, Named]]:
    """What is no instance, or too large, may well lie beside them: it is named and passed over."""
    from .. import io
    from ..api.capacity import TooLarge, check_size

    suffixes = {kind.SUFFIX for kind in io.formats().values()}
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in suffixes or not path.is_file():
            continue
        try:
            named = io.read(path)
            check_size(named)
            found.append((path, named))
        except TooLarge as error:
            print(f"lgs: passed over: {path}: {error}", file=sys.stderr)
        except io.ReadError as error:
            print(f"lgs: passed over: {error}", file=sys.stderr)
    if not found:
        raise UserError(f"{folder}: there are no instances ({', '.join(sorted(suffixes))}) in this directory")
    return found
