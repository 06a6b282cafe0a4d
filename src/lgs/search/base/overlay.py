"""Adaptation at search time: other values for named decoder weights or tables, per row, never a patched module."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from ...model import Encoded, LGSNet, Tables
from ...problems import concatenate

Overlay = Mapping[str, Tensor]
"""Decoder weights by parameter name ([R, *shape]) and tables by field name, in place of the model's own."""

OUTPUT = "output.weight"
"""W_O, the decoder's last layer."""

_TABLES = {field.name for field in dataclasses.fields(Tables)}


def weight(model: LGSNet, name: str, rows: int) -> Tensor:
    """A decoder weight as it is before adaptation, one copy per row: [R, *shape]."""
    value = model.decoder.get_parameter(name).detach()
    return value.expand(rows, *value.shape).clone()


def tables(model: LGSNet, encoded: Encoded, z: Tensor, overlay: Overlay) -> Tables:
    """The decoder's tables for latents z [R, K, d_z], with what the overlay names in place of the model's."""
    weights = {name: value for name, value in overlay.items() if name not in _TABLES}
    if not weights:
        made = model.tables(encoded, z)
    elif weights.keys() == {OUTPUT}:
        made = _with_output(model, encoded, z, weights[OUTPUT])
    else:
        made = concatenate([_one(model, encoded, z, weights, row) for row in range(len(z))])
    own: dict[str, Any] = {name: value for name, value in overlay.items() if name in _TABLES}
    return dataclasses.replace(made, **own) if own else made


def _with_output(model: LGSNet, encoded: Encoded, z: Tensor, output: Tensor) -> Tables:
    """W_O only enters the logit keys: no need to go through the rows one by one."""
    keys = model.decoder.logit_keys(encoded.nodes)
    return dataclasses.replace(model.tables(encoded, z), logit_keys=model.decoder.fold_output(output, keys))


def _one(model: LGSNet, encoded: Encoded, z: Tensor, weights: Mapping[str, Tensor], row: int) -> Tables:
    """The tables of one row, from its own decoder weights."""
    only = encoded.rows(slice(row, row + 1))
    own: dict[str, Tensor | nn.Parameter] = {name: value[row] for name, value in weights.items()}
    made: Tables = functional_call(model.decoder, own, (only.nodes, z[row : row + 1], only.pairs, z.shape[1]))
    # A table that no particle changes is a view of one row; concatenation wants them all alike.
    return made._map(torch.Tensor.contiguous)


def moving(tables: Tables) -> list[str]:
    """The names of the tables that depend on what is differentiated."""
    fields = [(field.name, getattr(tables, field.name)) for field in dataclasses.fields(tables)]
    return [name for name, table in fields if isinstance(table, Tensor) and table.requires_grad]


def particles(tables: Tables, block: slice) -> Tables:
    """The tables of some of the particles."""
    residual = tables.residual
    return dataclasses.replace(
        tables, query=tables.query[:, block], residual=None if residual is None else residual[:, block]
    )
