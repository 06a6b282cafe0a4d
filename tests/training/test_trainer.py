"""The trainer: what it keeps, how it goes on, what it says when it cannot."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from lgs.model import Config, LGSNet, weights
from lgs.rollout import rollout
from lgs.training import checkpoint, objective, validation
from lgs.training import recipe as recipes
from lgs.training.log import Log
from lgs.training.trainer import Status, Trainer, TrainingError, start_from, without_latent

from . import runs


@pytest.mark.parametrize("interruptions", [[2], [3], [1, 3, 4]])
def test_interrupted_and_resumed_is_uninterrupted_bit_for_bit(tmp_path: Path, interruptions: list[int]) -> None:
    recipe = runs.tiny(tmp_path)
    whole, heard = runs.run(recipe, tmp_path / "whole")
    pieces: list[Status] = []
    for until in [*interruptions, None]:
        parts, more = runs.run(recipe, tmp_path / "parts", until)
        pieces += more
    assert whole.step == parts.step == 6
    assert [s.step for s in pieces] == [1, 2, 3, 4, 5, 6]
    told = ("phase", "loss", "cost", "best", "lr", "validation", "instances", "trajectories")
    assert [[getattr(s, name) for name in told] for s in pieces] == [[getattr(s, name) for name in told] for s in heard]
    expected = runs.tensors(whole)
    for name, value in runs.tensors(parts).items():
        assert torch.equal(value, expected[name]), name
    kept = [sorted(path.name for path in (tmp_path / which).iterdir()) for which in ("whole", "parts")]
    assert kept[0] == kept[1]


def test_seeds_decide(tmp_path: Path) -> None:
    same = [runs.run(runs.tiny(tmp_path), tmp_path / name, 2)[1][-1].loss for name in ("a", "b")]
    other = runs.run(runs.tiny(tmp_path, seed=4), tmp_path / "c", 2)[1][-1].loss
    assert same[0] == pytest.approx(same[1]) and other != pytest.approx(same[0])


def test_learning_rate_warms_up_in_every_phase(tmp_path: Path) -> None:
    _, heard = runs.run(runs.tiny(tmp_path), tmp_path / "run")
    assert [s.phase for s in heard] == ["plain"] * 3 + ["latent"] * 3
    cosine = [1e-2, 1e-3 + 9e-3 * 0.75, 1e-3 + 9e-3 * 0.25]
    expected = [0.5e-2, 1e-2, 1e-2, 0.5 * cosine[0], cosine[1], cosine[2]]
    assert [s.lr for s in heard] == pytest.approx(expected)


def test_averaged_weights(tmp_path: Path) -> None:
    trainer = runs.trainer(runs.tiny(tmp_path), tmp_path / "run")
    expected = {name: value.clone() for name, value in trainer.model.named_parameters()}

    def follow(status: Status) -> None:
        step = status.step - 1
        decay = min(0.9, (1 + step) / (10 + step))
        for name, value in trainer.model.named_parameters():
            expected[name] = decay * expected[name] + (1 - decay) * value.detach()

    trainer.run([follow])
    for name, value in trainer.average.named_parameters():
        torch.testing.assert_close(value, expected[name])
    plain, _ = runs.run(runs.tiny(tmp_path, ema=0), tmp_path / "plain")
    for own, averaged in zip(plain.model.parameters(), plain.average.parameters()):
        torch.testing.assert_close(own, averaged)


def test_every_phase_leaves_its_weights(tmp_path: Path) -> None:
    """Also where a sitting ended exactly between two phases; those of a phase without latents have none."""
    recipe, folder = runs.tiny(tmp_path), tmp_path / "run"
    first, _ = runs.run(recipe, folder, until=3)
    average = first.average.state_dict()
    runs.run(recipe, folder)
    plain, last = weights.load(folder / "plain.safetensors"), weights.load(folder / "latent.safetensors")
    assert plain.config.latent == 0 and plain.config.forced_start is True
    assert not [name for name in plain.state_dict() if "latent" in name or "residual" in name]
    for name, value in plain.state_dict().items():
        torch.testing.assert_close(value, average[name].half().float())
    assert last.config == recipe.model
    card = json.loads((folder / "plain.json").read_text())
    assert card == weights.card(folder / "plain.safetensors")
    assert (card["phase"], card["steps"], card["instances"], card["trajectories"]) == ("plain", 3, 12, 60)
    assert card["recipe"]["model"]["problem"] == "cvrp" and card["labels"] == "none"


def test_the_best_weights_are_those_that_were_validated(tmp_path: Path) -> None:
    """Validated after every step; in a phase without latents they have none."""
    folder, scores = tmp_path / "run", []
    for until in (3, None):
        _, heard = runs.run(runs.tiny(tmp_path, validate_minutes=0), folder, until)
        scores += [s.validation for s in heard]
        best = weights.card(folder / "best.safetensors")
        assert best["validation"] == min(scores) and best["steps"] == 1 + scores.index(min(scores))
        latent = weights.load(folder / "best.safetensors").config.latent
        assert latent == (0 if best["steps"] <= 3 else 3)
    assert len(scores) == 6


def test_without_latent_is_the_policy_at_zero(tmp_path: Path) -> None:
    trained, _ = runs.run(runs.tiny(tmp_path), tmp_path / "run", 2)
    instance = validation.instances(trained.model.problem, 5, 8)
    zero = validation.evaluate(trained.average, instance, 5, latent=False)
    assert torch.equal(validation.evaluate(without_latent(trained.average), instance, 5), zero)


def test_accumulated_batches_make_one_gradient(tmp_path: Path) -> None:
    """Two batches in one step: the gradient of their mean."""
    trainer = runs.trainer(runs.tiny(tmp_path, phase__0__accumulate=2), tmp_path / "run")
    generator = torch.Generator().manual_seed(3)
    phase = trainer.recipe.phases[0]
    single = objective.Objective(trainer.model)
    for _ in range(2):
        size = phase.sizes[int(torch.randint(2, (1,), generator=generator))]
        loss, _ = single(objective.Task(objective.draw(trainer.model, phase, size, generator), phase, 0.0))
        (loss / 2).backward()
    found = [None if p.grad is None else p.grad.clone() for p in trainer.model.parameters()]
    length = torch.stack([grad.norm() for grad in found if grad is not None]).norm().clamp_min(1.0)
    trainer.run([], stop=lambda: trainer.step == 1)
    for parameter, grad in zip(trainer.model.parameters(), found):
        if grad is not None:
            moment = trainer.optimizer.state[parameter]["exp_avg"]
            # Adam's first moment is a tenth of the clipped gradient, with its weight decay of 1e-6.
            torch.testing.assert_close(moment, 0.1 * grad / length, atol=1e-6, rtol=1e-3)


def poisoned(trainer: Any, step: int, poison: str) -> Any:
    """An observer that spoils the model after `step`."""

    def spoil(status: Status) -> None:
        if status.step != step:
            return
        trainer.save()
        if poison == "weight":
            with torch.no_grad():
                trainer.model.decoder.output.weight.fill_(torch.nan)
        else:
            trainer.model.decoder.output.weight.register_hook(lambda grad: grad * torch.inf)

    return spoil


@pytest.mark.parametrize("poison", ["weight", "gradient"])
def test_what_is_not_finite_ends_the_run_and_keeps_the_last_good_checkpoint(tmp_path: Path, poison: str) -> None:
    recipe, folder = runs.tiny(tmp_path), tmp_path / "run"
    trainer = runs.trainer(recipe, folder)
    with pytest.raises(TrainingError) as caught:
        trainer.run([poisoned(trainer, 2, poison)])
    message = str(caught.value)
    assert "is not finite at step 2; lower lr" in message and "\n" not in message
    assert f"last good checkpoint: {folder / 'checkpoint.pt'}" in message
    again, heard = runs.run(recipe, folder)
    assert heard[0].step == 3 and again.step == 6
    assert all(value.isfinite().all() for value in again.average.parameters())


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9 GiB"),
        RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        MemoryError(),
    ],
)
def test_out_of_memory_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(*_: Any) -> Any:
        raise error

    trainer = runs.trainer(runs.tiny(tmp_path), tmp_path / "run")
    monkeypatch.setattr(trainer, "objective", fail)
    with pytest.raises(
        TrainingError, match=r"out of memory in phase 'plain'; lower its batch .*no checkpoint yet"
    ) as caught:
        trainer.run([])
    assert "\n" not in str(caught.value)


def test_other_errors_are_not_hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> Any:
        raise RuntimeError("a mistake in the code")

    trainer = runs.trainer(runs.tiny(tmp_path), tmp_path / "run")
    monkeypatch.setattr(trainer, "objective", fail)
    with pytest.raises(RuntimeError, match="a mistake in the code"):
        trainer.run([])


@pytest.mark.parametrize("damage", ["cut", "empty", "other"])
def test_damaged_checkpoint(tmp_path: Path, damage: str) -> None:
    recipe, folder = runs.tiny(tmp_path), tmp_path / "run"
    runs.run(recipe, folder, 1)
    path = folder / checkpoint.FILE
    if damage == "other":
        torch.save({"weights": torch.zeros(3)}, path)
    else:
        path.write_bytes(path.read_bytes()[: 1000 if damage == "cut" else 0])
    with pytest.raises(ValueError, match=r"checkpoint\.pt: damaged checkpoint; delete it to start the run afresh"):
        runs.trainer(recipe, folder)


def test_a_crash_while_saving_leaves_the_old_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe, folder = runs.tiny(tmp_path), tmp_path / "run"
    trainer, _ = runs.run(recipe, folder, 2)

    def crash(_: Any, path: Path) -> None:
        path.write_bytes(b"half of a file")
        raise KeyboardInterrupt

    monkeypatch.setattr(torch, "save", crash)
    with pytest.raises(KeyboardInterrupt):
        trainer.save()
    assert runs.trainer(recipe, folder).step == 2


def test_a_folder_holds_one_model(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    runs.run(runs.tiny(tmp_path), folder, 1)
    with pytest.raises(TrainingError, match="holds a run of another model; choose another --out"):
        runs.trainer(runs.tiny(tmp_path, model__dim=32), folder)
    longer = runs.trainer(runs.tiny(tmp_path, steps=9), folder)
    assert longer.step == 1 and longer.progress == pytest.approx(1 / 9)


def test_starting_from_weights(tmp_path: Path) -> None:
    """A policy without latents becomes one with them; another architecture is refused."""
    runs.run(runs.tiny(tmp_path), tmp_path / "first")
    path = tmp_path / "first" / "plain.safetensors"
    trainer = runs.trainer(runs.tiny(tmp_path), tmp_path / "second", initial=str(path))
    given = weights.load(path).state_dict()
    for name, value in given.items():
        assert torch.equal(trainer.model.state_dict()[name], value), name
    assert trainer.card()["started_from"]["phase"] == "plain"
    with pytest.raises(TrainingError, match="initial weights are of another architecture"):
        runs.trainer(runs.tiny(tmp_path, model__layers=2), tmp_path / "third", initial=str(path))


def test_a_related_problem_starts_as_the_policy_it_comes_from() -> None:
    """CVRP with time windows from CVRP: windows that never bind change nothing but what is yet to be learnt."""
    torch.manual_seed(0)
    shape = {"dim": 16, "heads": 2, "layers": 1, "hidden": 32, "pairwise": True}
    given = LGSNet(Config(problem="cvrp", latent=0, **shape)).eval()  # type: ignore[arg-type]
    model = LGSNet(Config(problem="cvrptw", latent=4, **shape)).eval()  # type: ignore[arg-type]
    start_from(model, given)
    timed = model.problem.generate(3, 7, torch.Generator().manual_seed(0))
    timed = dataclasses.replace(timed, ready=timed.ready * 0, due=timed.due * 0 + 1e9)
    plain = given.problem.generate(3, 7, torch.Generator().manual_seed(1))
    plain = dataclasses.replace(plain, places=timed.places, demands=timed.demands, capacity=timed.capacity)
    starts = given.starts(plain, 5)
    with torch.no_grad():
        uniforms = torch.rand(3, 5, given.problem.horizon(plain), dtype=torch.float64)
        none = torch.zeros(3, 5, 0)
        expected = rollout(given, plain, given.encode(plain), none, starts, uniforms)
        got = rollout(model, timed, model.encode(timed), torch.zeros(3, 5, 4), starts, uniforms)
    torch.testing.assert_close(got.log_probs, expected.log_probs)
    torch.testing.assert_close(got.costs, expected.costs)
    with pytest.raises(TrainingError, match="does not fit"):
        start_from(LGSNet(Config(problem="tsp", **shape)), given)  # type: ignore[arg-type]


def test_a_batch_that_processes_cannot_share(tmp_path: Path) -> None:
    two: Any = SimpleNamespace(world_size=2)
    with pytest.raises(TrainingError, match="phase 'latent': batch must be a multiple of 2, the number of processes"):
        Trainer(runs.tiny(tmp_path, phase__1__batch=3), tmp_path / "run", two)


def logged(folder: Path) -> list[dict[str, str]]:
    with (folder / "log.csv").open() as file:
        return list(csv.DictReader(file))


def test_log_goes_on_without_a_second_header(tmp_path: Path) -> None:
    recipe, folder = runs.tiny(tmp_path), tmp_path / "run"
    for until in (1, None):
        trainer = runs.trainer(recipe, folder)
        trainer.run([Log(folder, trainer.step)], stop=lambda trainer=trainer, until=until: trainer.step == until)
    rows = logged(folder)
    assert [row["step"] for row in rows] == ["1", "6"]
    assert rows[0]["validation"] == "" and float(rows[1]["validation"]) > 0
    assert [row["phase"] for row in rows] == ["plain", "latent"]
    assert list((folder / "tensorboard").iterdir())


def test_log_forgets_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    """A run that was killed: its last rows are of steps that will be taken again, the very last is half a row."""
    _, heard = runs.run(runs.tiny(tmp_path), tmp_path / "run")
    first = Log(tmp_path / "log", 0)
    for status in heard:
        first(dataclasses.replace(status, validation=1.0))
    with (tmp_path / "log" / "log.csv").open("a") as file:
        file.write("7,latent,0.5")
    Log(tmp_path / "log", 4)
    assert [row["step"] for row in logged(tmp_path / "log")] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("name", recipes.names())
def test_shipped_recipes_run(tmp_path: Path, name: str) -> None:
    """One step of every phase, on instances that are small."""
    phases = recipes.load(name).phases
    small = {"share": 1, "batch": 2, "particles": 4, "sizes": [4]}
    changes = {f"phase.{i}.{key}": str(value) for i in range(len(phases)) for key, value in small.items()}
    changes |= {"hours": "0", "steps": str(len(phases)), "validate_size": "4", "validate_count": "2"}
    _, heard = runs.run(recipes.load(name, changes), tmp_path)
    assert [status.phase for status in heard] == [phase.name for phase in phases]
    assert weights.load(tmp_path / f"{phases[-1].name}.safetensors").config == recipes.load(name).model


def test_training_improves(tmp_path: Path) -> None:
    """TSP of ten cities: 60 steps bring the mean greedy tour down by 20% at least, on unseen instances."""
    torch.manual_seed(0)
    changes = {"model__problem": "tsp", "steps": 60, "phase__0__batch": 32, "phase__1__batch": 32}
    changes |= {f"phase__{i}__particles": 10 for i in (0, 1)} | {f"phase__{i}__sizes": "[10]" for i in (0, 1)}
    recipe = runs.tiny(tmp_path, **changes, model__dim=32, ema=0.97, phase__0__settings="{standardise=true}")
    instance = validation.instances(LGSNet(recipe.model).problem, 10, 128)
    before = validation.evaluate(runs.trainer(recipe, tmp_path / "run").average, instance, 10)
    trained, _ = runs.run(recipe, tmp_path / "run")
    after = validation.evaluate(trained.average, instance, 10)
    assert after.mean() < 0.8 * before.mean()
    assert after.amin(-1).mean() < 0.85 * before.amin(-1).mean()
    assert weights.load(tmp_path / "run" / "best.safetensors").config == recipe.model


def test_bfloat16_is_for_the_encoder_only_and_moves_its_gradient_little(tmp_path: Path) -> None:
    """Coordinates keep their digits, weights and tables stay in float32; the rounding is that of 8 bits."""
    torch.manual_seed(0)
    model = LGSNet(Config("cvrp", dim=64, heads=4, layers=2, hidden=128, latent=8))
    instance = model.problem.generate(8, 20, torch.Generator().manual_seed(0))
    weight = torch.randn(8, 21, 64)
    found = []
    for rounded in (False, True):
        model.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=rounded):
            encoded = model.encode(instance)
        assert encoded.nodes.dtype == encoded.mean.dtype == torch.float32
        (encoded.nodes * weight).sum().backward()
        gradient = torch.cat([p.grad.flatten() for p in model.encoder.parameters() if p.grad is not None])
        found.append((encoded.nodes.detach(), gradient))
    (nodes, gradient), (rounded_nodes, rounded_gradient) = found
    assert 0 < (rounded_nodes - nodes).norm() < 0.02 * nodes.norm()
    assert 0.99 < torch.cosine_similarity(gradient, rounded_gradient, dim=0) < 1
    _, exact = runs.run(runs.tiny(tmp_path), tmp_path / "exact", 1)
    _, heard = runs.run(runs.tiny(tmp_path, bfloat16="true"), tmp_path / "rounded", 1)
    assert heard[-1].cost == pytest.approx(exact[-1].cost, rel=0.05) and heard[-1].loss != exact[-1].loss
