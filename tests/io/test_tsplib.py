"""TSPLIB: every weight type and matrix layout against hand-computed distances; every fault named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from lgs import io

from .samples import MATRIX, TSP, read, refused

FULL = [[0, 3, 4, 5], [3, 0, 6, 7], [4, 6, 0, 8], [5, 7, 8, 0]]
LAYOUTS = {
    "FULL_MATRIX": "0 3 4 5 3 0 6 7 4 6 0 8 5 7 8 0",
    "UPPER_ROW": "3 4 5 6 7 8",
    "UPPER_DIAG_ROW": "0 3 4 5 0 6 7 0 8 0",
    "LOWER_ROW": "3 4 6 5 7 8",
    "LOWER_DIAG_ROW": "0 3 0 4 6 0 5 7 8 0",
    "UPPER_COL": "3 4 6 5 7 8",
    "UPPER_DIAG_COL": "0 3 0 4 6 0 5 7 8 0",
    "LOWER_COL": "3 4 5 6 7 8",
    "LOWER_DIAG_COL": "0 3 4 5 0 6 7 0 8 0",
}


def explicit(numbers: str, layout: str = "FULL_MATRIX", kind: str = "TSP", size: int = 4) -> str:
    return (
        f"NAME: m\nTYPE: {kind}\nDIMENSION: {size}\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {layout}\n"
        f"EDGE_WEIGHT_SECTION\n{numbers}\nEOF\n"
    )


def distances(named: io.Named) -> list[list[float]]:
    return named.instance.places.distances()[0].tolist()


def test_what_a_file_says(tmp_path: Path) -> None:
    named = read(tmp_path, TSP)
    assert (named.problem.name, named.name, named.size) == ("tsp", "square", 5)
    assert named.comment == "a square and its middle (Optimal value: 46)"
    assert named.reference == 46
    assert named.labels == ("1", "2", "3", "4", "5")
    assert named.number(0) == 1
    assert distances(named)[0] == [0, 10, 14, 10, 7]  # rounded, as TSPLIB's


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("breaks", [" ", "\n", "  \n "])
def test_matrix_layouts(tmp_path: Path, layout: str, breaks: str) -> None:
    assert distances(read(tmp_path, explicit(LAYOUTS[layout].replace(" ", breaks), layout))) == FULL


@pytest.mark.parametrize(
    ("kind", "length"),
    # From (0, 0) to (3.5, 4): sqrt(28.25) = 5.32; ATT: sqrt(2.825) = 1.68; GEO: 3 degrees 50 minutes north and
    # 4 degrees east are acos(cos 3.833 cos 4) = 0.09667 radians or 616.6 km, and TSPLIB adds 1 and truncates.
    [("EUC_2D", 5), ("CEIL_2D", 6), ("ATT", 2), ("EXACT_2D", 28.25**0.5), ("GEO", 617)],
)
def test_weight_types(tmp_path: Path, kind: str, length: float) -> None:
    text = TSP.replace("EUC_2D", kind).replace("2 0 10", "2 3.5 4")
    assert distances(read(tmp_path, text))[0][1] == pytest.approx(length, rel=1e-12)


def test_att_rounds_up(tmp_path: Path) -> None:
    text = TSP.replace("EUC_2D", "ATT").replace("2 0 10", "2 7 7")  # sqrt(9.8) = 3.13 becomes 4
    assert distances(read(tmp_path, text))[0][1] == 4


def test_asymmetric(tmp_path: Path) -> None:
    named = read(tmp_path, explicit("9999 1 2  3 9999 4  5 6 9999", kind="ATSP", size=3))
    assert distances(named) == [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    assert named.check([[0, 1, 2]]).cost == 1 + 4 + 5
    assert named.check([[2, 1, 0]]).cost == 6 + 3 + 2


def test_display_coordinates_are_seen_but_not_measured(tmp_path: Path) -> None:
    text = MATRIX.replace("EOF", "DISPLAY_DATA_SECTION\n1 0 0\n2 1 0\n3 2 0\n4 4 0\nEOF")
    places = read(tmp_path, text).instance.places
    assert places.coords[0].tolist() == [[0, 0], [1, 0], [2, 0], [4, 0]]
    assert places.distances()[0].tolist() == FULL


@pytest.mark.parametrize(
    "text",
    [
        TSP.replace(" : ", ":"),
        TSP.replace(" : ", ": "),
        TSP.replace(" : ", "\t:\t"),
        TSP.replace("DIMENSION : 5", "dimension 5"),
        TSP.replace("TYPE : TSP\n", "TYPE : TSP (M. Somebody)\n"),
        TSP.replace("TYPE : TSP\n", ""),
        TSP.replace("NODE_COORD_SECTION", "NODE_COORD_SECTION :  "),
        TSP.replace("EOF", ""),
        TSP.replace("EOF", "EOF\nwhatever follows\n"),
        TSP.replace("COMMENT", "COMMENT : first\nCOMMENT"),
        TSP.replace("10 10", "1.0e1 10.00"),
        TSP.replace("1 0 0\n2 0 10\n", "2 0 10\n  1   0  0  \n\n"),
    ],
)
def test_spellings(tmp_path: Path, text: str) -> None:
    assert distances(read(tmp_path, text)) == distances(read(tmp_path, TSP))


def test_nodes_counted_from_0(tmp_path: Path) -> None:
    text = TSP
    for node in range(1, 6):
        text = text.replace(f"\n{node} ", f"\n{node - 1} ")
    named = read(tmp_path, text)
    assert named.labels == ("0", "1", "2", "3", "4")
    assert named.number(0) == 0


def test_the_checker_speaks_the_files_numbers(tmp_path: Path) -> None:
    assert read(tmp_path, TSP).check([[0, 1, 2, 2]]).violations == (
        "node 4 is never visited",
        "node 5 is never visited",
        "node 3 is visited 2 times",
    )


def swap(old: str, new: str, text: str = TSP) -> str:
    assert old in text
    return text.replace(old, new)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (swap("NODE_COORD_SECTION", "NODE_COORDS_SECTION"), (":6:", "unsupported section", "NODE_COORDS_SECTION")),
        (swap("EOF", "FIXED_EDGES_SECTION\n1 2\n-1"), (":12:", "section", "FIXED_EDGES_SECTION")),
        (swap("DIMENSION", "WEATHER : fine\nDIMENSION"), (":4:", "entry", "WEATHER")),
        (swap("TYPE : TSP", "TYPE : SOP"), (":3:", "TYPE 'SOP'")),
        (swap("EUC_2D", "EUC_9D"), (":5:", "EDGE_WEIGHT_TYPE 'EUC_9D'", "CEIL_2D")),
        (swap("EDGE_WEIGHT_TYPE : EUC_2D\n", ""), ("EDGE_WEIGHT_TYPE is missing",)),
        (swap("DIMENSION : 5\n", ""), ("DIMENSION is missing",)),
        (swap("DIMENSION : 5", "DIMENSION : 6"), (":6:", "5 rows", "DIMENSION is 6")),
        (swap("DIMENSION : 5", "DIMENSION : 4"), (":6:", "5 rows", "DIMENSION is 4")),
        (swap("DIMENSION : 5", "DIMENSION : 0"), (":4:", "DIMENSION must be")),
        (swap("DIMENSION : 5", "DIMENSION : -5"), (":4:", "DIMENSION must be")),
        (swap("DIMENSION : 5", "DIMENSION : five"), (":4:", "'five' is no number")),
        (swap("DIMENSION : 5", "DIMENSION : 5.5"), (":4:", "no whole number")),
        (swap("DIMENSION : 5", "DIMENSION :"), (":4:", "'' is no number")),
        (swap("DIMENSION : 5", "DIMENSION : 10000000000"), (":4:", "DIMENSION must be between 1 and 100,000")),
        (swap("DIMENSION : 5", "DIMENSION : 99999"), (":6:", "5 rows")),
        (swap("DIMENSION : 5", "DIMENSION : 5\nDIMENSION : 5"), (":5:", "DIMENSION appears twice")),
        (swap("\n4 10 0", "\n3 10 0"), (":10:", "node 3 appears twice")),
        (swap("\n5 5.5 5", "\n7 5.5 5"), (":11:", "node '7' does not exist", "1 to 5")),
        (swap("\n1 0 0", "\n0 0 0"), (":11:", "node '5' does not exist", "0 to 4")),
        (swap("\n3 10 10", "\n3 nan 10"), (":9:", "'nan' is no number")),
        (swap("\n3 10 10", "\n3 1e999 10"), (":9:", "too large")),
        (swap("\n3 10 10", "\n3 10"), (":9:", "a node number and 2 values")),
        (swap("\n3 10 10", "\n3 10 10 10"), (":9:", "a node number and 2 values")),
        (swap("\n3 10 10", "\nthree 10 10"), (":9:", "'three 10 10'")),
        (swap("NODE_COORD_SECTION", "NODE_COORD_SECTION\nNODE_COORD_SECTION"), (":7:", "appears twice")),
        ("TYPE : TSP\n1 2 3\n", (":2:", "outside any section")),
        ("TYPE : TSP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n", ("NODE_COORD_SECTION is missing",)),
        (explicit("1 2 3", "UPPER_LEFT"), (":5:", "EDGE_WEIGHT_FORMAT 'UPPER_LEFT'", "LOWER_DIAG_COL")),
        (explicit("1 2 3 4 5", "UPPER_ROW"), (":6:", "5 numbers", "takes 6")),
        (explicit("1 2 3 4 5 6 7", "UPPER_ROW"), (":6:", "7 numbers", "takes 6")),
        (explicit("1 2 3\n4 x 6", "UPPER_ROW"), (":8:", "'x' is no number")),
        (explicit("1 2 3\n4 1e99 6", "UPPER_ROW"), (":8:", "too large")),
        (explicit("1 2 3\n4 -5 6", "UPPER_ROW"), (":6:", "from node 2 to node 4 is negative")),
        (explicit("0 1 2 3 0 4 5 6 0", size=3), (":6:", "from node 1 to node 2 is 1, back it is 3", "ATSP")),
        (explicit("1", "UPPER_ROW", size=99_999), (":6:", "99999 nodes is too large")),
        (explicit("1", "UPPER_ROW", size=1_000), (":6:", "1 numbers", "takes 499500")),
        (swap("EDGE_WEIGHT_FORMAT: UPPER_ROW\n", "", MATRIX), ("EDGE_WEIGHT_FORMAT is missing",)),
        (swap("EDGE_WEIGHT_SECTION\n3 4 5\n6 7\n8\n", "", MATRIX), ("EDGE_WEIGHT_SECTION is missing",)),
    ],
)
def test_faults(tmp_path: Path, text: str, parts: tuple[str, ...]) -> None:
    refused(tmp_path, text, *parts)
