"""The command line: one file per command, found by listing this folder.

Each file defines a function of the command's name, a Typer command; printing belongs here and nowhere else.
"""

from __future__ import annotations

import importlib
import io
import os
import pkgutil
import sys
from typing import TYPE_CHECKING

from .errors import INTERRUPTED, UserError

if TYPE_CHECKING:
    import typer


def build() -> typer.Typer:
    """The `lgs` application."""
    import typer

    app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, help="Latent Guided Sampling.")
    app.callback()(lambda: None)
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        command = getattr(importlib.import_module(f"{__name__}.{module.name}"), module.name, None)
        if isinstance(command, typer.Typer):
            app.add_typer(command, name=module.name)
        elif callable(command):
            app.command(name=module.name)(command)
    return app


def main() -> None:
    """Run a command; what the user can mend is one line and exit code 2, never a traceback."""
    # Threads of torch that spin while they wait take the processor from all that share it, our kernel's threads too.
    # Read when torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # A name that the terminal cannot show must not cost the solution.
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        build()()
    except UserError as error:
        print(f"lgs: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("lgs: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
