"""Frozen dataclasses of tensors that share a leading batch dimension."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

import torch
from torch import Tensor

Self = TypeVar("Self", bound="Batched")


class Batched:
    """Base of instances and states: row selection and device moves over every tensor field.

    Tensors carry the batch in dimension 0; nested `Batched` fields are followed; anything else (a metric's
    name, a tuple of labels) belongs to the batch as a whole and is kept as it is.
    """

    def _map(self: Self, function: Callable[[Tensor], Tensor]) -> Self:
        changes: dict[str, Any] = {}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if isinstance(value, Tensor):
                changes[field.name] = function(value)
            elif isinstance(value, Batched):
                changes[field.name] = value._map(function)
        return dataclasses.replace(self, **changes)  # type: ignore[type-var]

    def _tensors(self) -> list[Tensor]:
        found: list[Tensor] = []

        def note(tensor: Tensor) -> Tensor:
            found.append(tensor)
            return tensor

        self._map(note)
        return found

    def __len__(self) -> int:
        return len(self._tensors()[0])

    @property
    def device(self) -> torch.device:
        return self._tensors()[0].device

    def to(self: Self, device: torch.device | str) -> Self:
        return self._map(lambda tensor: tensor.to(device))

    def rows(self: Self, index: slice | Tensor | list[int]) -> Self:
        """Instances `index` of the batch (always still a batch)."""
        return self._map(lambda tensor: tensor[index])

    def repeat(self: Self, times: int) -> Self:
        """Each row `times` times in a row: rows 0,0,1,1,... for `times` = 2."""
        return self._map(lambda tensor: tensor.repeat_interleave(times, 0))


def concatenate(parts: list[Self]) -> Self:
    """One batch out of several of the same kind and size."""
    return _merge(parts, torch.cat)


def as_particles(steps: list[Self]) -> Self:
    """C states [B, K, ...] as one state of K * C particles [B, K * C, ...], the steps of a particle side by side."""
    return _merge(steps, lambda column: torch.stack(column, 2).flatten(1, 2))


def _merge(parts: list[Self], function: Callable[[list[Tensor]], Tensor]) -> Self:
    columns = zip(*(part._tensors() for part in parts))
    merged = iter([function(list(column)) for column in columns])
    return parts[0]._map(lambda _: next(merged))
