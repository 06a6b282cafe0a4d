"""`lgs train`: train a model by a recipe."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from .errors import explained


def train(
    recipe: Annotated[str, typer.Argument(help="A shipped recipe's name or a TOML file.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the run (default: runs/RECIPE).")] = None,
    hours: Annotated[float | None, typer.Option(help="Wall-clock budget, instead of the recipe's.")] = None,
    initial: Annotated[str | None, typer.Option(help="Weights to start from: a shipped name or a file.")] = None,
    set_: Annotated[list[str] | None, typer.Option("--set", help="Change a setting: key=value.")] = None,
    device: Annotated[str, typer.Option(help="cpu, cuda or auto.")] = "auto",
) -> None:
    """Train a model. The same command again goes on from the last checkpoint."""
    stopping = _stop_on_signals()
    with explained():
        from lightning_fabric import Fabric

        from ..training import recipe as recipes
        from ..training.log import Log
        from ..training.trainer import Trainer

        changes = dict(_pair(text) for text in set_ or [])
        if hours is not None:
            changes |= {"hours": str(hours), "steps": "0"}
        loaded = recipes.load(recipe, changes)
        folder = out or Path("runs") / Path(recipe).stem
        fabric = _fabric(Fabric, device)
        fabric.launch()
        trainer = Trainer(loaded, folder, fabric, initial)
        where = f"from step {trainer.step}" if trainer.step else "from the beginning"
        observers: list[Any] = []
        if fabric.global_rank == 0:
            print(f"training {loaded.model.problem} in {folder} on {fabric.device.type}, {where}", flush=True)
            observers = [Log(folder, trainer.step), _Line()]
        trainer.run(observers, stop=lambda: bool(stopping))
        if fabric.global_rank == 0:
            print(f"\nkept in {folder}: {trainer.step} steps, {trainer.instances} instances", flush=True)
        _part()


def _fabric(kind: Any, device: str) -> Any:
    """Fabric with mixed precision on a GPU; `torchrun` sets how many processes there are."""
    import os

    import torch

    cuda = torch.cuda.is_available() if device == "auto" else device == "cuda"
    world = int(os.environ.get("LOCAL_WORLD_SIZE", "1"))
    nodes = max(1, int(os.environ.get("WORLD_SIZE", "1")) // world)
    if cuda:
        torch.set_float32_matmul_precision("high")
    return kind(
        accelerator="cuda" if cuda else "cpu",
        devices=world,
        num_nodes=nodes,
        # A phase without latents leaves their weights without a gradient.
        strategy="ddp_find_unused_parameters_true" if world * nodes > 1 else "auto",
        precision="bf16-mixed" if cuda else "32-true",
    )


def _part() -> None:
    """Processes of a distributed run leave together: one that is still sending when another goes dies of it."""
    from torch import distributed

    if distributed.is_available() and distributed.is_initialized():
        distributed.barrier()
        distributed.destroy_process_group()


def _pair(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set {text}: expected key=value")
    return key, value


def _stop_on_signals() -> list[int]:
    """Ctrl-C and SIGTERM end the run at the next step; a second one ends it at once."""
    received: list[int] = []

    def handle(number: int, _: object) -> None:
        if received:
            sys.exit(130)
        received.append(number)

    signal.signal(signal.SIGINT, handle)
    signal.signal(signal.SIGTERM, handle)
    return received


class _Line:
    """The live line: rewritten in a terminal, every ten seconds elsewhere."""

    def __init__(self) -> None:
        self.printed = -1e9
        self.validation: float | None = None
        self.terminal = sys.stdout.isatty()

    def __call__(self, status: Any) -> None:
        self.validation = status.validation if status.validation is not None else self.validation
        now = time.monotonic()
        if now - self.printed < (0.5 if self.terminal else 10) and status.validation is None:
            return
        self.printed = now
        score = "" if self.validation is None else f"  validation {self.validation:.3f}"
        line = (
            f"{status.phase}  step {status.step}  {status.rate:.1f} inst/s  cost {status.cost:.4f}"
            f"  best {status.best:.4f}{score}  {100 * status.progress:.1f}%  {status.remaining / 60:.0f} min left"
        )
        print(f"\r{line}\033[K" if self.terminal else line, end="" if self.terminal else "\n", flush=True)
