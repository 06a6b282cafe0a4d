"""The skeleton that TSPLIB, VRPLIB and their solution files share: `KEY : value` lines and sections of rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .errors import ReadError
from .named import Named, stated_reference
from .text import MAX_NODES, Cell, Line, lines, shortest

_HEADERS = {
    *("NAME", "COMMENT", "TYPE", "DIMENSION", "CAPACITY", "VEHICLES", "BEST_KNOWN", "SERVICE_TIME"),
    *("EDGE_WEIGHT_TYPE", "EDGE_WEIGHT_FORMAT", "EDGE_DATA_FORMAT", "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE"),
}
_SECTIONS = {
    *("NODE_COORD_SECTION", "DISPLAY_DATA_SECTION", "EDGE_WEIGHT_SECTION", "DEMAND_SECTION", "DEPOT_SECTION"),
    *("TIME_WINDOW_SECTION", "SERVICE_TIME_SECTION", "TOUR_SECTION"),
}
_KEY = re.compile(r"([A-Za-z]\w*)[ \t]*(?::[ \t]*)?")
_TYPE = re.compile(r"^[ \t]*TYPE[ \t]*(?::[ \t]*)?(\w+)", re.M | re.I)
_KEYWORD = re.compile(r"^[ \t]*(?:DIMENSION|CAPACITY|EDGE_WEIGHT_TYPE|[A-Z_]+_SECTION)[ \t]*(?::|$|\d)", re.M | re.I)
_ROUTING = re.compile(r"^[ \t]*(?:CAPACITY|DEMAND_SECTION)\b", re.M | re.I)


def kind(text: str) -> str | None:
    """What TYPE says, or else the sections; None if this is no such file."""
    stated = _TYPE.search(text)
    if stated:
        return stated[1].upper()
    if not _KEYWORD.search(text):
        return None
    return "CVRP" if _ROUTING.search(text) else "TSP"


@dataclass(frozen=True)
class Document:
    """A file's headers and sections, by upper-case key."""

    path: str
    headers: dict[str, Cell] = field(default_factory=dict)
    titles: dict[str, Line] = field(default_factory=dict)
    """The line that opens each section."""
    rows: dict[str, list[Line]] = field(default_factory=dict)

    def error(self, message: str) -> ReadError:
        return ReadError(f"{self.path}: {message}")

    def header(self, key: str, default: str | None = None) -> Cell:
        if key in self.headers:
            return self.headers[key]
        if default is None:
            raise self.error(f"{key} is missing")
        return Cell(default, f"{self.path}: {key}")

    def dimension(self) -> int:
        cell = self.header("DIMENSION")
        size = cell.integer()
        if not 1 <= size <= MAX_NODES:
            raise cell.error(f"DIMENSION must be between 1 and {MAX_NODES:,}, not {cell.shown()}")
        return size

    def reference(self, default: float | None) -> float | None:
        """BEST_KNOWN where the file has it."""
        return self.headers["BEST_KNOWN"].number() if "BEST_KNOWN" in self.headers else default

    def section(self, key: str) -> list[Line]:
        if key not in self.rows:
            raise self.error(f"{key} is missing")
        return self.rows[key]


def parse(text: str, path: str) -> Document:
    """Headers and sections up to EOF. What we do not know might be a constraint, so it is refused."""
    document = Document(path)
    rows: list[Line] | None = None
    for line in lines(text, path):
        key_match = _KEY.match(line.text)
        if rows is not None and not key_match:
            rows.append(line)
            continue
        if not key_match:
            raise line.error(f"{Cell(line.text, '').shown()} is outside any section")
        key, value = key_match[1].upper(), line.text[key_match.end() :]
        if key == "EOF":
            break
        if key == "COMMENT" and key in document.headers:
            value = f"{document.headers[key].text} {value}"
        elif key in document.headers or key in document.rows:
            raise line.error(f"{key} appears twice")
        if key in _SECTIONS:
            rows = document.rows[key] = [line._replace(text=value)] if value else []
            document.titles[key] = line
        elif key in _HEADERS:
            rows = None
            document.headers[key] = Cell(value, line.where)
        else:
            what = "section" if key.endswith("_SECTION") else "entry"
            raise line.error(f"unknown or unsupported {what} {Cell(line.text, '').shown()}")
    return document


@dataclass(frozen=True)
class Nodes:
    """The nodes of a file, in the order of their numbers, which are `first`, `first` + 1, ..."""

    size: int
    first: int

    def index(self, cell: Cell) -> int:
        """The place of the node of this number."""
        index = cell.integer() - self.first
        if not 0 <= index < self.size:
            raise cell.error(f"node {cell.shown()} does not exist; nodes are {self.first} to {self.last}")
        return index

    @property
    def last(self) -> int:
        return self.first + self.size - 1

    def table(self, document: Document, section: str, width: int) -> list[list[Cell]]:
        """The `width` cells after the number on each row of a section, in the order of the nodes."""
        found: list[list[Cell] | None] = [None] * self.size
        for row in document.section(section):
            number, *rest = row.cells()
            if len(rest) != width:
                raise row.error(f"{section}: a node number and {width} value{'s' * (width > 1)} expected")
            index = self.index(number)
            if found[index] is not None:
                raise row.error(f"{section}: node {number.text} appears twice")
            found[index] = rest
        for index, rest_or_none in enumerate(found):
            if rest_or_none is None:
                raise document.titles[section].error(f"{section}: node {index + self.first} is missing")
        return [cells for cells in found if cells is not None]


def nodes(document: Document) -> Nodes:
    """How many nodes there are and how they are numbered; DIMENSION must agree with the sections, row for row."""
    size, first = document.dimension(), 1
    for key in ("NODE_COORD_SECTION", "DISPLAY_DATA_SECTION", "DEMAND_SECTION"):
        rows = document.rows.get(key)
        if rows is None:
            continue
        if len(rows) != size:
            raise document.titles[key].error(f"{key} has {len(rows)} rows, but DIMENSION is {size}")
        if any(row.text.split(maxsplit=1)[0] == "0" for row in rows):
            first = 0
    return Nodes(size, first)


def text(named: Named, kind: str, size: int, headers: list[str], body: list[str]) -> str:
    """A whole file."""
    about = [f"NAME : {one_line(named.name)}"]
    if named.comment:
        about.append(f"COMMENT : {one_line(named.comment)}")
    about += [f"TYPE : {kind}", f"DIMENSION : {size}"]
    if named.reference is not None and stated_reference(named.comment) != named.reference:
        about.append(f"BEST_KNOWN : {shortest(named.reference)}")
    return "\n".join([*about, *headers, *body, "EOF"]) + "\n"


def one_line(words: str) -> str:
    """Names and comments must not break a file's lines."""
    return " ".join(words.split())
