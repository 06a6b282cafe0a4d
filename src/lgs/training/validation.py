"""How good is a model: the best of K greedy episodes from the prior, on instances that no training step sees."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch import Generator, Tensor

from ..model import LGSNet
from ..problems import Problem
from ..rollout import rollout, sample_latents

SEED = 4321
REFERENCES = Path(__file__).parent / "references"


def instances(problem: Problem[Any, Any], size: int, count: int) -> Any:
    """The first `count` validation instances of this size: always the same, those of the references where there are."""
    path = _path(problem.name, size)
    whole = json.loads(path.read_text())["count"] if path.is_file() else count
    return problem.generate(max(count, whole), size, Generator().manual_seed(SEED)).rows(slice(0, count))


def references(problem: str, size: int, count: int) -> Tensor | None:
    """[count] costs of an outside solver on the validation instances, where they have been computed."""
    path = _path(problem, size)
    if not path.is_file():
        return None
    costs = json.loads(path.read_text())["costs"]
    return torch.tensor(costs[:count], dtype=torch.float64) if len(costs) >= count else None


def solver(problem: str, size: int) -> str:
    """Whose costs `references` are."""
    name: str = json.loads(_path(problem, size).read_text())["solver"]
    return name


def _path(problem: str, size: int) -> Path:
    return REFERENCES / f"{problem}-{size}.json"


@torch.no_grad()
def evaluate(
    model: LGSNet,
    instance: Any,
    particles: int = 100,
    latent: bool = True,
    same: bool = False,
    block: int = 64,
) -> Tensor:
    """[B, K] greedy costs; `same` gives all particles one latent, `latent` = False gives them z = 0."""
    costs = []
    generator = Generator().manual_seed(SEED)
    for begin in range(0, len(instance), block):
        part = instance.rows(slice(begin, begin + block))
        encoded = model.encode(part)
        z = sample_latents(encoded, particles, model.config.radius, generator)
        if same:
            z = z[:, :1].expand_as(z)
        if not latent:
            z = torch.zeros_like(z)
        costs.append(rollout(model, part, encoded, z, model.starts(part, particles)).costs)
    return torch.cat(costs)


def gap(costs: Tensor, reference: Tensor) -> float:
    """Mean over instances of cost / reference - 1, in percent (paper, eq. of the gap)."""
    return float(((costs - reference) / reference.abs()).mean() * 100)
