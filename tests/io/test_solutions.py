"""Solution files as others write them, and those that do not fit the instance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lgs import io
from lgs.problems import Solution

from .samples import CSV, JOBSHOP, KNAPSACK, SOLOMON, TSP, VRP, read


def solution(folder: Path, instance: str, name: str, text: str) -> Solution:
    (folder / name).write_text(text)
    return io.read_solution(folder / name, read(folder, instance))


def written(folder: Path, instance: str, name: str, found: Solution, cost: float) -> str:
    io.write_solution(folder / name, read(folder, instance), found, cost)
    return (folder / name).read_text()


def test_sol_as_cvrplib_writes_it(tmp_path: Path) -> None:
    assert written(tmp_path, VRP, "a.sol", [[1, 2], [3]], 54) == "Route #1: 1 2\nRoute #2: 3\nCost 54\n"


@pytest.mark.parametrize(
    "text",
    [
        "Route #1: 1 2\nRoute #2: 3\nCost 54\n",
        "Route #1:   1  2\r\nRoute #2: 3\r\nCost 54.0\r\n",
        "Route 1 : 1 2\nroute 2: 3\ncost : 54\nTime 3.2\n# by hand\n",
        "Route #7: 1 2\nRoute #7: 3\n",
    ],
)
def test_sol_spellings(tmp_path: Path, text: str) -> None:
    assert solution(tmp_path, VRP, "a.sol", text) == [[1, 2], [3]]


def test_tour_in_the_files_numbers(tmp_path: Path) -> None:
    text = written(tmp_path, TSP, "a.tour", [[4, 0, 1, 2, 3]], 44)
    assert "DIMENSION : 5\nTOUR_SECTION\n5\n1\n2\n3\n4\n-1\nEOF" in text
    assert solution(tmp_path, TSP, "a.tour", text) == [[4, 0, 1, 2, 3]]


@pytest.mark.parametrize("text", ["TYPE : TOUR\nTOUR_SECTION\n5 1 2\n3 4 -1\nEOF\n", "TOUR_SECTION\n5\n1\n2\n3\n4\n"])
def test_tour_spellings(tmp_path: Path, text: str) -> None:
    assert solution(tmp_path, TSP, "a.tour", text) == [[4, 0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("instance", "found", "plain"),
    [
        (TSP, [[4, 0, 1, 2, 3]], [5, 1, 2, 3, 4]),
        (VRP, [[1, 2], [3]], [[1, 2], [3]]),
        (KNAPSACK, [[1, 3]], [1, 3]),
        (
            JOBSHOP,
            [[0, 3, 8], [3, 5, 6]],
            [
                {"job": 1, "operation": 1, "machine": 0, "start": 0, "end": 3},
                {"job": 1, "operation": 2, "machine": 1, "start": 3, "end": 5},
                {"job": 2, "operation": 1, "machine": 0, "start": 3, "end": 5},
                {"job": 2, "operation": 2, "machine": 2, "start": 5, "end": 6},
                {"job": 2, "operation": 3, "machine": 1, "start": 6, "end": 10},
                {"job": 1, "operation": 3, "machine": 2, "start": 8, "end": 10},
            ],
        ),
    ],
)
def test_json_is_as_people_count(tmp_path: Path, instance: str, found: Solution, plain: Any) -> None:
    data = json.loads(written(tmp_path, instance, "a.json", found, 5.5))
    assert data["solution"] == plain
    assert data["cost"] == 5.5
    bare = json.dumps(plain)
    assert solution(tmp_path, instance, "b.json", bare) == found


def test_csv_of_stops(tmp_path: Path) -> None:
    assert written(tmp_path, CSV, "a.csv", [[2, 1]], 15) == (
        'route,stop,number,name,load\n1,1,2,Bo,2\n1,2,1,"Ana, the first",3.25\n'
    )
    assert written(tmp_path, KNAPSACK, "b.csv", [[1, 3]], 11) == "number,weight,value\n1,2.5,10.0\n3,0.5,1.0\n"


@pytest.mark.parametrize("name", ["a.json", "a.csv"])
def test_an_empty_knapsack_is_written_and_read_back(tmp_path: Path, name: str) -> None:
    """Where nothing fits it is the only solution."""
    nothing_fits = "2 1\n5 2\n6 3\n"
    text = written(tmp_path, nothing_fits, name, [[]], 0)
    assert solution(tmp_path, nothing_fits, f"again-{name}", text) == [[]]
    assert read(tmp_path, nothing_fits).check([[]]).feasible


def test_csv_of_stops_has_the_times_of_a_route(tmp_path: Path) -> None:
    """The vehicle reaches customer 1 after 5, waits until 10 and leaves at 15."""
    text = written(tmp_path, SOLOMON, "a.csv", [[1], [2]], 20)
    assert text.splitlines() == [
        "route,stop,number,load,arrival,start,departure",
        "1,1,1,4,5.0,10.0,15.0",
        "2,1,2,6,5.0,5.0,10.0",
    ]


def test_csv_of_a_tour(tmp_path: Path) -> None:
    assert written(tmp_path, TSP, "a.csv", [[4, 0, 1, 2, 3]], 44).startswith("stop,number,name\n1,5,5\n2,1,1\n")


@pytest.mark.parametrize(
    ("instance", "name", "text", "parts"),
    [
        (VRP, "a.sol", "Route #1: 1 2\nRoute #2: 4\n", (":2: route 2: '4' is not in depots, which has 1 to 3",)),
        (VRP, "a.sol", "Route #1: 1 0\n", (":1: route 1: '0' is not in depots",)),
        (VRP, "a.sol", "Route #1: 1 -2\n", (":1: route 1: '-2' is not in depots",)),
        (VRP, "a.sol", "Route #1: 1 two\n", (":1: route 1: 'two' is no number",)),
        (VRP, "a.sol", "Route #1: 1 2.5\n", (":1: route 1: '2.5' is no whole number",)),
        (VRP, "a.sol", "1 2 3\n", (":1:", "Route #1: 3 1 2")),
        (VRP, "a.sol", "Cost 5\n", ("there are no routes",)),
        (VRP, "a.sol", "", ("is empty",)),
        (VRP, "a.sol", "Route #1:\n", ("there are no routes",)),
        (VRP, "a.txt", "Route #1: 1 2\n", ("cvrp has files that end in .csv, .json, .sol",)),
        (TSP, "a.sol", "Route #1: 1 2\n", ("tsp has files that end in .csv, .json, .tour",)),
        (TSP, "a.tour", "TOUR_SECTION\n1 2 6\n", (":2: '6' is not in square, which has 1 to 5",)),
        (TSP, "a.tour", "TOUR_SECTION\n0 1 2\n", (":2: '0' is not in square",)),
        (TSP, "a.tour", "TOUR_SECTION\n-1\n", (":1: the tour is empty",)),
        (TSP, "a.tour", "TYPE : TOUR\n", ("TOUR_SECTION is missing",)),
        (TSP, "a.tour", "1\n2\n", (":1:", "outside any section")),
        (TSP, "a.json", "{}", ("solution is missing",)),
        (TSP, "a.json", '{"problem": "cvrp", "solution": [1]}', ("'cvrp', but square is tsp",)),
        (TSP, "a.json", '{"solution": [1, 9]}', ("solution[1]: '9' is not in square",)),
        (TSP, "a.json", '{"solution": 3}', ("solution: a list expected",)),
        (TSP, "a.json", "[]", ("solution: is empty",)),
        (VRP, "a.json", "[[]]", ("solution: is empty",)),
        (JOBSHOP, "a.json", "[]", ("solution: is empty",)),
        (JOBSHOP, "a.csv", "job,operation,start\n", (":1: no rows follow the titles",)),
        (VRP, "a.json", "[1, 2, 3]", ("solution: route is missing",)),
        (VRP, "a.json", "[[1, 2], 3]", ("solution: route is missing",)),
        (VRP, "a.json", "[[1, [2]], [3]]", ("solution[0][1]: a number or text expected, not a list",)),
        (VRP, "a.csv", "number,stop\n1,1\n", (":1: column route is missing",)),
        (VRP, "a.csv", "route,number\n1,1\n1,x\n", (":3: 'x' is no number",)),
        (KNAPSACK, "a.json", "[0]", ("'0' is not in file, which has 1 to 4",)),
        (JOBSHOP, "a.json", "[1, 2]", ("solution: job is missing; job and operation and start",)),
        (JOBSHOP, "a.csv", "job,operation,start\n1,1,0\n1,2,3\n1,3,8\n2,1,3\n2,2,5\n", ("operation 3 of job 2",)),
        (JOBSHOP, "a.csv", "job,operation,start\n1,1,0\n1,1,3\n", (":3: operation 1 of job 1 appears twice",)),
        (JOBSHOP, "a.csv", "job,operation,start\n3,1,0\n", (":2: '3' is not in two, which has 1 to 2",)),
    ],
)
def test_faults(tmp_path: Path, instance: str, name: str, text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(io.ReadError) as caught:
        solution(tmp_path, instance, name, text)
    for part in parts:
        assert part in str(caught.value)


def test_unwritable_places(tmp_path: Path) -> None:
    io.check_writable(tmp_path / "new.sol")
    with pytest.raises(ValueError, match="is a directory"):
        io.check_writable(tmp_path)
    with pytest.raises(ValueError, match="does not exist"):
        io.check_writable(tmp_path / "nowhere" / "a.sol")
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match="does not exist"):
        io.check_writable(tmp_path / "file" / "a.sol")


def test_no_permission_to_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anywhere, so the refusal is staged."""

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(ValueError, match=r"a\.sol: cannot be written: Permission denied"):
        io.check_writable(tmp_path / "a.sol")


def test_looking_leaves_everything_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "old.sol").write_text("old")
    for name in ("old.sol", "new.sol"):
        io.check_writable(tmp_path / name)
    assert (tmp_path / "old.sol").read_text() == "old" and not (tmp_path / "new.sol").exists()


def test_suffixes_are_known_before_the_search(tmp_path: Path) -> None:
    io.check_writable(tmp_path / "a.tour", "tsp")
    with pytest.raises(ValueError, match=r"a\.sol: tsp has files that end in \.csv, \.json, \.tour"):
        io.check_writable(tmp_path / "a.sol", "tsp")
    with pytest.raises(ValueError, match="tsp has files that end in"):
        io.write_solution(tmp_path / "a.sol", read(tmp_path, TSP), [[0, 1, 2, 3, 4]], 44)
