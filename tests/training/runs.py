"""Runs small enough to train in a second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lightning_fabric import Fabric
from torch import Tensor

from lgs.training import recipe
from lgs.training.recipe import Recipe
from lgs.training.trainer import Status, Trainer

TOML = """
steps = 6
seed = 3
ema = 0.9
validate_size = 5
validate_count = 4

[model]
problem = "cvrp"
dim = 16
heads = 2
layers = 1
hidden = 16
latent = 3
latent_residual = true
forced_start = true

[[phase]]
name = "plain"
share = 1
sizes = [4, 5]
batch = 4
particles = 5
scored = 3
loss = "shared_baseline"
lr = [1e-2, 1e-2]
warmup = 2
latent = false

[[phase]]
name = "latent"
share = 1
sizes = [5]
batch = 4
particles = 5
loss = "cost_weighted"
lr = [1e-2, 1e-3]
warmup = 2
"""


def write(folder: Path) -> Path:
    """The recipe above as a file."""
    path = folder / "tiny.toml"
    path.write_text(TOML)
    return path


def tiny(folder: Path, **changes: object) -> Recipe:
    """The recipe above, with changes; `phase__0__lr` stands for phase.0.lr."""
    return recipe.load(write(folder), {key.replace("__", "."): str(value) for key, value in changes.items()})


def trainer(made: Recipe, folder: Path, **arguments: Any) -> Trainer:
    return Trainer(made, folder, Fabric(accelerator="cpu", devices=1), **arguments)


def run(made: Recipe, folder: Path, until: int | None = None) -> tuple[Trainer, list[Status]]:
    """Train in `folder`, stopping after step `until` as a signal would."""
    heard: list[Status] = []
    made_trainer = trainer(made, folder)
    made_trainer.run([heard.append], stop=lambda: made_trainer.step == until)
    return made_trainer, heard


def tensors(trained: Trainer) -> dict[str, Tensor]:
    """Everything that the rest of the run depends on."""
    found = {f"model.{name}": value for name, value in trained.model.state_dict().items()}
    found |= {f"average.{name}": value for name, value in trained.average.state_dict().items()}
    for index, state in trained.optimizer.state_dict()["state"].items():
        found |= {f"optimizer.{index}.{name}": value for name, value in state.items()}
    return found | {"generator": trained.generator.get_state()}
