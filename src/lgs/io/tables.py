"""Comma-separated values as rows of cells that know their line; semicolons and tabs are taken as well."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from .errors import ReadError
from .text import MAX_NODES, Cell

_DELIMITERS = (",", ";", "\t")
_MAX_COLUMNS = 2_000


class Table(NamedTuple):
    about: dict[str, Cell]
    """`# key: value` lines above the titles, keys in lower case."""
    titles: list[str]
    where: str
    """The line of the titles."""
    rows: list[dict[str, Cell]]

    def require(self, names: Sequence[str]) -> None:
        missing = [name for name in names if name not in self.titles]
        if missing:
            raise ReadError(f"{self.where}: column {missing[0]} is missing; it has {', '.join(self.titles)[:80]}")


def header(text: str) -> list[str]:
    """The titles in lower case; empty if the text is no such table."""
    line = next((line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")), "")
    delimiter = _delimiter(line)
    if not 0 < line.count(delimiter) < _MAX_COLUMNS:
        return []
    return [title.strip().strip('"').lower() for title in line.split(delimiter)]


def parse(text: str, path: str, known: Collection[str] = (), empty: bool = False) -> Table:
    """All rows have as many cells as there are titles; titles that are `known` in lower case are given so.

    Without any row it is an error, unless the table may be `empty`.
    """
    about, lines = {}, text.split("\n")
    start = 0
    while start < len(lines) and (not lines[start].strip() or lines[start].lstrip().startswith("#")):
        key, colon, value = lines[start].lstrip("# \t").partition(":")
        if colon:
            about[key.strip().lower()] = Cell(value.strip().rstrip(",;"), f"{path}:{start + 1}")
        start += 1
    if start == len(lines):
        raise ReadError(f"{path}: there are no titles")
    reader = csv.reader(io.StringIO("\n".join(lines[start:])), delimiter=_delimiter(lines[start]), strict=True)
    rows: list[dict[str, Cell]] = []
    titles: list[str] | None = None
    where = f"{path}:{start + 1}"
    try:
        for words in reader:
            line = f"{path}:{start + reader.line_num}"
            if titles is None:
                titles = [word.strip() for word in words]
                titles = [title.lower() if title.lower() in known else title for title in titles]
                twice = [title for title, count in Counter(titles).items() if count > 1]
                if twice:
                    raise ReadError(f"{line}: column {twice[0][:40]!r} appears twice")
            elif any(word.strip() for word in words):
                if len(words) != len(titles):
                    raise ReadError(f"{line}: {len(words)} values under {len(titles)} titles")
                rows.append({title: Cell(word.strip(), line) for title, word in zip(titles, words)})
                if len(rows) > MAX_NODES:
                    raise ReadError(f"{line}: more than {MAX_NODES:,} rows")
    except csv.Error as error:
        raise ReadError(f"{path}:{start + reader.line_num}: not valid CSV: {error}") from None
    if not rows and not empty:
        raise ReadError(f"{where}: no rows follow the titles")
    return Table(about, titles or [], where, rows)


def write(rows: Sequence[dict[str, Any]], least: Sequence[str]) -> str:
    """Titles and rows; a column without any value is left out. Without any row: the titles `least`."""
    titles = [title for title in rows[0] if any(row[title] != "" for row in rows)] if rows else list(least)
    out = io.StringIO()
    writer = csv.DictWriter(out, titles, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)
