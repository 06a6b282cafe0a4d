"""Solomon's layout (also Gehring and Homberger's): vehicle routing with time windows, lengths not rounded."""

from __future__ import annotations

import re

from .. import exact
from ..fields import Fields
from ..named import Named
from ..places import from_points
from ..schemas import build
from ..sections import one_line
from ..text import MAX_NODES, Cell, Line, lines, shortest

TITLE = "Solomon"
SUFFIX = ".txt"
PROBLEMS = ("cvrptw",)
NATIVE = ("cvrptw",)

_TITLES = re.compile(r"^[ \t]*(VEHICLE|CUST(?:OMER)?)\b", re.M | re.I)
_COLUMNS = ("number", "x", "y", "demand", "ready", "due", "service")


def recognises(text: str, path: str) -> bool:
    return {title[1].upper()[:4] for title in _TITLES.finditer(text)} == {"VEHI", "CUST"}


def read(text: str, path: str) -> Named:
    name, *rest = lines(text, path)
    if name.text.upper().startswith("VEHICLE"):
        raise name.error("the name of the instance is missing on the first line")
    numbers = [line for line in rest if not line.text[0].isalpha()]
    if not numbers:
        raise name.error("no numbers follow")
    fleet, *customers = numbers
    if len(fleet.words()) != 2:
        raise fleet.error("the number of vehicles and their capacity expected")
    vehicles, capacity = fleet.cells()
    if len(customers) > MAX_NODES:
        raise customers[MAX_NODES].error(f"more than {MAX_NODES:,} customers")
    table = _in_order(customers, fleet)
    columns = {title: [row[i] for row in table] for i, title in enumerate(_COLUMNS)}
    points = [(x.number(), y.number()) for x, y in zip(columns["x"], columns["y"])]
    fields = Fields(path, from_points(points, "euclidean"), single={"capacity": capacity}, columns=columns)
    return build("cvrptw", fields, name=name.text, vehicles=vehicles.integer(least=1))


def write(named: Named) -> str:
    instance = named.instance
    if instance.places.metric != "euclidean":
        raise ValueError(f"Solomon's layout has no {instance.places.metric} lengths; write .json or .vrp")
    vehicles = named.vehicles or instance.places.size - 1
    capacity = exact.text(int(instance.capacity[0]), instance.unit)
    demands = [exact.text(amount, instance.unit) for amount in instance.demands[0].tolist()]
    times = zip(instance.ready[0].tolist(), instance.due[0].tolist(), instance.service[0].tolist())
    text = [one_line(named.name) or "instance", "", "VEHICLE", "NUMBER     CAPACITY", f"{vehicles} {capacity}", ""]
    text += ["CUSTOMER", "CUST NO.   XCOORD.   YCOORD.   DEMAND   READY TIME   DUE DATE   SERVICE TIME", ""]
    for number, (place, demand, window) in enumerate(zip(instance.places.coords[0].tolist(), demands, times)):
        text.append(" ".join([str(number), *map(shortest, place), demand, *map(shortest, window)]))
    return "\n".join(text) + "\n"


def _in_order(rows: list[Line], above: Line) -> list[list[Cell]]:
    """The cells of each customer, the depot (number 0) first; every number up to the last must be there once."""
    if not rows:
        raise above.error("no customers follow")
    found: dict[int, list[Cell]] = {}
    for row in rows:
        cells = row.cells()
        if len(cells) != len(_COLUMNS):
            raise row.error(f"{len(cells)} values; expected: {' '.join(_COLUMNS)}")
        number = cells[0].integer(least=0)
        if number in found:
            raise row.error(f"customer {number} appears twice")
        found[number] = cells
    for number in range(len(found)):
        if number not in found:
            raise rows[-1].error(f"customer {number} is missing" if number else "the depot, number 0, is missing")
    return [found[number] for number in range(len(found))]
