"""The network's file: what was saved comes back, and whatever is wrong with a file is one clear error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file, save_file

from lgs import problems
from lgs.model import WeightsError, load, save, weights

from ..networks import network, prepared


@pytest.mark.parametrize("extended", [False, True], ids=["paper", "extended"])
@pytest.mark.parametrize("name", problems.names())
def test_a_network_comes_back_from_its_file(name: str, extended: bool, tmp_path: Path) -> None:
    model = network(name, extended).half().float()  # Files hold half precision.
    save(model, tmp_path / "a.safetensors", {"seconds": 7})
    found = load(tmp_path / "a.safetensors", name)
    assert found.config == model.config and not found.training
    assert weights.card(tmp_path / "a.safetensors") == {"seconds": 7}
    instance, encoded, z = prepared(model, 2, 5, 3)
    with torch.no_grad():
        expected, again = model.tables(encoded, z), found.tables(found.encode(instance), z)
    assert all(torch.equal(a, b) for a, b in zip(expected._tensors(), again._tensors(), strict=True))


SETTINGS = network("tsp", False).config.to_dict()


@pytest.mark.parametrize(
    ("metadata", "reason"),
    [
        ({"format": "lgs-weights-0"}, "weights of format 'lgs-weights-0', this version of lgs reads 'lgs-weights-1'"),
        ({"format": None}, "weights of format 'unknown'"),
        ({"config": None}, "it has no model settings"),
        ({"config": "[]"}, "it has no model settings"),
        ({"config": "{"}, "damaged or incompatible"),
        ({"config": json.dumps({"dim": 16})}, "problem"),
        ({"config": json.dumps(SETTINGS | {"depth": 3})}, "unknown model setting 'depth'"),
        ({"config": json.dumps(SETTINGS | {"problem": "vrp"})}, "unknown problem 'vrp'; known: "),
        ({"config": json.dumps(SETTINGS | {"dim": 32})}, "size mismatch"),
        ({"config": json.dumps(SETTINGS | {"layers": 1})}, "Unexpected key"),
        ({"config": json.dumps(SETTINGS | {"layers": "two"})}, "layers must be a whole number, is 'two'"),
    ],
)
def test_a_file_that_does_not_fit_is_one_clear_error(
    metadata: dict[str, str | None], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.safetensors"
    save(network("tsp", False), path)
    given_metadata = {"format": weights.FORMAT, "config": json.dumps(SETTINGS)} | metadata
    save_file(load_file(path), path, {key: value for key, value in given_metadata.items() if value is not None})
    with pytest.raises(WeightsError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: ") and reason in str(error.value)
    assert "\n" not in str(error.value) and len(str(error.value)) < 400


def test_the_wrong_problem_a_missing_file_and_numbers_that_are_none(tmp_path: Path) -> None:
    path, model = tmp_path / "a.safetensors", network("tsp", False)
    save(model, path)
    with pytest.raises(WeightsError, match=r"a\.safetensors: made for tsp, not for cvrp"):
        load(path, "cvrp")
    with pytest.raises(WeightsError, match="no weights 'nothing': neither a file nor shipped"):
        load("nothing")
    with torch.no_grad():
        model.decoder.output.weight[0, 0] = torch.nan
    save(model, path)
    with pytest.raises(WeightsError, match="a weight is not finite"):
        load(path)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10**6), change=st.integers(1, 255), cut=st.booleans())
def test_a_damaged_file_is_never_anything_but_a_weights_error(
    place: int, change: int, cut: bool, tmp_path: Path
) -> None:
    path = tmp_path / "a.safetensors"
    save(network("tsp", False), path, {"seconds": 7})
    data = bytearray(path.read_bytes())
    place %= len(data)
    data[place] ^= change
    path.write_bytes(data[:place] if cut else data)
    for read in (load, weights.card):
        try:
            read(path)
        except WeightsError as error:
            assert str(path) in str(error)
            continue
        assert not cut, "half a file is noticed"
