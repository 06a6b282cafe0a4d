"""`lgs solve`, `methods`, `models`, `bench files` as a person types them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import lgs
from lgs import io, problems, search
from lgs.cli.display import Display, sparkline
from lgs.model import weights as weights_files

from ..conftest import Run
from ..io.samples import JOBSHOP, KNAPSACK, SOLOMON, TSP, VRP

FILES = {"tsp": ("a.tsp", TSP), "cvrp": ("b.vrp", VRP), "cvrptw": ("c.txt", SOLOMON), "knapsack": ("d.kp", KNAPSACK),
         "jobshop": ("e.jsp", JOBSHOP)}  # fmt: skip
KEYS = {
    "instance",
    "problem",
    "method",
    "cost",
    "feasible",
    "solution",
    "seconds",
    "rollouts",
    "seed",
    "reference",
    "gap",
}


def put(folder: Path, problem: str) -> Path:
    name, text = FILES[problem]
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize("problem", problems.names())
def test_solve_prints_one_json_object(command: Run, tmp_path: Path, weights: dict[str, Path], problem: str) -> None:
    file = put(tmp_path, problem)
    done = command("solve", file, "--json", "-q", "--time", 0.1, "--model", weights[problem], "--seed", 3)
    assert (done.code, done.err) == (0, "")
    (line,) = done.out.splitlines()
    found = json.loads(line)
    assert set(found) >= KEYS
    assert (found["problem"], found["method"], found["feasible"], found["seed"]) == (problem, "lgs", True, 3)
    (tmp_path / "solution.json").write_text(line)
    checked = command("check", file, tmp_path / "solution.json", "--json")
    assert checked.code == 0 and json.loads(checked.out)["cost"] == pytest.approx(found["cost"])


def test_solve_writes_and_draws(command: Run, tmp_path: Path, weights: dict[str, Path]) -> None:
    file, out, picture = put(tmp_path, "cvrp"), tmp_path / "b.sol", tmp_path / "b.png"
    done = command("solve", file, "--time", 0.1, "--model", weights["cvrp"], "--out", out, "--plot", picture)
    assert done.code == 0
    assert f"written: {out}" in done.out and f"written: {picture}" in done.out
    assert command("check", file, out).code == 0
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert "best " in done.err and "\x1b" not in done.err, "plain lines where there is no terminal"


def test_looking_whether_a_file_can_be_written_leaves_it_as_it_was(
    command: Run, tmp_path: Path, weights: dict[str, Path]
) -> None:
    (tmp_path / "old.sol").write_text("old")
    for name in ("old", "new"):
        out = tmp_path / f"{name}.sol"
        words = ("solve", put(tmp_path, "cvrp"), "--out", out, "--plot", tmp_path / "x.png", "--model", "nope")
        assert command(*words).code == 2
    assert (tmp_path / "old.sol").read_text() == "old"
    assert not (tmp_path / "new.sol").exists() and not (tmp_path / "x.png").exists()


def test_solve_prints_the_answer_when_nothing_else_holds_it(
    command: Run, tmp_path: Path, weights: dict[str, Path]
) -> None:
    done = command("solve", put(tmp_path, "cvrp"), "--time", 0.1, "--model", weights["cvrp"], "-q")
    assert "feasible" in done.out and "Route #1: " in done.out


def test_solve_takes_a_directory(command: Run, tmp_path: Path, weights: dict[str, Path]) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.vrp").write_text(VRP)
    (folder / "notes.txt").write_text("no instance\n")
    (folder / "one.sol").write_text("Route #1: 1\n")
    (folder / "large.csv").write_text("x,y\n" + "1,2\n" * 1002)
    done = command("solve", folder, "--time", 0.1, "--model", weights["cvrp"], "--out", out, "--json", "-q")
    assert done.code == 0 and len(done.out.splitlines()) == 2
    assert all(
        f"passed over: {reason}" in done.err
        for reason in (f"{folder / 'notes.txt'}: ", f"{folder / 'large.csv'}: large has")
    )
    assert sorted(path.name for path in out.iterdir()) == ["one.sol", "two.sol"]
    assert all(command("check", folder / f"{name}.vrp", out / f"{name}.sol").code == 0 for name in ("one", "two"))


def test_what_cannot_be_solved_exits_with_3_and_the_reason(command: Run, tmp_path: Path) -> None:
    data = {"problem": "cvrp", "coordinates": [[0, 0], [1, 1], [2, 2]], "demand": [0, 1, 9], "capacity": 5}
    (tmp_path / "heavy.json").write_text(json.dumps(data))
    out = tmp_path / "heavy.sol"
    done = command("solve", tmp_path / "heavy.json", "--out", out)
    assert done.code == 3 and not out.exists()
    assert "customer 2 demands 9, more than the vehicle's capacity of 5" in done.out


def test_a_fleet_that_cannot_carry_everything_exits_with_3_and_says_so(command: Run, tmp_path: Path) -> None:
    """Fifteen to carry, and the one vehicle that the file states takes ten."""
    (tmp_path / "b.vrp").write_text(VRP.replace("CAPACITY : 10", "CAPACITY : 10\nVEHICLES : 1"))
    done = command("solve", tmp_path / "b.vrp", "--json")
    assert done.code == 3 and json.loads(done.out)["solution"] is None
    assert json.loads(done.out)["violations"] == [
        "all customers together demand 15, the 1 vehicles of the file carry 10"
    ]


def test_an_initial_solution_and_a_target(command: Run, tmp_path: Path, weights: dict[str, Path]) -> None:
    file = put(tmp_path, "tsp")
    named = io.read(file)
    (tmp_path / "start.json").write_text("[1, 2, 3, 4, 5]")
    cost = named.check(io.read_solution(tmp_path / "start.json", named)).cost
    words = ("solve", file, "--initial", tmp_path / "start.json", "--model", weights["tsp"], "--json", "-q")
    done = command(*words, "--target", cost, "--time", 600)
    assert done.code == 0 and json.loads(done.out)["cost"] <= cost


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.vrp"], "nothing.vrp"),
        (["empty.vrp"], "empty.vrp"),
        (["."], "no instances"),
        (["b.vrp", "--out", "no/such/dir/x.sol"], "does not exist"),
        (["b.vrp", "--out", "x.tour"], "x.tour"),
        (["b.vrp", "--out", "/proc/x.sol"], "/proc/x.sol: cannot be written"),
        (["b.vrp", "--plot", "x.txt"], ".png"),
        (["b.vrp", "b.vrp", "--out", "x.sol"], "name a directory"),
        (["b.vrp", "b.vrp", "--out", "both"], "two instances"),
        (["b.vrp", "--particles", "many"], "--particles many"),
        (["b.vrp", "--time", "-1"], "time limit"),
        (["b.vrp", "--method", "nope"], "unknown method 'nope'"),
        (["b.vrp", "--model", "nope"], "no weights 'nope'"),
        (["b.vrp", "--initial", "wrong.sol"], "wrong.sol"),
        (["b.vrp", "--initial", "short.sol"], "short.sol: does not fit depots: customer 2 is never visited"),
        (["b.vrp", "--target", "nan"], "the target must be a cost"),
        (["b.vrp", "--augment", "3", "--time", "x"], "--time"),
        (["b.vrp", "a.tsp", "--initial", "short.sol"], "one solution cannot be for 2"),
        ([], "Missing argument"),
    ],
)
def test_bad_input_is_one_line_and_exits_with_2(
    command: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    weights: dict[str, Path],
    words: list[str],
    message: str,
) -> None:
    """Found before the search: the time given would be an hour."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "empty"
    folder.mkdir()
    if words != ["."]:
        put(tmp_path, "cvrp"), put(tmp_path, "tsp")
        (tmp_path / "empty.vrp").touch()
        (tmp_path / "wrong.sol").write_text("Route #1: 99\n")
        (tmp_path / "short.sol").write_text("Route #1: 1\n")
    defaults = ["--model", str(weights["cvrp"])] if "--model" not in words else []
    done = command("solve", *defaults, "--time", 3600, *words)
    assert done.code == 2 and message in done.err and "Traceback" not in done.err
    if done.err.startswith("lgs: "):
        assert len(done.err.splitlines()) == 1


def test_a_problem_without_weights_names_the_training_command(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(weights_files, "SHIPPED", tmp_path)
    done = command("solve", put(tmp_path, "cvrp"))
    assert done.code == 2 and "lgs train fast-cvrp" in done.err
    assert "lgs train fast-tsp" in command("models").out


def test_models_and_methods_are_listed(command: Run) -> None:
    listed = command("methods").out.splitlines()
    assert [line.split()[0] for line in listed] == search.names()
    assert all(len(line.split()) > 3 for line in listed)
    assert command("models").code == 0


def heed_signals() -> None:
    """Whoever runs the tests may ignore interrupts, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_search_with_the_best_so_far(
    tmp_path: Path, weights: dict[str, Path], number: signal.Signals
) -> None:
    file, out = put(tmp_path, "cvrp"), tmp_path / "b.sol"
    words = ["solve", file, "--time", 3600, "--model", weights["cvrp"], "--json", "--out", out]
    process = subprocess.Popen(
        [sys.executable, "-m", "lgs", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=heed_signals,
    )  # fmt: skip
    assert process.stderr is not None
    first = process.stderr.readline()
    process.send_signal(number)
    printed, errors = process.communicate(timeout=120)
    assert "best" in first, errors
    assert process.returncode == 0, errors
    found = json.loads(printed)
    assert found["interrupted"] and found["feasible"] and "Traceback" not in errors
    named = io.read(file)
    assert named.check(io.read_solution(out, named)).feasible


def test_an_early_interrupt_is_one_line(tmp_path: Path) -> None:
    """Whatever is being loaded then: none is lost there, none comes as a traceback."""
    file = put(tmp_path, "cvrp")
    code = (
        "import sys, threading, signal, time; from lgs.cli import main\n"
        "threading.Thread(target=lambda: (time.sleep({}), signal.raise_signal(signal.SIGINT)), daemon=True).start()\n"
        "main()"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code.format(moment), "solve", file, "--time", "3600", "-q"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_signals,
        )
        for moment in (0, 0.1, 0.3, 0.6, 1)
    ]  # fmt: skip
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert process.returncode in (0, 130) and len(errors.splitlines()) <= 1, errors


def test_bench_files(command: Run, tmp_path: Path, weights: dict[str, Path]) -> None:
    file = put(tmp_path, "tsp")
    best = tmp_path / "best.json"
    best.write_text(json.dumps({"a": 40}))
    words = ("bench", "files", file, "--time", 0.1, "--model", weights["tsp"], "--best-known", best)
    found = json.loads(command(*words, "--json").out)
    (row,) = found["instances"]
    assert row["best"] == 40 and row["gap"] == pytest.approx(100 * (row["cost"] - 40) / 40)
    assert found["summary"]["tsp"]["mean_gap"] == pytest.approx(row["gap"])
    table = command(*words)
    assert table.code == 0 and f"mean gap {row['gap']:.2f}%" in table.out
    best.write_text('{"a": "cheap"}')
    assert command(*words).code == 2


def test_names_that_the_terminal_cannot_show_do_not_cost_the_solution(tmp_path: Path, weights: dict[str, Path]) -> None:
    file = tmp_path / "a.tsp"
    file.write_text(TSP.replace("NAME : square", "NAME : 東京"), encoding="utf-8")
    words = [sys.executable, "-m", "lgs", "solve", str(file), "--time", "0.1", "-q", "--model", str(weights["tsp"])]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    plain = subprocess.run(words, env=environment, capture_output=True, timeout=120)
    assert plain.returncode == 0 and plain.stdout.startswith(rb"\u6771\u4eac (tsp): length"), plain.stderr
    as_json = subprocess.run([*words, "--json"], env=environment, capture_output=True, timeout=120)
    assert as_json.returncode == 0 and json.loads(as_json.stdout)["instance"] == "東京"


def test_names_do_not_break_lines(command: Run, tmp_path: Path, weights: dict[str, Path]) -> None:
    """Nor do they reach the terminal as commands."""
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"problem": "tsp", "name": "a\n\x1b[31mb", "coordinates": [[0, 0], [1, 1]]}))
    done = command("solve", file, "--time", 0.1, "-q", "--model", weights["tsp"])
    assert done.code == 0 and done.out.startswith("a [31mb (tsp): length"), done.err
    missing = command("solve", tmp_path / "a\nb.tsp")
    assert missing.code == 2 and len(missing.err.splitlines()) == 1


def test_flags_take_no_value_in_the_help(command: Run) -> None:
    lines = command("solve", "--help").out.splitlines()
    flags = [line for line in lines if " --json " in line or " --quiet " in line]
    assert len(flags) == 2 and not any("<bool>" in line or "BOOL" in line for line in flags)


def test_directories_may_have_dots_in_their_names(command: Run, tmp_path: Path, weights: dict[str, Path]) -> None:
    file, folder = put(tmp_path, "tsp"), tmp_path / "run.1"
    folder.mkdir()
    done = command("solve", file, "--time", 0.1, "-q", "--model", weights["tsp"], "--out", folder)
    assert done.code == 0, done.err
    assert [path.name for path in folder.iterdir()] == ["a.tour"]


def test_sparkline() -> None:
    assert sparkline([], 2.0) == sparkline([(0.0, float("inf"))], 2.0) == ""
    falling = sparkline([(0.0, 8.0), (1.0, 4.0), (2.0, 1.0)], 2.0)
    assert falling[0] == "█" and falling[-1] == "▁" and list(falling) == sorted(falling, reverse=True)
    assert sparkline([(0.0, 8.0), (1.0, 1.0)], 100.0).count("▁") == 32, "it was found early, and time goes on"


def test_the_display_remembers_improvements_not_iterations() -> None:
    """A search of hours has millions of iterations, and the display goes through its memory eight times a second."""
    display, instances = Display(), (lgs.Problem.tsp(coords=[[0, 0], [1, 1]]),)
    for iteration in range(1000):
        cost = 9.0 if iteration < 500 else 4.0
        display(lgs.Progress(instances, (cost,), iteration / 100, 3600.0, iteration, iteration, 0.5))
    assert [cost for _, cost in display._history] == [9.0, 4.0]
