"""Recipes: everything that defines a training run, read from TOML and validated before anything starts."""

from __future__ import annotations

import dataclasses
import functools
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..model import Config
from . import losses
from .typed import checked

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = Path(__file__).parent / "recipes"


@dataclass(frozen=True)
class Phase:
    """A stretch of the run with one loss and one distribution of instances."""

    name: str
    share: float
    """Its part of the whole budget; shares are relative to one another."""
    sizes: tuple[int, ...]
    """Instance sizes, one drawn per step."""
    batch: int
    particles: int
    loss: str
    settings: dict[str, Any] = field(default_factory=dict)
    """The loss's own settings."""
    lr: tuple[float, float] = (5e-4, 5e-4)
    """Learning rate at the phase's beginning and end; a cosine between."""
    warmup: int = 0
    """Steps over which the learning rate rises from zero when the phase begins."""
    scored: int = 0
    """Trajectories per instance that carry gradient, drawn by weight without bias; 0: all."""
    latent: bool = True
    """Off: z = 0 throughout, the policy without latents (POMO)."""
    accumulate: int = 1
    """Batches whose gradients make one optimiser step."""

    def __post_init__(self) -> None:
        if not self.share > 0:
            raise ValueError(f"phase {self.name!r}: share must be positive, is {self.share}")
        for name in ("batch", "particles", "accumulate"):
            if getattr(self, name) < 1:
                raise ValueError(f"phase {self.name!r}: {name} must be at least 1, is {getattr(self, name)}")
        if not self.sizes or min(self.sizes) < 1:
            raise ValueError(f"phase {self.name!r}: sizes must be positive integers")
        if self.scored < 0 or self.warmup < 0:
            raise ValueError(f"phase {self.name!r}: scored and warmup must not be negative")
        if min(self.lr) < 0:
            raise ValueError(f"phase {self.name!r}: lr must not be negative")
        _ = self.loss_function  # refuse unknown losses and settings before anything starts

    @functools.cached_property
    def loss_function(self) -> losses.LossFunction:
        return losses.load(self.loss, self.settings)


@dataclass(frozen=True)
class Recipe:
    model: Config
    phases: tuple[Phase, ...]
    hours: float = 0.0
    """Wall-clock budget of the run; 0: the budget is `steps`."""
    steps: int = 0
    seed: int = 1
    bfloat16: bool = False
    """The encoder's large matrix products in bfloat16: faster where the processor has them, slower where it has not."""
    weight_decay: float = 1e-6
    clip: float = 1.0
    """Largest norm of the gradient."""
    ema: float = 0.999
    """Decay of the averaged weights, which are what is validated and saved; 0: no averaging."""
    validate_size: int = 100
    validate_count: int = 128
    validate_minutes: float = 10.0
    checkpoint_minutes: float = 5.0

    def __post_init__(self) -> None:
        if (self.hours > 0) == (self.steps > 0):
            raise ValueError("give a budget: either hours or steps, not both")
        if not self.phases:
            raise ValueError("a recipe needs at least one [[phase]]")
        if len({phase.name for phase in self.phases}) < len(self.phases):
            raise ValueError("phases need different names: each leaves weights of its name")
        for name in ("clip", "validate_size", "validate_count"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, is {getattr(self, name)}")
        if not 0 <= self.ema < 1:
            raise ValueError(f"ema must be in [0, 1), is {self.ema}")
        if self.model.latent == 0 and any(phase.latent for phase in self.phases):
            raise ValueError("a model without latents (model.latent = 0) needs latent = false in every phase")

    def phase_at(self, progress: float) -> tuple[Phase, float]:
        """The phase at `progress` (0 to 1) of the budget, and the progress within it."""
        total, begin = sum(phase.share for phase in self.phases), 0.0
        for phase in self.phases:
            part = phase.share / total
            if progress < begin + part:
                return phase, (progress - begin) / part
            begin += part
        return self.phases[-1], 1.0

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


def load(name: str | Path, changes: dict[str, str] | None = None) -> Recipe:
    """A recipe by shipped name or path; `changes` are `key=value` settings such as `phase.0.batch=64`."""
    shipped = FOLDER / f"{name}.toml"
    path = shipped if shipped.is_file() else Path(name)
    try:
        values = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise ValueError(f"no recipe {str(name)!r}: neither a file nor shipped ({', '.join(names())})") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: not valid TOML: {error}") from None
    for key, value in (changes or {}).items():
        _assign(values, key, value)
    try:
        return _build(values)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None


def names() -> list[str]:
    """The recipes inside the package."""
    return sorted(path.stem for path in FOLDER.glob("*.toml"))


def _build(values: dict[str, Any]) -> Recipe:
    values = dict(values)
    rows, network = values.pop("phase", []), values.pop("model", {})
    if not isinstance(rows, list) or not isinstance(network, dict):
        raise ValueError("a recipe has one [model] and any number of [[phase]]")
    phases = tuple(
        Phase(**checked(Phase, row, f"phase {row.get('name', number)!r}")) for number, row in enumerate(rows)
    )
    model = Config(**checked(Config, network, "model"))
    return Recipe(model=model, phases=phases, **checked(Recipe, values, "recipe", besides=("model", "phases")))


def _assign(values: dict[str, Any], key: str, text: str) -> None:
    """Set one dotted key; the value is read as TOML, or as a string if it is none."""
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text
    *path, last = key.split(".")
    here: Any = values
    try:
        for part in path:
            here = here[int(part)] if isinstance(here, list) else here.setdefault(part, {})
    except (ValueError, IndexError):
        raise ValueError(f"--set {key}: no entry {part!r}") from None
    except AttributeError:
        raise ValueError(f"--set {key}: {part!r} is not inside a table") from None
    if not isinstance(here, dict):
        raise ValueError(f"--set {key}: {last!r} is not inside a table")
    here[last] = value
