"""What the user can mend: every module raises its own ValueError; a command turns it into one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class UserError(Exception):
    """Bad input or usage: printed as one line, exit code 2."""


@contextmanager
def explained() -> Iterator[None]:
    """Turn the package's ValueErrors and the system's OSErrors into a `UserError`."""
    try:
        yield
    except (ValueError, OSError) as error:
        raise UserError(str(error)) from error
