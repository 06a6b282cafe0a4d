"""Files that are rows of numbers and nothing else: job shop and knapsack, told apart by their shape."""

from __future__ import annotations

import re

from .errors import ReadError
from .text import Line, lines

_TITLES = re.compile(r"^[ \t]*(?:vehicle|customer)\b", re.I | re.M)
"""Of Solomon's layout, whose first line is a name that may look like a number."""
_WORDS = re.compile(r"^[ \t]*(?:nb of jobs|times|machines)\b", re.I | re.M)


def rows(text: str, path: str) -> list[Line]:
    """Lines that are no comments (#); at least one."""
    found = list(lines(text, path, comment="#"))
    if not found:
        raise ReadError(f"{path}: there is nothing but comments")
    return found


def is_numeric(text: str, path: str) -> bool:
    """Whether the first line that is no comment begins with a number and has no commas."""
    first = next(lines(text, path, comment="#"), None)
    return first is not None and first.text[0].isdigit() and "," not in first.text and not _TITLES.search(text)


def is_jobshop(text: str, path: str) -> bool:
    """Rows of M times, or of M pairs of machine and time, follow `J M`; or Taillard's titles are there."""
    if _WORDS.search(text):
        return True
    if not is_numeric(text, path):
        return False
    found = lines(text, path, comment="#")
    head, first = next(found).words(), next(found, None)
    width = len(first.words()) if first else 0
    if width > 2 or first is None or len(head) < 2:
        return width > 2
    # One or two machines make rows as short as a knapsack's; the number of rows or the machines' numbers tell.
    others = [line.text.split(maxsplit=1)[0] for line in found]
    blocks = head[0] == str((len(others) + 1) / 2).removesuffix(".0")
    if width == 1:
        return head[1] == "1" and blocks
    return (head[1] == "1" and {first.text[0], *others} == {"0"}) or (head[1] == "2" and blocks)
