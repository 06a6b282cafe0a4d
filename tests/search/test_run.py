"""The run: who ends it, who watches it, how to run it again."""

from __future__ import annotations

import json
import os
import signal
from typing import Any

import pytest
import torch

from lgs import search
from lgs.search import Budget, ChainRecorder, Progress, run

from . import small

LGS = search.parameters("lgs", {"particles": 6, "intervals": (2,)})


def test_an_interrupt_keeps_the_best_so_far() -> None:
    def impatient(progress: Progress) -> None:
        if progress.iteration == 3:
            raise KeyboardInterrupt

    result = run(search.load("lgs"), small.target(), Budget(), LGS, [impatient])
    assert result.stopped == "interrupted" and result.iterations == 3 and result.feasible


def test_termination_is_an_interrupt_and_the_handler_is_given_back() -> None:
    before = signal.getsignal(signal.SIGTERM)

    def terminate(progress: Progress) -> None:
        if progress.iteration == 2:
            os.kill(os.getpid(), signal.SIGTERM)

    result = run(search.load("lgs"), small.target(), Budget(iterations=1000), LGS, [terminate])
    assert result.stopped == "interrupted" and result.feasible
    assert signal.getsignal(signal.SIGTERM) is before


def test_an_interrupt_before_anything_is_known_goes_through() -> None:
    class Slow:
        __name__ = "slow"
        Params = search.load("sampling").Params

        def init(self, *_: Any) -> None:
            raise KeyboardInterrupt

        step = init

    with pytest.raises(KeyboardInterrupt):
        run(Slow(), small.target(), Budget(iterations=1))  # type: ignore[arg-type]


def test_observers_see_every_step() -> None:
    seen: list[Progress] = []
    result = run(search.load("lgs"), small.target(batch=2), Budget(iterations=4), LGS, [seen.append])
    assert [progress.iteration for progress in seen] == [0, 1, 2, 3, 4]
    assert [progress.rollouts for progress in seen] == [6, 12, 18, 24, 30]
    assert seen[0].info is None and seen[-1].info is not None
    assert torch.equal(seen[-1].best, result.costs)
    accepted = [progress.info.accepted.double().mean() for progress in seen[1:]]  # type: ignore[union-attr]
    assert result.acceptance == pytest.approx(float(sum(accepted)) / 4)


def test_a_method_that_finishes_ends_the_run() -> None:
    result = run(search.load("greedy"), small.target(), Budget(seconds=60))
    assert result.stopped == "finished" and result.rollouts == 6


def test_settings_run_it_again() -> None:
    target = small.target("cvrp", 2, decoding="sampled", augment=4, seed=9)
    first = run(search.load("lgs"), target, Budget(iterations=5), LGS)
    told = json.loads(json.dumps(first.settings()))
    again = run(
        search.load(told["method"]),
        small.target("cvrp", 2, decoding=told["decoding"], augment=told["augment"], seed=told["seed"]),
        Budget(**told["budget"]),
        search.parameters(told["method"], told["params"]),
    )
    assert torch.equal(again.actions, first.actions) and again.settings() == first.settings()


def test_chains_as_inference_data() -> None:
    recorder = ChainRecorder(row=1, coordinates=2)
    run(search.load("parallel"), small.target(batch=2), Budget(iterations=50), small_chains("parallel"), [recorder])
    data = recorder.inference_data()
    assert data.posterior["cost"].shape == (6, 50) and data.posterior["z"].shape == (6, 50, 2)
    summary = recorder.summary()
    assert 0 < summary["acceptance"] <= 1 and summary["ess_cost"] > 1 and summary["rhat_z"] > 0.9


def test_recording_needs_chains_and_steps() -> None:
    with pytest.raises(ValueError, match="no chains to record"):
        run(search.load("sampling"), small.target(), Budget(iterations=1), observers=[ChainRecorder()])
    with pytest.raises(ValueError, match="no step was recorded"):
        ChainRecorder().inference_data()


def small_chains(name: str) -> Any:
    return search.parameters(name, {"particles": 6, "lam": 1.0})


class TestSettings:
    def test_text_and_values(self) -> None:
        made = search.parameters(
            "lgs", {"particles": "40", "lam": "1e3", "intervals": "[1, 2]", "restart": "true", "interaction": "split"}
        )
        assert (made.particles, made.lam, made.intervals) == (40, 1000.0, (1, 2))
        assert made.restart is True and made.interaction == "split"
        assert search.parameters("lgs", {"lam": 5}).lam == 5.0

    @pytest.mark.parametrize(
        ("name", "values", "message"),
        [
            ("lgs", {"particles": 0}, "particles must be at least 1, is 0"),
            ("lgs", {"particles": "many"}, "cannot read 'many'"),
            ("lgs", {"particles": 1.5}, "particles must be int, is 1.5"),
            ("lgs", {"lam": float("inf")}, "lam must be finite"),
            ("lgs", {"interaction": "none"}, "must be one of simultaneous, distinct, split, is 'none'"),
            ("lgs", {"intervals": [0]}, "each interval must be at least 1"),
            ("lgs", {"intervals": "3"}, "list of whole numbers"),
            ("lgs", {"crossover": 0.0}, "crossover must be above 0"),
            ("eas", {"variant": "x"}, "variant must be one of emb, lay"),
            ("single", {"particles": 2}, "one chain per instance"),
            ("beam", {"width": 9, "widest": 3}, "widest must be at least 9"),
        ],
    )
    def test_values_that_make_no_sense(self, name: str, values: dict[str, Any], message: str) -> None:
        with pytest.raises(ValueError, match=message):
            search.parameters(name, values)
