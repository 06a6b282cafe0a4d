"""Our own formats: all five problems, by coordinates or matrix, names kept; every fault named with its field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lgs import io

from .samples import CSV, JSON, read, refused

BAKERY: dict[str, Any] = json.loads(JSON)
MATRIX = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]


def changed(**changes: Any) -> str:
    """The sample with fields changed; None removes one."""
    data = {**BAKERY, **changes}
    return json.dumps({key: value for key, value in data.items() if value is not None})


def test_json_cvrp(tmp_path: Path) -> None:
    named = read(tmp_path, JSON)
    assert (named.problem.name, named.name, named.labels) == ("cvrp", "bakery", ("Bakery", "Ana", "Bo"))
    assert named.instance.demands.tolist() == [[0, 125, 200]]
    assert named.instance.capacity.tolist() == [350]
    assert named.instance.unit == 0.01
    assert named.check([[1], [2]]).cost == 15


def test_json_tsp_metrics(tmp_path: Path) -> None:
    points = [[0, 0], [1, 1], [5, 5]]
    for metric, length in {"euclidean": 2**0.5, "rounded": 1, "ceil": 2, "att": 1, "geo": 158}.items():
        named = read(tmp_path, json.dumps({"problem": "tsp", "coordinates": points, "metric": metric}), "three.json")
        assert named.name == "three"
        assert named.instance.places.distances()[0, 0, 1].item() == pytest.approx(length, rel=1e-15)


def test_json_asymmetric_matrix(tmp_path: Path) -> None:
    named = read(tmp_path, json.dumps({"problem": "tsp", "matrix": MATRIX}))
    assert named.instance.places.distances()[0].tolist() == MATRIX
    assert named.check([[0, 1, 2]]).cost == 1 + 4 + 5


def test_json_cvrptw(tmp_path: Path) -> None:
    text = changed(problem="cvrptw", ready=[0, 1, 2.5], due=[50, 10, 20], service=[0, 1, 1], vehicles=2, reference=15)
    named = read(tmp_path, text)
    assert named.instance.ready.tolist() == [[0, 1, 2.5]]
    assert named.instance.due.tolist() == [[50, 10, 20]]
    assert (named.vehicles, named.reference) == (2, 15)


def test_json_knapsack_and_jobshop(tmp_path: Path) -> None:
    named = read(tmp_path, '{"problem": "knapsack", "capacity": 3, "weight": [1.5, 2], "value": [4, 5.25]}')
    assert named.instance.weights.tolist() == [[15, 20]]
    assert named.instance.values.tolist() == [[4, 5.25]]
    named = read(tmp_path, '{"problem": "jobshop", "duration": [[3, 2], [1, 4]], "machine": [[0, 1], [1, 0]]}')
    assert named.instance.durations.tolist() == [[3, 2, 1, 4]]
    assert named.instance.machines.tolist() == [[0, 1, 1, 0]]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{", (":1:", "not valid JSON")),
        ('{"problem": "tsp",\n "coordinates": [[0 0]]}', (":2:", "not valid JSON")),
        ("[1, 2]", ("an object", "'problem'")),
        ("{}", ("problem is missing", "tsp")),
        (changed(problem="sudoku"), ("problem: unknown 'sudoku'", "jobshop")),
        (changed(problem=3), ("problem", "unknown '3'")),
        (changed(problem=["tsp"]), ("problem: text expected, not a list",)),
        (changed(demands=[1]), ("unknown field 'demands'", "demand")),
        (changed(maximum_route_length=7), ("unknown field 'maximum_route_length'",)),
        (changed(capacity=None), ("capacity is missing",)),
        (changed(capacity=0), ("capacity: the capacity must be positive",)),
        (changed(capacity="much"), ("capacity: 'much' is no number",)),
        (changed(capacity=[1]), ("capacity: a number or text expected, not a list",)),
        (changed(demand=[0, 1]), ("demand has 2 values for 3 nodes",)),
        (changed(demand=[0, -1, 2]), ("demand[1]: the demand '-1'",)),
        (changed(demand=[0, True, 2]), ("demand[1]: a number or text expected, not true",)),
        (changed(demand=[0, "two", 2]), ("demand[1]: 'two' is no number",)),
        (changed(demand=[0, [1], 2]), ("demand[1]: a number or text expected, not a list",)),
        (changed(demand=[1, 1, 2]), ("demand[0]: the depot's demand must be 0",)),
        (changed(demand=7), ("demand: a list expected, not '7'",)),
        (changed(demand=[0, 1e-10, 2]), ("demand[1]:", "too small for 9 decimals")),
        (JSON.replace("1.25", "NaN"), ("demand[1]", "'NaN' is no number")),
        (JSON.replace("1.25", "-Infinity"), ("demand[1]", "'-Infinity' is no number")),
        (JSON.replace("1.25", "1e999"), ("demand[1]: '1e999' is too large",)),
        (JSON.replace("1.25", "9" * 5000), ("demand[1]:", "is no number")),
        (JSON.replace('"metric": "euclidean"', '"capacity": 3'), ("field 'capacity' appears twice",)),
        (changed(coordinates=None), ("coordinates or a matrix are missing",)),
        (changed(coordinates=[[0, 0], [1, 1]]), ("demand has 3 values for 2 nodes",)),
        (changed(coordinates=[[0, 0], [1], [2, 2]]), ("coordinates[1]: x and y expected, not 1 numbers",)),
        (changed(coordinates=[[0, 0], [1, None], [2, 2]]), ("coordinates[1][1]: a number or text expected, not null",)),
        (changed(coordinates=[]), ("coordinates: is empty",)),
        (changed(metric="manhattan"), ("metric: unknown 'manhattan'", "rounded")),
        (changed(matrix=MATRIX), ("metric: a matrix says all distances",)),
        (changed(metric=None, matrix=MATRIX[:2]), ("matrix: 2 rows for 3 coordinates",)),
        (changed(metric=None, coordinates=None, matrix=MATRIX[:2]), ("matrix[0]: 3 numbers in a matrix of 2 rows",)),
        (changed(metric=None, matrix=[[0, 1, 2], [3, 0, -4], [5, 6, 0]]), ("matrix: the distance -4 from node 2",)),
        (changed(metric=None, matrix=[[0, 1, 2], [3, 0, "x"], [5, 6, 0]]), ("matrix[1][2]: 'x' is no number",)),
        (changed(names=["A", "B"]), ("names: 2 names for 3",)),
        (changed(names=["A", "B", {}]), ("names[2]: text expected, not an object",)),
        (changed(vehicles=0), ("vehicles:", "below 1")),
        (changed(reference="best"), ("reference: 'best' is no number",)),
        ('{"problem": "knapsack", "capacity": 3, "weight": [1, 2], "value": [4]}', ("value has 1 values for 2",)),
        ('{"problem": "knapsack", "capacity": 3, "weight": [], "value": []}', ("there are no items",)),
        ('{"problem": "jobshop", "duration": [[3, 2], [1]], "machine": [[0, 1], [1, 0]]}', ("duration[1]", "job 2")),
        ('{"problem": "jobshop", "duration": [[3, 2], []], "machine": [[0, 1], [1, 0]]}', ("job 2 has 0",)),
        ('{"problem": "jobshop", "duration": [[3, 2]], "machine": [[0, 2]]}', ("machine[0][1]: machine '2' of job 1",)),
        ('{"problem": "jobshop", "duration": [[3, 2]], "machine": []}', ("machine has 0 jobs, duration has 1",)),
        ('{"problem": "jobshop", "duration": []}', ("machine is missing",)),
        ('{"problem": "jobshop", "duration": [], "machine": []}', ("there are no operations",)),
        ("[" * 100_000, ("lists within lists",)),
        ("[" * 600_000, ("more than 500,000 lists",)),
    ],
)  # fmt: skip
def test_json_faults(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    refused(tmp_path, text, *parts)


def test_json_on_one_long_line(tmp_path: Path) -> None:
    """Lines of other formats are limited, JSON may come without any line end."""
    text = json.dumps({"problem": "tsp", "coordinates": [[0, 0], [3, 4]], "comment": "x" * (9 << 20)})
    assert read(tmp_path, text).size == 2


def test_csv(tmp_path: Path) -> None:
    named = read(tmp_path, CSV)
    assert (named.problem.name, named.name) == ("cvrp", "bakery")
    assert named.labels == ("Bakery", "Ana, the first", "Bo")
    assert named.instance.demands.tolist() == [[0, 125, 200]]
    assert named.check([[1], [2]]).cost == 15


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_csv_delimiters(tmp_path: Path, delimiter: str) -> None:
    text = CSV.replace("Ana, the first", "Ana").replace(",", delimiter)
    assert read(tmp_path, text).instance.demands.tolist() == [[0, 125, 200]]


def test_csv_columns_tell_the_problem(tmp_path: Path) -> None:
    assert read(tmp_path, "x,y\n0,0\n1,2\n", "two.csv").problem.name == "tsp"
    windows = "# capacity: 9\nName,X,Y,Demand,Ready,Due,Service\nD,0,0,0,0,50,0\nA,3,4,2,5,20,1\n"
    named = read(tmp_path, windows)
    assert named.problem.name == "cvrptw"
    assert named.instance.due.tolist() == [[50, 20]]
    items = read(tmp_path, "# capacity: 9\nname,weight,value\nhammer,2.5,3\nnails,1,1\n")
    assert items.problem.name == "knapsack"
    assert items.labels == ("hammer", "nails")


def test_csv_says_more_above_its_titles(tmp_path: Path) -> None:
    about = "# metric: rounded\n# reference: 12\n# vehicles: 3\n# just a remark\n# comment: ours\n"
    named = read(tmp_path, about + CSV)
    assert (named.reference, named.vehicles, named.comment) == (12, 3, "ours")
    assert named.instance.places.metric == "rounded"


def test_csv_matrix(tmp_path: Path) -> None:
    """The columns of a matrix may come in any order."""
    named = read(tmp_path, "# capacity: 5\nname,demand,Bo,Depot,Ana\nDepot,0,2,0,1\nAna,3,4,3,0\nBo,2,0,5,6\n")
    assert named.problem.name == "cvrp"
    assert named.instance.places.distances()[0].tolist() == MATRIX
    assert read(tmp_path, "name,A,B\nA,0,3\nB,4,0\n").problem.name == "tsp"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (CSV.replace("# capacity: 3.5\n", ""), (":2:", "capacity is missing", "# capacity: 100")),
        (CSV.replace("# capacity: 3.5", "# capacity: 0"), (":2:", "capacity must be positive")),
        (CSV.replace("1.25", "-1.25"), (":5:", "'-1.25'", "negative")),
        (CSV.replace("1.25", "lots"), (":5:", "'lots' is no number")),
        (CSV.replace("1.25", "nan"), (":5:", "'nan' is no number")),
        (CSV.replace("1.25", ""), (":5:", "'' is no number")),
        (CSV.replace(",1.25", ""), (":5:", "3 values under 4 titles")),
        (CSV.replace("Bakery,0,0,0", "Bakery,0,0,1"), (":4:", "depot's demand must be 0")),
        (CSV.replace("x,y,demand", "x,y,weight"), ("column", "value", "missing")),
        (CSV.replace("x,y,demand", "x,y,ready"), (":3:", "column demand is missing")),
        (CSV.replace("x,y,demand", "x,x,demand"), (":3:", "'x' appears twice")),
        (CSV.replace("x,y,demand", "x,z,demand"), (":3:", "column y is missing")),
        (CSV.replace("x,y,demand", "a,b,demand"), (":3:", "'a' is unknown")),
        (CSV.replace("x,y,demand", "x,y,weight").replace("Bo,0", "Bo,0"), ("missing",)),
        ("# capacity: 4\nname,x,y,demand,weight\nA,0,0,0,0\n", (":2:", "no problem has the columns demand, weight")),
        ("# capacity: 4\nname,x,y,demand\n", (":2:", "no rows follow")),
        ("# capacity: 4\nname,demand\nA,0\nB,1\n", (":2:", "columns x and y")),
        ("# metric: lunar\nx,y\n0,0\n", (":1:", "unknown metric 'lunar'")),
        ("# metric: ceil\nname,A,B\nA,0,3\nB,4,0\n", (":1:", "a matrix says all distances")),
        ("name,A,B\nA,0,3\nA,4,0\n", (":1:", "'B' is unknown")),
        ("name,A\nA,0\nA,4\n", (":1:", "'A' is not of one node alone")),
        ("name,A\nA,0\nx,4\n", (":1:", "'x' is not of one node alone")),
        ("name,A\nA,0\nB,4\n", (":1:", "column B is missing")),
        ('x,y\n0,0\n1,"2\n', (":3:", "not valid CSV")),
    ],
)
def test_csv_faults(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    refused(tmp_path, text, *parts)


def test_instances_are_not_written_as_csv(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"out\.csv: cvrp has files that end in \.json, \.vrp"):
        io.write(tmp_path / "out.csv", read(tmp_path, CSV))
