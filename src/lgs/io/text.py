"""Text files as lines and cells that know where they stand.

Everything that a file can do to us is bounded here: its size, its number of lines, the length and size of a number.
"""

from __future__ import annotations

import codecs
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from .errors import ReadError

MAX_BYTES = 32 << 20
MAX_LINES = 2_000_000
MAX_LINE = 8 << 20
MAX_NODES = 100_000
"""Nodes, items or operations of one instance."""
LIMIT = 1e12
"""Coordinates, distances, times and values beyond this would lose their last digits in sums."""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_PLAIN = re.compile(r"[\d.eE+\-\s]*", re.ASCII)
_LONGEST = 64
"""Characters of a number: more than any float needs."""


class Cell(NamedTuple):
    """A piece of text and where it stands, such as `depot.vrp:17` or `depot.json: demand[4]`."""

    text: str
    where: str

    def error(self, message: str) -> ReadError:
        return ReadError(f"{self.where}: {message}")

    def shown(self) -> str:
        """The text for a message: quoted, on one line, not too long."""
        return repr(self.text if len(self.text) <= 40 else self.text[:37] + "...")

    def number(self, least: float = -math.inf) -> float:
        if len(self.text) > _LONGEST or not _NUMBER.fullmatch(self.text):
            raise self.error(f"{self.shown()} is no number")
        value = float(self.text)
        if abs(value) > LIMIT:
            raise self.error(f"{self.shown()} is too large (at most {LIMIT:g})")
        if value < least:
            raise self.error(f"{self.shown()} must not be {'negative' if least == 0 else f'below {least:g}'}")
        return value

    def integer(self, least: float = -math.inf) -> int:
        value = self.number(least)
        if not value.is_integer():
            raise self.error(f"{self.shown()} is no whole number")
        return int(value)


class Line(NamedTuple):
    """One line of a file; `text` is stripped."""

    path: str
    number: int
    text: str

    @property
    def where(self) -> str:
        return f"{self.path}:{self.number}"

    def error(self, message: str) -> ReadError:
        return ReadError(f"{self.where}: {message}")

    def words(self) -> list[str]:
        if len(self.text) > MAX_LINE:
            raise self.error(f"the line is longer than {MAX_LINE >> 20} MiB")
        return self.text.split()

    def cells(self) -> list[Cell]:
        where = self.where
        return [Cell(word, where) for word in self.words()]

    def numbers(self) -> list[float]:
        """Every word of the line as a number; the quick way where all is well."""
        words = self.words()
        if _PLAIN.fullmatch(self.text) and all(len(word) <= _LONGEST for word in words):
            try:
                values = [float(word) for word in words]
            except ValueError:
                pass
            else:
                if all(-LIMIT <= value <= LIMIT for value in values):
                    return values
        return [cell.number() for cell in self.cells()]


def load(path: Path) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or else Latin-1; line ends become newlines."""
    try:
        if path.is_dir():
            raise ReadError(f"{path}: is a directory, not a file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except ReadError:
        raise
    except FileNotFoundError:
        raise ReadError(f"{path}: no such file") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > MAX_BYTES:
        raise ReadError(f"{path}: is larger than {MAX_BYTES >> 20} MiB")
    text = _decoded(data)
    if "\0" in text:
        raise ReadError(f"{path}: is a binary file, not text")
    if not text.strip():
        raise ReadError(f"{path}: is empty")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > MAX_LINES:
        raise ReadError(f"{path}: has more than {MAX_LINES:,} lines")
    return text


def _decoded(data: bytes) -> str:
    utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in ("utf-16" if utf16 else "utf-8-sig", "latin-1"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AssertionError("latin-1 decodes everything")


def lines(text: str, path: str, comment: str | None = None) -> Iterator[Line]:
    """The lines that say something: not blank, not beginning with `comment`."""
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line and not (comment and line.startswith(comment)):
            yield Line(path, number, line)


def shortest(value: float) -> str:
    """The shortest text that reads back as exactly this number."""
    return str(int(value)) if float(value).is_integer() and abs(value) <= LIMIT else repr(value)
