"""VRPLIB (CVRPLIB): capacitated vehicle routing, also with time windows.

Nodes keep the file's order except for the depot, which becomes node 0. Solutions number customers 1..n in that
order, as CVRPLIB's do; labels keep the file's numbers of the nodes.
"""

from __future__ import annotations

from pathlib import Path

from .. import edge_weights, exact, sections
from ..fields import Fields
from ..named import Named, stated_reference
from ..schemas import build
from ..sections import Document, Nodes
from ..text import Cell, shortest

TITLE = "VRPLIB"
SUFFIX = ".vrp"
PROBLEMS = ("cvrp", "cvrptw")
NATIVE = ("cvrp",)

_TYPES = {"CVRP": "cvrp", "ACVRP": "cvrp", "VRP": "cvrp", "VRPTW": "cvrptw", "CVRPTW": "cvrptw"}


def recognises(text: str, path: str) -> bool:
    return "VRP" in (sections.kind(text) or "")


def read(text: str, path: str) -> Named:
    document = sections.parse(text, path)
    kind = document.header("TYPE", "CVRP")
    problem = _TYPES.get(kind.text.upper())
    if problem is None:
        raise kind.error(f"unknown or unsupported TYPE {kind.shown()}; known: TSP, ATSP, {', '.join(_TYPES)}")
    if "TIME_WINDOW_SECTION" in document.rows:
        problem = "cvrptw"

    nodes = sections.nodes(document)
    depot = _depot(document, nodes)
    order = [depot, *(node for node in range(nodes.size) if node != depot)]
    columns = {"demand": [row[0] for row in nodes.table(document, "DEMAND_SECTION", 1)]}
    if problem == "cvrptw":
        windows = nodes.table(document, "TIME_WINDOW_SECTION", 2)
        columns |= {"ready": [row[0] for row in windows], "due": [row[1] for row in windows]}
        columns["service"] = _service(document, nodes, depot)
    fields = Fields(
        path,
        edge_weights.geometry(document, nodes, order),
        single={"capacity": document.header("CAPACITY")},
        columns={name: [cells[node] for node in order] for name, cells in columns.items()},
    )
    comment = document.header("COMMENT", "").text
    return build(
        problem,
        fields,
        name=document.header("NAME", Path(path).stem).text or Path(path).stem,
        comment=comment,
        labels=tuple(str(node + nodes.first) for node in order),
        reference=document.reference(stated_reference(comment)),
        vehicles=document.header("VEHICLES").integer(least=1) if "VEHICLES" in document.headers else None,
    )


def write(named: Named) -> str:
    """The depot is node 1; lengths that are not rounded are marked EXACT_2D."""
    instance = named.instance
    headers, body = edge_weights.write(instance.places)
    headers = [f"CAPACITY : {exact.text(int(instance.capacity[0]), instance.unit)}", *headers]
    if named.vehicles:
        headers.insert(0, f"VEHICLES : {named.vehicles}")
    demands = [exact.text(amount, instance.unit) for amount in instance.demands[0].tolist()]
    body += ["DEMAND_SECTION", *(f"{node} {demand}" for node, demand in enumerate(demands, 1))]
    if named.problem.name == "cvrptw":
        windows = zip(instance.ready[0].tolist(), instance.due[0].tolist())
        body += ["TIME_WINDOW_SECTION"]
        body += [f"{node} {shortest(ready)} {shortest(due)}" for node, (ready, due) in enumerate(windows, 1)]
        body += ["SERVICE_TIME_SECTION"]
        body += [f"{node} {shortest(time)}" for node, time in enumerate(instance.service[0].tolist(), 1)]
    body += ["DEPOT_SECTION", "1", "-1"]
    kind = "VRPTW" if named.problem.name == "cvrptw" else "CVRP"
    return sections.text(named, kind, instance.places.size, headers, body)


def _depot(document: Document, nodes: Nodes) -> int:
    """The place of the one depot; the first node where the file does not say."""
    if "DEPOT_SECTION" not in document.rows:
        return 0
    cells = [cell for row in document.section("DEPOT_SECTION") for cell in row.cells()]
    ends = [place for place, cell in enumerate(cells) if cell.number() == -1]
    depots = cells[: ends[0]] if ends else cells
    if len(depots) != 1:
        title = document.titles["DEPOT_SECTION"]
        raise title.error(f"DEPOT_SECTION must list one depot, then -1; it lists {len(depots)}")
    return nodes.index(depots[0])


def _service(document: Document, nodes: Nodes, depot: int) -> list[Cell]:
    """Service times by node, one time for all customers, or none."""
    if "SERVICE_TIME_SECTION" in document.rows:
        return [row[0] for row in nodes.table(document, "SERVICE_TIME_SECTION", 1)]
    time = document.header("SERVICE_TIME", "0")
    return [Cell("0", time.where) if node == depot else time for node in range(nodes.size)]
