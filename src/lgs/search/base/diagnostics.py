"""An observer that records chains, and what arviz says of their convergence."""

from __future__ import annotations

import importlib
from typing import Any

import torch
from torch import Tensor

from .observers import Progress


class ChainRecorder:
    """Keeps cost, acceptance and the first coordinates of z of every chain of one row, step by step."""

    def __init__(self, row: int = 0, coordinates: int = 8) -> None:
        self.row, self.coordinates = row, coordinates
        self._costs: list[Tensor] = []
        self._accepted: list[Tensor] = []
        self._latents: list[Tensor] = []

    def __call__(self, progress: Progress) -> None:
        info = progress.info
        if info is None:
            return
        if info.accepted is None or info.latents is None:
            raise ValueError("this method has no chains to record; use lgs, interacting, parallel or single")
        self._costs.append(info.costs[self.row].cpu())
        self._accepted.append(info.accepted[self.row].cpu())
        self._latents.append(info.latents[self.row, :, : self.coordinates].cpu())

    def inference_data(self) -> Any:
        """An arviz.InferenceData: posterior `cost` and `z`, sample statistic `accepted`."""
        if not self._costs:
            raise ValueError("no step was recorded; give the run a larger budget")

        def by_chain(draws: list[Tensor]) -> Any:
            return torch.stack(draws, 1).numpy()

        return _arviz().from_dict(
            posterior={"cost": by_chain(self._costs), "z": by_chain(self._latents)},
            sample_stats={"accepted": by_chain(self._accepted)},
        )

    def summary(self) -> dict[str, float]:
        """R-hat and bulk effective sample size of the cost, the worst R-hat of z, and the acceptance rate."""
        arviz, data = _arviz(), self.inference_data()
        rhat, ess = arviz.rhat(data), arviz.ess(data)
        return {
            "rhat_cost": float(rhat["cost"]),
            "ess_cost": float(ess["cost"]),
            "rhat_z": float(rhat["z"].max()),
            "acceptance": float(data["sample_stats"]["accepted"].mean()),
        }


def _arviz() -> Any:
    try:
        return importlib.import_module("arviz")
    except ImportError as error:
        raise ValueError("chain diagnostics need the package arviz: pip install arviz") from error
