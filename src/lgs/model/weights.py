"""Weights files: safetensors with the configuration, the version and the model card inside."""

from __future__ import annotations

import json
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
    try:
        with safe_open(str(path), framework="pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise WeightsError(f"{path}: not an lgs weights file of format {FORMAT!r}")
            tensors = {key: file.get_tensor(key).float() for key in file.keys()}  # noqa: SIM118
        config = Config.from_dict(json.loads(metadata["config"]))
        model = LGSNet(config)
        model.load_state_dict(tensors)
    except WeightsError:
        raise
    except (SafetensorError, OSError, KeyError, ValueError, TypeError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise WeightsError(f"{path}: damaged or incompatible weights file ({reason})") from error
    if problem is not None and config.problem != problem:
        raise WeightsError(f"{path}: made for {config.problem}, not for {problem}")
    if any(not torch.isfinite(value).all() for value in tensors.values()):
        raise WeightsError(f"{path}: damaged weights file (a weight is not finite)")
    return model.eval()


def card(name: str | Path) -> dict[str, Any]:
    """The model card inside a weights file."""
    with safe_open(str(find(str(name))), framework="pt") as file:
        loaded: dict[str, Any] = json.loads((file.metadata() or {}).get("card", "{}"))
    return loaded
