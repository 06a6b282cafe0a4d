"""`lgs generate` and `lgs check` as a person types them: what they print, what they write, how they exit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lgs import cli, io
from lgs.io import schemas

from ..io.samples import JOBSHOP, KNAPSACK, SOLOMON, TSP, VRP


class Done(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def lgs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command line in this process."""

    def run(*words: object) -> Done:
        monkeypatch.setattr("sys.argv", ["lgs", *map(str, words)])
        with pytest.raises(SystemExit) as stopped:
            cli.main()
        code = stopped.value.code
        assert code is None or isinstance(code, int)
        return Done(code or 0, *capsys.readouterr())

    return run


def put(folder: Path, **files: str) -> list[Path]:
    paths = [folder / name.replace("_", ".") for name in files]
    for path, text in zip(paths, files.values()):
        path.write_text(text)
    return paths


def hashes(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


NATIVE = {"tsp": ".tsp", "cvrp": ".vrp", "cvrptw": ".txt", "knapsack": ".kp", "jobshop": ".jsp"}


@pytest.mark.parametrize(
    ("problem", "form", "suffix"),
    [*((name, "json", ".json") for name in NATIVE), *((name, "native", suffix) for name, suffix in NATIVE.items())],
)
def test_generate(lgs: Run, tmp_path: Path, problem: str, form: str, suffix: str) -> None:
    folder = tmp_path / "a" / "b"
    done = lgs("generate", problem, "--size", 5, "--count", 3, "--seed", 4, "--out", folder, "--format", form)
    assert (done.code, done.err) == (0, "")
    assert done.out == f"3 {problem} instances of size 5 (seed 4) in {folder}\n"
    names = [f"{problem}-n5-s4-{number}" for number in (1, 2, 3)]
    assert list(hashes(folder)) == [f"{name}{suffix}" for name in names]
    for name in names:
        named = io.read(folder / f"{name}{suffix}")
        assert (named.name, named.problem.name) == (name, problem)
        assert named.size == {"cvrp": 6, "cvrptw": 6, "jobshop": 25}.get(problem, 5)


def test_generate_again(lgs: Run, tmp_path: Path) -> None:
    """The same seed gives the same files, also when fewer are asked for; another seed gives others."""
    for name, count, seed in (("one", 3, 7), ("two", 2, 7), ("three", 2, 8)):
        assert (
            lgs("generate", "cvrp", "--size", 4, "--count", count, "--seed", seed, "--out", tmp_path / name).code == 0
        )
    one, two, three = (hashes(tmp_path / name) for name in ("one", "two", "three"))
    assert len(set(one.values())) == 3
    assert list(two.values()) == list(one.values())[:2]
    assert not set(three.values()) & set(one.values())


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("sudoku", "--out", "DIR"), "lgs: unknown problem 'sudoku'; known: "),
        (("tsp", "--out", "FILE"), "lgs: "),
        (("tsp", "--out", "FILE/deeper"), "lgs: "),
        (("tsp", "--out", "DIR", "--size", "0"), "size"),
        (("tsp", "--out", "DIR", "--count", "0"), "count"),
        (("tsp", "--out", "DIR", "--size", "1000000000000"), "size"),
        (("tsp", "--out", "DIR", "--format", "yaml"), "yaml"),
        (("tsp", "--out", "DIR", "--machines", "3"), "lgs: tsp has no option 'machines'; it has none\n"),
        (("jobshop", "--out", "DIR", "--machines", "0"), "--machines"),
        (("jobshop", "--out", "DIR", "--machines", "1000000000000"), "--machines"),
        (("tsp", "--out", "DIR", "--seed", "-1"), "--seed"),
        (("tsp", "--out", "DIR", "--seed", str(2**64)), "--seed"),
        (("tsp",), "out"),
    ],
)
def test_generate_refuses(lgs: Run, tmp_path: Path, words: tuple[str, ...], error: str) -> None:
    (tmp_path / "file").touch()
    words = tuple(word.replace("DIR", f"{tmp_path}/new").replace("FILE", f"{tmp_path}/file") for word in words)
    done = lgs("generate", *words)
    assert done.code == 2
    assert error in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "new").exists()


def test_generate_shops_with_fewer_machines_than_jobs(lgs: Run, tmp_path: Path) -> None:
    """Taillard's 20 x 15."""
    done = lgs("generate", "jobshop", "--size", 20, "--machines", 15, "--out", tmp_path)
    assert done == Done(0, f"1 jobshop instance of size 20x15 (seed 0) in {tmp_path}\n", "")
    instance = io.read(tmp_path / "jobshop-n20x15-s0-1.json").instance
    assert (instance.jobs, instance.steps) == (20, 15)


def test_generate_takes_every_seed_of_torch(lgs: Run, tmp_path: Path) -> None:
    assert lgs("generate", "tsp", "--size", 3, "--seed", 2**64 - 1, "--out", tmp_path).code == 0


def test_generate_leaves_nothing_behind_for_a_problem_without_files(
    lgs: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schemas, "names", lambda: ["cvrp"])
    done = lgs("generate", "tsp", "--size", 3, "--out", tmp_path / "new")
    assert done == Done(2, "", "lgs: tsp has no files; add tsp.py to lgs/io/schemas\n")
    assert not (tmp_path / "new").exists()


def test_generate_refuses_what_it_could_not_read_back(lgs: Run, tmp_path: Path) -> None:
    done = lgs("generate", "jobshop", "--size", 400, "--out", tmp_path)
    assert done.code == 2
    assert "160000 nodes are too many for a file" in done.err


def test_check_feasible(lgs: Run, tmp_path: Path) -> None:
    done = lgs("check", *put(tmp_path, a_vrp=VRP, a_sol="Route #1: 1 2\nRoute #2: 3\nCost 54\n"))
    assert done == Done(0, "feasible\nlength 54\ngap -10.00% to 60, the best that a.vrp states\n", "")


def test_check_infeasible(lgs: Run, tmp_path: Path) -> None:
    done = lgs("check", *put(tmp_path, a_vrp=VRP, a_sol="Route #1: 1 3 1\n"))
    assert done.code == 3
    assert done.out.splitlines() == [
        "infeasible: 3 violations",
        "  route 1 carries 17 of 10",
        "  customer 1 is visited 2 times",
        "  customer 2 is never visited",
        "length 60",
        "gap 0.00% to 60, the best that a.vrp states",
    ]


def test_check_speaks_the_files_numbers(lgs: Run, tmp_path: Path) -> None:
    done = lgs("check", *put(tmp_path, a_tsp=TSP, a_tour="TOUR_SECTION\n1 2 3 4 4\n-1\n"))
    assert done.code == 3
    assert "  node 5 is never visited\n  node 4 is visited 2 times\n" in done.out


@pytest.mark.parametrize(
    ("instance", "name", "text", "expected"),
    [
        (TSP, "s.tour", "TOUR_SECTION\n1 2 3 4 5 -1\n", (True, 10 + 10 + 10 + 7 + 7, 46, [])),
        (KNAPSACK, "s.json", "[1, 3, 4]", (True, 15, None, [])),
        (KNAPSACK + "1 0 1 1\n", "s.csv", "number\n2\n3\n", (True, 8, 15, [])),
        (KNAPSACK, "s.json", "[1, 2, 3]", (False, 18, None, ["the items weigh 6 of 5.5"])),
        (JOBSHOP, "s.csv", "job,operation,start\n1,1,0\n1,2,3\n1,3,8\n2,1,3\n2,2,5\n2,3,6\n", (True, 10, None, [])),
        (
            SOLOMON,
            "s.sol",
            "Route #1: 1 2\n",
            (False, 10 + 90**0.5, None, ["route 1 reaches customer 2 at 24.4868, after it closes at 20"]),
        ),
    ],
)
def test_check_json(lgs: Run, tmp_path: Path, instance: str, name: str, text: str, expected: Any) -> None:
    feasible, cost, reference, violations = expected
    [file] = put(tmp_path, i_txt=instance)
    (tmp_path / name).write_text(text)
    done = lgs("check", file, tmp_path / name, "--json")
    assert done.code == (0 if feasible else 3)
    data = json.loads(done.out)
    assert (data["feasible"], data["violations"], data["reference"]) == (feasible, violations, reference)
    assert data["cost"] == pytest.approx(cost, rel=1e-12)
    assert data["problem"] == io.read(file).problem.name


def test_gap_of_what_is_maximised(lgs: Run, tmp_path: Path) -> None:
    """12 of 15 is 20 percent short."""
    files = put(tmp_path, a_kp=KNAPSACK + "1 0 1 1\n", a_json="[2, 4, 3]")
    assert json.loads(lgs("check", *files, "--json").out)["gap"] == pytest.approx(20)


def test_check_of_an_empty_knapsack(lgs: Run, tmp_path: Path) -> None:
    """What `lgs solve` writes where nothing fits."""
    done = lgs("check", *put(tmp_path, a_kp="2 1\n5 2\n6 3\n", a_json='{"problem": "knapsack", "solution": []}'))
    assert done == Done(0, "feasible\nvalue 0\n", "")


@pytest.mark.parametrize(
    ("instance", "solution", "error"),
    [
        ("", "Route #1: 1\n", "a.vrp: is empty"),
        (VRP.replace("CAPACITY : 10", "CAPACITY : 0"), "Route #1: 1\n", "a.vrp:6: the capacity must be positive"),
        (VRP, "Route #1: 7\n", "a.sol:1: route 1: '7' is not in depots, which has 1 to 3"),
        (VRP, "", "a.sol: is empty"),
    ],
)
def test_check_refuses(lgs: Run, tmp_path: Path, instance: str, solution: str, error: str) -> None:
    done = lgs("check", *put(tmp_path, a_vrp=instance, a_sol=solution))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("lgs: ")
    assert error in done.err
    assert done.err.count("\n") == 1


def test_check_missing_file(lgs: Run, tmp_path: Path) -> None:
    done = lgs("check", tmp_path / "a.vrp", tmp_path / "a.sol")
    assert done == Done(2, "", f"lgs: {tmp_path}/a.vrp: no such file\n")
