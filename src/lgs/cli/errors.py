"""What the user can mend: every module raises its own ValueError; a command turns it into one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""The exit code of whoever is interrupted before there is anything to show."""


class UserError(Exception):
    """Bad input or usage: printed as one line, exit code 2."""


@contextmanager
def explained() -> Iterator[None]:
    """Turn the package's ValueErrors and the system's OSErrors into a `UserError`."""
    try:
        yield
    except BrokenPipeError:
        raise  # The reader has gone, as `head` does; Typer leaves without a word.
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error)
        raise UserError(_one_line(what)) from error
    except ValueError as error:
        raise UserError(_one_line(str(error))) from error


def _one_line(message: str) -> str:
    """Paths and whatever a message quotes may hold line ends and what moves a terminal's cursor."""
    return "".join(letter if letter.isprintable() else " " for letter in message)
