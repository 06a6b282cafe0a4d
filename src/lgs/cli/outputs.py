"""Where `lgs solve` writes: one file, or one per instance in a directory; looked at before the search."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..api import Solution
    from ..io import Named

PICTURES = (".png", ".pdf", ".svg")


class Outputs:
    """The files that each instance's solution goes to; a ValueError if one of them cannot be written."""

    def __init__(self, instances: list[Named], sources: list[Path], out: Path | None, plot: Path | None) -> None:
        from .. import io

        self._solutions = _places(instances, sources, out, "--out", _suffixes(instances))
        self._pictures = _places(instances, sources, plot, "--plot", [".png"] * len(instances))
        for named, path in zip(instances, self._solutions):
            io.check_writable(path, named.problem.name)
        for path in self._pictures:
            if path.suffix.lower() not in PICTURES:
                raise ValueError(f"{path}: pictures end in {', '.join(PICTURES)}")
            io.check_writable(path)

    def __bool__(self) -> bool:
        return bool(self._solutions or self._pictures)

    def write(self, place: int, solution: Solution) -> list[Path]:
        """Write what was asked for of a feasible solution; the paths written."""
        if not solution.feasible:
            return []
        written = []
        if self._solutions:
            solution.write(self._solutions[place])
            written.append(self._solutions[place])
        if self._pictures:
            solution.plot().savefig(self._pictures[place])
            written.append(self._pictures[place])
        return written


def _places(
    instances: list[Named], sources: list[Path], wanted: Path | None, option: str, suffixes: list[str]
) -> list[Path]:
    if wanted is None:
        return []
    if len(instances) == 1 and not wanted.is_dir():
        return [wanted]
    if wanted.suffix and not wanted.is_dir():
        raise ValueError(f"{option} {wanted}: one file cannot hold {len(instances)} solutions; name a directory")
    wanted.mkdir(parents=True, exist_ok=True)
    places = [wanted / f"{source.stem}{suffix}" for source, suffix in zip(sources, suffixes)]
    for place in places:
        if places.count(place) > 1:
            raise ValueError(f"{option} {wanted}: two instances would be written to {place.name}; rename one of them")
    return places


def _suffixes(instances: list[Named]) -> list[str]:
    """The format that fewest problems share: their own, where they have one."""
    from .. import io

    found = []
    for named in instances:
        formats = io.solution_formats(named.problem.name).values()
        own = min(formats, key=lambda kind: (len(kind.PROBLEMS), kind.SUFFIX != ".json"))
        found.append(own.SUFFIX)
    return found
