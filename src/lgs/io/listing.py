"""The modules of a folder: the files are the list of formats, there is no registry."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from types import ModuleType


@functools.cache
def modules(package: str) -> dict[str, ModuleType]:
    """Every module of `package` (a name such as `lgs.io.formats`) by its file's name, in alphabetical order."""
    folder = importlib.import_module(package)
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    return {name: importlib.import_module(f"{package}.{name}") for name in names}
