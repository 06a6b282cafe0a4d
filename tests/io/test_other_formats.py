"""Solomon, job shop and knapsack files."""

from __future__ import annotations

from pathlib import Path

import pytest

from .samples import JOBSHOP, KNAPSACK, SOLOMON, TAILLARD, read, refused


def swap(old: str, new: str, text: str) -> str:
    assert old in text
    return text.replace(old, new)


def test_solomon(tmp_path: Path) -> None:
    named = read(tmp_path, SOLOMON)
    assert (named.problem.name, named.name, named.vehicles) == ("cvrptw", "R3", 2)
    instance = named.instance
    assert instance.demands.tolist() == [[0, 4, 6]]
    assert instance.ready.tolist() == [[0, 10, 0]]
    assert instance.due.tolist() == [[100, 50, 20]]
    assert instance.service.tolist() == [[0, 5, 5]]
    assert instance.places.distances()[0, 1, 2] == pytest.approx(90**0.5, rel=1e-15)  # not rounded


@pytest.mark.parametrize("name", ["2024", "25 trucks", "x,y plan", "type A"])
def test_solomon_names(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, SOLOMON.replace("R3", name)).name == name


def test_solomon_customers_in_any_order(tmp_path: Path) -> None:
    rows = SOLOMON.rstrip("\n").split("\n")
    shuffled = "\n".join([*rows[:-3], rows[-1], rows[-3], rows[-2]])
    assert read(tmp_path, shuffled).instance.demands.tolist() == [[0, 4, 6]]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (swap("  2         10\n", "  2\n", SOLOMON), (":5:", "number of vehicles and their capacity")),
        (swap("  2         10\n", "  2  0\n", SOLOMON), (":5:", "capacity must be positive")),
        (swap("  2         10\n", "  0  10\n", SOLOMON), (":5:", "below 1")),
        (swap("10       50         5", "10       50", SOLOMON), (":11:", "6 values", "number x y demand")),
        (swap("    2      0", "    1      0", SOLOMON), (":12:", "customer 1 appears twice")),
        (swap("    1      3", "    3      3", SOLOMON), ("customer 1 is missing",)),
        (swap("    0      0  ", "    7      0  ", SOLOMON), ("the depot, number 0, is missing",)),
        (swap("    1      3", "    1      NaN", SOLOMON), (":11:", "'NaN' is no number")),
        (swap("4          10 ", "-4          10 ", SOLOMON), (":11:", "negative")),
        (swap("10       50", "60       50", SOLOMON), (":11:", "before ready")),
        (SOLOMON[: SOLOMON.index("    0      0")], (":5:", "no customers follow")),
        (SOLOMON[: SOLOMON.index("    1      3")], ("there are no customers",)),
        (SOLOMON[SOLOMON.index("VEHICLE") :], (":1:", "name of the instance is missing")),
        ("R3\nVEHICLE\nCUSTOMER\n", (":1:", "no numbers follow")),
    ],
)
def test_solomon_faults(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    refused(tmp_path, text, *parts)


def test_jobshop(tmp_path: Path) -> None:
    named = read(tmp_path, JOBSHOP)
    assert (named.problem.name, named.name) == ("jobshop", "two")
    assert named.instance.jobs == 2
    assert named.instance.durations.tolist() == [[3, 2, 2, 2, 1, 4]]
    assert named.instance.machines.tolist() == [[0, 1, 2, 0, 2, 1]]


@pytest.mark.parametrize("text", [TAILLARD, "2 3\n3 2 2\n2 1 4\n1 2 3\n1 3 2\n"])
def test_taillard_layout_is_the_same_shop(tmp_path: Path, text: str) -> None:
    instance, standard = read(tmp_path, text).instance, read(tmp_path, JOBSHOP).instance
    assert instance.durations.tolist() == standard.durations.tolist()
    assert instance.machines.tolist() == standard.machines.tolist()


def test_taillard_upper_bound_is_the_reference(tmp_path: Path) -> None:
    assert read(tmp_path, TAILLARD).reference == 11


@pytest.mark.parametrize(
    ("text", "jobs", "machines"),
    [("3 1\n0 5\n0 6\n0 7\n", 3, 1), ("3 1\n5\n6\n7\n1\n1\n1\n", 3, 1), ("2 2\n5 6\n7 8\n1 2\n2 1\n", 2, 2)],
)
def test_shops_as_narrow_as_a_knapsack(tmp_path: Path, text: str, jobs: int, machines: int) -> None:
    named = read(tmp_path, text)
    assert named.problem.name == "jobshop"
    assert (named.instance.jobs, named.instance.steps) == (jobs, machines)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (swap("2 3\n", "3 3\n", JOBSHOP), (":4:", "ends after 2 rows", "3 rows of 3 pairs")),
        (swap("2 3\n", "1 3\n", JOBSHOP), (":4:", "2 rows", "one instance per file")),
        (swap("2 3\n", "99999999 3\n", JOBSHOP), (":2:", "99999999 jobs")),
        (swap("2 3\n", "0 3\n", JOBSHOP), (":2:", "0 jobs")),
        (swap("2 3\n", "2 x\n", JOBSHOP), (":2:", "'x' is no number")),
        (swap("0 2 2 1 1 4", "0 2 2 1 1", JOBSHOP), (":4:", "5 numbers", "have 6")),
        (swap("0 2 2 1 1 4", "0 2 3 1 1 4", JOBSHOP), (":4:", "machine '3' of job 2", "0 to 2")),
        (swap("0 2 2 1 1 4", "0 2 2 -1 1 4", JOBSHOP), (":4:", "negative")),
        (swap("0 2 2 1 1 4", "0 2 2 1.5 1 4", JOBSHOP), (":4:", "no whole number")),
        (swap("0 2 2 1 1 4", "0 2 2 nan 1 4", JOBSHOP), (":4:", "'nan' is no number")),
        (swap(" 1 3 2\n", "", TAILLARD), ("ends after 3 rows", "2 rows of 3 machines")),
        (swap(" 1 3 2\n", " 1 4 2\n", TAILLARD), (":8:", "machine '3' of job 2")),
        ("Times\nMachines\n", (":1:", "no numbers follow")),
    ],
)
def test_jobshop_faults(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    refused(tmp_path, text, *parts)


def test_knapsack(tmp_path: Path) -> None:
    named = read(tmp_path, KNAPSACK, "items.kp")
    assert (named.problem.name, named.name, named.reference) == ("knapsack", "items", None)
    assert named.instance.values.tolist() == [[10, 7, 1, 4]]
    assert named.instance.weights.tolist() == [[25, 30, 5, 10]]
    assert named.instance.capacity.tolist() == [55]
    assert named.instance.unit == 0.1


def test_knapsack_with_its_optimal_choice(tmp_path: Path) -> None:
    assert read(tmp_path, KNAPSACK + "1 0 1 1\n").reference == 15


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (swap("4 5.5", "5 5.5", KNAPSACK), (":5:", "ends after 4 of 5 items")),
        (swap("4 5.5", "3 5.5", KNAPSACK), (":5:", "expected nothing after 3 items")),
        (swap("4 5.5", "4", KNAPSACK), (":1:", "number of items and the capacity")),
        (swap("4 5.5", "4 0", KNAPSACK), (":1:", "capacity must be positive")),
        (swap("4 5.5", "4 x", KNAPSACK), (":1:", "'x' is no number")),
        (swap("4 5.5", "0 5", KNAPSACK), (":1:", "below 1")),
        (swap("4 5.5", "10000000000 5", KNAPSACK), (":1:", "too many")),
        (swap("7 3\n", "7 -3\n", KNAPSACK), (":3:", "negative")),
        (swap("7 3\n", "-7 3\n", KNAPSACK), (":3:", "negative")),
        (swap("7 3\n", "7 inf\n", KNAPSACK), (":3:", "'inf' is no number")),
        (swap("7 3\n", "7\n", KNAPSACK), (":3:", "1 numbers")),
    ],
)
def test_knapsack_faults(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    refused(tmp_path, text, *parts)
