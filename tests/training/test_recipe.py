"""Recipes: shipped ones load, and every mistake is one line that says what is wrong and where."""

from __future__ import annotations

from pathlib import Path

import pytest

from lgs import problems
from lgs.training import recipe

GOOD = """
steps = 4
[model]
problem = "tsp"
dim = 16
heads = 2
[[phase]]
name = "first"
share = 1
sizes = [5, 6]
batch = 2
particles = 3
loss = "cost_weighted"
settings = { tau = 3, form = "paper" }
[[phase]]
name = "second"
share = 3
sizes = [7]
batch = 2
particles = 3
loss = "poppy"
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    return path


@pytest.mark.parametrize("name", recipe.names())
def test_shipped_recipes(name: str) -> None:
    loaded = recipe.load(name)
    kind, problem = name.split("-")
    assert kind in ("fast", "paper")
    assert loaded.model.problem == problem
    assert loaded.phases[-1].latent, "the last phase leaves a model with latents"
    if kind == "paper":
        (phase,) = loaded.phases
        assert (phase.batch, phase.particles, phase.lr, phase.settings["beta"]) == (128, 100, (5e-4, 5e-4), 0.01)


def test_there_is_a_recipe_of_each_kind_for_every_problem() -> None:
    assert set(recipe.names()) == {f"{kind}-{problem}" for kind in ("fast", "paper") for problem in problems.names()}


def test_phases_share_the_budget(file: Path) -> None:
    loaded = recipe.load(file)
    assert [(loaded.phase_at(p)[0].name, loaded.phase_at(p)[1]) for p in (0.0, 0.125, 0.25, 0.625, 1.0)] == [
        ("first", 0.0),
        ("first", 0.5),
        ("second", 0.0),
        ("second", 0.5),
        ("second", 1.0),
    ]


def test_settings_are_changed_from_outside(file: Path) -> None:
    loaded = recipe.load(
        file,
        {
            "phase.1.batch": "64",
            "model.layers": "1",
            "phase.0.settings.tau": "2",
            "phase.1.lr": "[1e-3, 0]",
            "seed": "7",
        },
    )
    first, second = loaded.phases
    assert (second.batch, loaded.model.layers, first.settings["tau"], second.lr) == (64, 1, 2, (1e-3, 0.0))
    assert loaded.seed == 7 and isinstance(second.lr[1], float)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"colour": "3"}, "recipe: unknown key 'colour'; known: hours, steps"),
        ({"phase.0.colour": "3"}, "phase 'first': unknown key 'colour'"),
        ({"model.colour": "3"}, "model: unknown key 'colour'"),
        ({"phase.0.settings.colour": "3"}, "loss 'cost_weighted': unknown key 'colour'; known: form, tau"),
        ({"phase.0.settings.tau": "-1"}, "tau and tau_end must be positive"),
        ({"phase.0.settings.tau": "hot"}, "loss 'cost_weighted': tau must be a number, is 'hot'"),
        ({"phase.0.settings.form": "square"}, "form must be one of 'paper', 'normalised', is 'square'"),
        ({"phase.1.settings": "{ beta = 1.0 }"}, "loss 'poppy': unknown key 'beta'; known: none"),
        ({"phase.0.loss": "best"}, "unknown loss 'best'; known: cost_weighted"),
        ({"phase.0.batch": "0"}, "batch must be at least 1, is 0"),
        ({"phase.0.batch": "many"}, "phase 'first': batch must be a whole number, is 'many'"),
        ({"phase.0.batch": "2.5"}, "batch must be a whole number, is 2.5"),
        ({"phase.0.sizes": "[]"}, "sizes must be positive integers"),
        ({"phase.0.sizes": "5"}, "sizes must be a list of one or more numbers, is 5"),
        ({"phase.0.lr": "1e-3"}, "lr must be a list of 2 numbers"),
        ({"phase.0.latent": "yes"}, "latent must be true or false, is 'yes'"),
        ({"phase.0.share": "0"}, "share must be positive"),
        ({"phase.0.name": "second"}, "phases need different names"),
        ({"phase.0.name": "5"}, "name must be text, is 5"),
        ({"steps": "0"}, "give a budget: either hours or steps"),
        ({"hours": "1"}, "give a budget: either hours or steps"),
        ({"seed": "x"}, "recipe: seed must be a whole number, is 'x'"),
        ({"clip": "0"}, "clip must be positive, is 0"),
        ({"ema": "1"}, "ema must be in [0, 1)"),
        ({"model.problem": "golf"}, "unknown problem 'golf'"),
        ({"model.latent": "0"}, "needs latent = false in every phase"),
        ({"phase.7.batch": "1"}, "--set phase.7.batch: no entry '7'"),
        ({"phase.one.batch": "1"}, "--set phase.one.batch: no entry 'one'"),
        ({"phase.0": "1"}, "--set phase.0: '0' is not inside a table"),
        ({"steps.more": "1"}, "--set steps.more: 'more' is not inside a table"),
        ({"steps.more.still": "1"}, "--set steps.more.still: 'more' is not inside a table"),
    ],
)
def test_mistakes_are_one_line(file: Path, changes: dict[str, str], words: str) -> None:
    with pytest.raises(ValueError) as caught:
        recipe.load(file, changes)
    message = str(caught.value)
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("steps = 1\n", "problem is missing"),
        (GOOD.replace('name = "first"', ""), "phase 0: name is missing"),
        (GOOD.replace("steps = 4", ""), "give a budget"),
        (GOOD.split("[[phase]]")[0], "at least one [[phase]]"),
        ("phase = 3\n", "any number of [[phase]]"),
        ("steps = = 1\n", "not valid TOML"),
    ],
)
def test_mistakes_in_the_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ValueError) as caught:
        recipe.load(path)
    assert words in str(caught.value) and str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_recipe_names_the_shipped_ones() -> None:
    with pytest.raises(ValueError, match=r"no recipe 'fastest': neither a file nor shipped .*fast-tsp"):
        recipe.load("fastest")
