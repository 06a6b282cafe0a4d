"""`lgs bench`: one file per measurement, found by listing this folder; each defines a function of its name."""

from __future__ import annotations

import importlib
import pkgutil

import typer

bench = typer.Typer(no_args_is_help=True, help="Measure speed and quality.")
bench.callback()(lambda: None)
for _module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
    bench.command(name=_module.name)(getattr(importlib.import_module(f"{__name__}.{_module.name}"), _module.name))
