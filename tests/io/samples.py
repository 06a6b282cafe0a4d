"""One small valid file per format, and a way to read text as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from lgs import io

TSP = """\
NAME : square
COMMENT : a square and its middle (Optimal value: 46)
TYPE : TSP
DIMENSION : 5
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 0 10
3 10 10
4 10 0
5 5.5 5
EOF
"""

MATRIX = """\
NAME: triangle
TYPE: TSP
DIMENSION: 4
EDGE_WEIGHT_TYPE: EXPLICIT
EDGE_WEIGHT_FORMAT: UPPER_ROW
EDGE_WEIGHT_SECTION
3 4 5
6 7
8
EOF
"""

VRP = """\
NAME : depots
COMMENT : (Somebody, No of trucks: 2, Optimal value: 60)
TYPE : CVRP
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
CAPACITY : 10
NODE_COORD_SECTION
 1 10 0
 2 0 0
 3 0 10
 4 -10 0
DEMAND_SECTION
1 6
2 0
3 4
4 5
DEPOT_SECTION
 2
 -1
EOF
"""

SOLOMON = """\
R3

VEHICLE
NUMBER     CAPACITY
  2         10

CUSTOMER
CUST NO.  XCOORD.   YCOORD.    DEMAND   READY TIME  DUE DATE   SERVICE   TIME

    0      0         0          0          0       100          0
    1      3         4          4          10       50         5
    2      0        -5          6           0       20         5
"""

JOBSHOP = """\
# instance two
2 3
0 3 1 2 2 2
0 2 2 1 1 4
"""

TAILLARD = """\
Nb of jobs, Nb of Machines, Time seed, Machine seed, Upper bound, Lower bound :
 2 3 840612802 398197754 11 9
Times
 3 2 2
 2 1 4
Machines
 1 2 3
 1 3 2
"""

KNAPSACK = """\
4 5.5
10 2.5
7 3
1 0.5
4 1
"""

JSON = """\
{
  "problem": "cvrp",
  "name": "bakery",
  "names": ["Bakery", "Ana", "Bo"],
  "metric": "euclidean",
  "coordinates": [[0, 0], [3, 4], [0, 2.5]],
  "demand": [0, 1.25, 2],
  "capacity": 3.5
}
"""

CSV = """\
# name: bakery
# capacity: 3.5
name,x,y,demand
Bakery,0,0,0
"Ana, the first",3,4,1.25
Bo,0,2.5,2
"""

SAMPLES = {
    "square.tsp": TSP,
    "triangle.tsp": MATRIX,
    "depots.vrp": VRP,
    "r3.txt": SOLOMON,
    "two.jsp": JOBSHOP,
    "taillard.txt": TAILLARD,
    "items.kp": KNAPSACK,
    "bakery.json": JSON,
    "bakery.csv": CSV,
}


def read(folder: Path, text: str | bytes, name: str = "file.txt") -> io.Named:
    """The instance in a file of this content."""
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return io.read(path)


def refused(folder: Path, text: str | bytes, *parts: str, name: str = "file.txt") -> None:
    """Reading fails with one line that has the file's path first and then each of `parts`, such as `:17:`."""
    with pytest.raises(io.ReadError) as caught:
        read(folder, text, name)
    message = str(caught.value)
    assert message.startswith(str(folder / name))
    assert "\n" not in message
    for part in parts:
        assert part in message
