"""Weights files: safetensors with the configuration, the version and the model card inside."""

from __future__ import annotations

import contextlib
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from .config import Config
from .lgsnet import LGSNet

FORMAT = "lgs-weights-1"
SHIPPED = Path(__file__).parent.parent / "weights"


class WeightsError(ValueError):
    """A weights file that cannot be used; the message says which, why, and what to do."""


def names() -> list[str]:
    """The weights inside the package."""
    return sorted(path.stem for path in SHIPPED.glob("*.safetensors"))


def find(name: str) -> Path:
    """The file of a shipped model, or of a path given by the user."""
    shipped = SHIPPED / f"{name}.safetensors"
    path = shipped if shipped.is_file() else Path(name)
    if not path.is_file():
        raise WeightsError(f"no weights {name!r}: neither a file nor shipped ({', '.join(names()) or 'none yet'})")
    return path


def save(model: LGSNet, path: Path, card: dict[str, Any] | None = None) -> None:
    """Half-precision weights with their configuration; the card also goes beside the file as JSON."""
    tensors = {name: value.detach().cpu().half().contiguous() for name, value in model.state_dict().items()}
    metadata = {
        "format": FORMAT,
        "config": json.dumps(model.config.to_dict()),
        "card": json.dumps(card or {}),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(tensors, str(path), metadata)
    if card is not None:
        path.with_suffix(".json").write_text(json.dumps(card, indent=2) + "\n")


def load(name: str | Path, problem: str | None = None) -> LGSNet:
    """The model of a shipped name or of a file, ready for use; `problem` is what it must be for, if given."""
    path = find(str(name))
    with _opened(path) as file:
        config = Config.from_dict(json.loads(file.metadata().get("config", "null")))
        model = LGSNet(config)
        model.load_state_dict({key: file.get_tensor(key).float() for key in file.keys()})  # noqa: SIM118
        if any(not torch.isfinite(value).all() for value in model.state_dict().values()):
            raise ValueError("a weight is not finite")
    if problem is not None and config.problem != problem:
        raise WeightsError(f"{path}: made for {config.problem}, not for {problem}")
    return model.eval()


def card(name: str | Path) -> dict[str, Any]:
    """The model card inside a weights file."""
    with _opened(find(str(name))) as file:
        loaded: dict[str, Any] = json.loads(file.metadata().get("card", "{}"))
        if not isinstance(loaded, dict):
            raise ValueError("its model card is no table")
    return loaded


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A weights file of this version; whatever is wrong with it, or with what is read from it, is one WeightsError."""
    try:
        with safe_open(str(path), framework="pt") as file:
            found = (file.metadata() or {}).get("format", "unknown")
            if found != FORMAT:
                raise WeightsError(f"{path}: weights of format {found!r}, this version of lgs reads {FORMAT!r}")
            yield file
    except WeightsError:
        raise
    except (SafetensorError, OSError, LookupError, ValueError, TypeError, RuntimeError) as error:
        reason = textwrap.shorten(str(error), 200, placeholder=" ...")
        raise WeightsError(f"{path}: damaged or incompatible weights file ({reason})") from error
