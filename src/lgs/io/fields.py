"""What a file says about one instance, whatever its format: named texts, each knowing where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..problems.geometry import Geometry
from .errors import ReadError
from .text import Cell


@dataclass(frozen=True)
class Fields:
    """Formats fill this in, schemas turn it into an instance. Nothing in it has been judged yet except `places`."""

    path: str
    places: Geometry | None = None
    single: dict[str, Cell] = field(default_factory=dict)
    columns: dict[str, list[Cell]] = field(default_factory=dict)
    """One cell per node or item."""
    tables: dict[str, list[list[Cell]]] = field(default_factory=dict)
    """One row of cells per job."""

    def error(self, message: str) -> ReadError:
        return ReadError(f"{self.path}: {message}")

    def geometry(self) -> Geometry:
        if self.places is None:
            raise self.error("coordinates or a matrix are missing")
        return self.places

    def cell(self, name: str) -> Cell:
        if name not in self.single:
            raise self.error(f"{name} is missing")
        return self.single[name]

    def column(self, name: str, size: int | None = None) -> list[Cell]:
        """The cells of `name`; `size` of them where that is known."""
        if name not in self.columns:
            raise self.error(f"{name} is missing")
        cells = self.columns[name]
        if size is not None and len(cells) != size:
            raise self.error(f"{name} has {len(cells)} values for {size} nodes")
        return cells

    def table(self, name: str) -> list[list[Cell]]:
        if name not in self.tables:
            raise self.error(f"{name} is missing")
        return self.tables[name]
