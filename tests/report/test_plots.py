"""Pictures: what is on them, and that they can be made for small and large instances."""

from __future__ import annotations

import csv
import io as streams
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from matplotlib.figure import Figure

from lgs import io, problems
from lgs.problems import NONE
from lgs.report.plots import acceptance, anytime, canvas, gantt, latent, routes, solutions, tour, training, windows

from ..conftest import Run
from ..search.small import SIZES


def solved(problem: str, size: int) -> tuple[io.Named, list[list[int]]]:
    """A random instance, and the solution that takes the first allowed node at every step."""
    kind = problems.load(problem)
    instance = kind.generate(1, size, torch.Generator().manual_seed(size))
    state, actions = kind.reset(instance, 1), []
    for _ in range(kind.horizon(instance)):
        allowed = kind.allowed(instance, state)[0, 0]
        order = torch.arange(len(allowed)).masked_fill(~allowed, -1)
        actions.append(int(order.max()) if bool(allowed.any()) else NONE)
        state = kind.step(instance, state, torch.tensor([[actions[-1]]]))
    named = io.wrap(problem, instance, f"{problem}{size}")
    return named, kind.solution(instance, torch.tensor(actions))


def drawable(problem: str, size: int) -> tuple[Any, list[list[int]]]:
    named, found = solved(problem, size)
    return named.instance, found


def image(figure: Any) -> bytes:
    file = streams.BytesIO()
    figure.savefig(file, format="png", dpi=40)
    return file.getvalue()


@pytest.mark.parametrize("problem", problems.names())
def test_every_problem_has_a_picture(problem: str) -> None:
    named, found = solved(problem, SIZES[problem])
    figure = solutions.draw(named, found)
    assert image(figure).startswith(b"\x89PNG")
    titles = [ax.get_title() for ax in figure.axes]
    assert any(title.startswith(f"{named.name}: {named.problem.unit} ") for title in titles)


@pytest.mark.parametrize("problem", ["tsp", "cvrp"])
@pytest.mark.parametrize("size", [1, 20, 1000])
def test_pictures_of_any_size(problem: str, size: int) -> None:
    assert image(solutions.draw(*solved(problem, size))).startswith(b"\x89PNG")


@pytest.mark.parametrize("problem", problems.names())
def test_given_axes_are_drawn_on(problem: str) -> None:
    figure = Figure()
    left, right = figure.subplots(1, 2)
    assert solutions.draw(*solved(problem, SIZES[problem]), left) is figure
    assert left.has_data() and not right.has_data()


def test_the_tour_is_closed_and_its_start_is_marked() -> None:
    named, (found,) = solved("tsp", 8)
    (ax,) = tour.draw(named.instance.places, found).axes
    where = named.instance.places.coords[0].numpy()
    path = ax.lines[0].get_xydata()
    assert np.allclose(path, where[[*found, found[0]]])
    assert np.allclose(ax.collections[-1].get_offsets(), where[found[0]])


@pytest.mark.parametrize("size", [8, 500])
def test_which_way_the_tour_sets_out_is_seen(size: int) -> None:
    """From the start to the first arrow the way has the start's colour, and that arrow too."""
    named, (found,) = solved("tsp", size)
    (ax,) = tour.draw(named.instance.places, found).axes
    path, begin = (line.get_xydata() for line in ax.lines)
    assert 2 <= len(begin) <= 2 + size // tour.ARROWS
    assert np.allclose(begin, path[: len(begin)])
    first = ax.texts[0]
    assert (path[len(begin) - 1] - path[len(begin) - 2]) @ (np.array(first.xy) - first.xyann) > 0
    assert ax.lines[1].get_color() == first.arrowprops["color"] != ax.lines[0].get_color()


def test_latitude_is_vertical() -> None:
    from lgs.problems.geometry import from_coords

    assert canvas.points(from_coords(torch.tensor([[[48.5, 11.5]]]), "geo")).tolist() == [[11.5, 48.5]]
    assert canvas.points(from_coords(torch.tensor([[[48.5, 11.5]]]))).tolist() == [[48.5, 11.5]]


def test_load_bars_are_the_loads() -> None:
    named, found = solved("cvrp", 20)
    figure = routes.draw(named.instance, found)
    bars = figure.axes[0].child_axes[0].patches
    demands, capacity = named.instance.demands[0].tolist(), int(named.instance.capacity[0])
    loads = sorted(100 * sum(demands[stop] for stop in route) / capacity for route in found)
    assert sorted(bar.get_width() for bar in bars) == pytest.approx(loads)
    assert len({tuple(bar.get_facecolor()) for bar in bars}) == min(len(found), len(canvas.COLOURS))


def test_routes_have_their_numbers_where_there_is_room() -> None:
    """On the map beyond a stop of the route, and the same beside its bar."""
    named, found = solved("cvrp", 20)
    (ax,) = routes.draw(named.instance, found).axes
    where = canvas.points(named.instance.places)
    numbered = {int(text.get_text()): text.xy for text in ax.texts}
    assert sorted(numbered) == list(range(1, len(found) + 1))
    assert all(np.isclose(where[found[number - 1]], place).all(1).any() for number, place in numbered.items())
    labels = [int(label.get_text()) for label in ax.child_axes[0].get_yticklabels()]
    assert labels == [number + 1 for number in routes.around_depot(named.instance, found)]
    (ax,) = routes.draw(*((named := solved("cvrp", 1000))[0].instance, named[1])).axes
    assert not ax.texts and not ax.child_axes[0].get_yticklabels()


def test_numbers_are_read_on_every_colour() -> None:
    """WCAG asks for a contrast of 4.5 for small text."""
    from matplotlib.colors import to_rgb

    def luminance(colour: str) -> float:
        parts = [x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in to_rgb(colour)]
        return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))

    for colour in canvas.COLOURS:
        dark, light = sorted((luminance(colour), luminance(canvas.ink(colour))))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, colour


@pytest.mark.parametrize("count", range(2, 40))
def test_neighbours_in_a_circle_differ(count: int) -> None:
    colours = [canvas.around(place, count) for place in range(count)]
    assert all(one != next_ for one, next_ in zip(colours, [*colours[1:], colours[0]]))


def test_the_gantt_chart_shows_every_operation_and_the_makespan() -> None:
    named, found = solved("jobshop", 3)
    (ax,) = gantt.draw(named.instance, found).axes
    edges = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in ax.patches)
    lengths = named.instance.durations[0].view(3, 3).tolist()
    pairs = [(start, start + length) for times, row in zip(found, lengths) for start, length in zip(times, row)]
    assert np.allclose(edges, sorted(pairs))
    assert ax.lines[0].get_xdata()[0] == named.check(found).cost
    # Counted from 1, as in what the checker says.
    assert [label.get_text() for label in ax.get_yticklabels()] == ["machine 1", "machine 2", "machine 3"]


def test_many_jobs_are_named_beside_the_schedule() -> None:
    """Their bars are too narrow for numbers; few jobs need no legend."""
    (few,) = gantt.draw(*drawable("jobshop", 3)).axes
    assert few.get_legend() is None
    (many,) = gantt.draw(*drawable("jobshop", gantt.LABELLED + 1)).axes
    assert [text.get_text() for text in many.get_legend().get_texts()] == [str(1 + job) for job in range(16)]


def test_numbers_stay_within_their_bars() -> None:
    """A number of two digits needs a bar of twice the width."""
    (ax,) = gantt.draw(*drawable("jobshop", 12)).axes
    end = ax.lines[0].get_xdata()[0]
    widths = {bar.get_x() + bar.get_width() / 2: bar.get_width() for bar in ax.patches}
    shown = [(text.get_text(), widths[text.get_position()[0]]) for text in ax.texts]
    assert shown and all(width >= gantt.NARROWEST * len(number) * end for number, width in shown)


def test_numbers_of_short_routes_do_not_lie_upon_one_another() -> None:
    named, _ = solved("cvrptw", 20)
    (ax,) = windows.draw(named.instance, [[customer] for customer in range(1, 21)]).axes
    assert len(ax.texts) == 20
    named, _ = solved("cvrptw", 60)
    routes = [[customer] for customer in range(1, 11)] + [list(range(11, 61))]
    heights = [text.get_position()[1] for text in windows.draw(named.instance, routes).axes[0].texts]
    assert min(np.diff(heights)) >= windows.LINE * 60 - 1e-9


def test_service_lies_inside_the_windows() -> None:
    named, found = solved("cvrptw", 6)
    (ax,) = windows.draw(named.instance, found).axes
    hours, _, service = (ax.patches[6 * kind : 6 * kind + 6] for kind in range(3))
    assert len(hours) == len(service) == 6
    for opened, served in zip(hours, service):
        assert opened.get_x() - 1e-9 <= served.get_x() <= opened.get_x() + opened.get_width() + 1e-9


def test_anytime_curves_are_gaps() -> None:
    curve = anytime.Curve("a", [0.1, 1.0], [12.0, 11.0], reference=10.0, end=2.0)
    (ax,) = anytime.draw([curve]).axes
    assert ax.lines[0].get_xdata().tolist() == [0.1, 1.0, 2.0]
    assert ax.lines[0].get_ydata() == pytest.approx([20.0, 10.0, 10.0])
    (ax,) = anytime.draw([anytime.Curve("a", [0.1, 1.0], [12.0, 11.0])]).axes
    assert ax.lines[0].get_ydata() == pytest.approx([12.0, 11.0, 11.0])
    value = anytime.Curve("b", [0.1, 1.0], [9.0, 10.0], reference=10.0)
    assert anytime.draw([curve, value]).axes[0].lines[2].get_ydata()[0] == pytest.approx(10.0)


@pytest.mark.parametrize(("begin", "end"), [(0.004, 300), (0.2, 60), (0.5, 3), (1.1, 1.9)])
def test_the_seconds_are_readable(begin: float, end: float) -> None:
    figure = anytime.draw([anytime.Curve("a", [begin, end], [12.0, 11.0])])
    figure.draw_without_rendering()
    (ax,) = figure.axes
    low, high = ax.get_xlim()
    shown = [label for label in ax.get_xticklabels() if low <= label.get_position()[0] <= high]
    assert len(shown) >= 3
    assert [float(label.get_text()) for label in shown] == pytest.approx([label.get_position()[0] for label in shown])
    assert apart(shown)


def apart(texts: list[Any]) -> bool:
    """Whether no two texts of a drawn figure touch."""
    boxes = [text.get_window_extent() for text in texts]
    return not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_curves_look_different() -> None:
    (ax,) = anytime.draw([anytime.Curve(f"{n}", [1.0, 2.0], [9.0, 8.0], 7.0) for n in range(20)]).axes
    steps = [line for line in ax.lines if len(line.get_xdata()) == 3]
    assert len({(line.get_color(), line.get_linestyle()) for line in steps}) == len(steps) == 20


def test_acceptance_shows_iterations_and_their_mean() -> None:
    (ax,) = acceptance.draw(list(range(50)), [0.5] * 50).axes
    assert ax.lines[0].get_ydata() == pytest.approx([50.0] * 50)
    assert ax.lines[1].get_ydata() == pytest.approx([50.0] * 39)


@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_the_latent_picture_leads_to_the_best(dimension: int) -> None:
    random = np.random.default_rng(0)
    z, costs = random.normal(size=(5, 4, dimension)), random.random((5, 4))
    costs[3, 2] = -1.0
    ax = latent.draw(z, costs).axes[0]
    path = ax.lines[0].get_xydata()
    assert len(path) == 4
    assert np.allclose(ax.collections[-1].get_offsets(), path[-1])
    if dimension == 2:
        assert np.allclose(path, z[:4, 2])


@pytest.mark.parametrize("sense", [1, -1])
def test_a_few_bad_latents_do_not_take_all_the_colours(sense: int) -> None:
    costs = np.linspace(1, 2, 400).reshape(20, 20)
    costs[7, 7] = 1000.0
    dots = latent.draw(np.random.default_rng(0).normal(size=(20, 20, 2)), costs, sense=sense).axes[0].collections[0]
    low, high = sorted(abs(dots.get_array()[[0, -1]]))
    assert 1 <= low < high <= 2


def record(folder: Path, rows: int = 30) -> Path:
    with (folder / training.FILE).open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["step", "instances", "phase", "cost", "best", "loss", "validation"])
        for row in range(rows):
            score = 5 - row / 10 if row % 10 == 9 else ""
            writer.writerow([row, 64 * row, "one" if row < 10 else "two", 9 - row / 10, 8 - row / 10, -row, score])
    return folder


def test_the_training_picture_shows_costs_scores_and_losses(tmp_path: Path) -> None:
    columns = training.read(record(tmp_path))
    figure = training.draw(columns, "run")
    costs, scores, losses = figure.axes
    assert costs.lines[0].get_ydata() == pytest.approx(columns["cost"])
    assert scores.lines[0].get_ydata() == pytest.approx([4.1, 3.1, 2.1])
    assert losses.lines[0].get_ydata() == pytest.approx(columns["loss"])
    assert [text.get_text() for text in costs.texts] == ["one", "two"]
    assert image(figure).startswith(b"\x89PNG")


def test_names_of_short_phases_do_not_touch(tmp_path: Path) -> None:
    columns = training.read(record(tmp_path, 400))
    ends = {"pomo-cvrptw20": 15, "pomo-cvrptw50": 50, "pomo-cvrptw100": 350, "sharpened": 400}
    columns["phase"] = np.repeat(list(ends), np.diff([0, *ends.values()]))
    figure = training.draw(columns, "run")
    figure.draw_without_rendering()
    names = figure.axes[0].texts
    assert [text.get_text() for text in names] == list(ends) and apart([*names, figure._suptitle])


# -- the command ------------------------------------------------------------------------------------
def test_plot_training_and_solution(command: Run, tmp_path: Path) -> None:
    done = command("plot", "training", record(tmp_path))
    assert (done.code, done.out) == (0, f"written: {tmp_path / 'training.png'}\n")
    named, found = solved("cvrp", 5)
    io.write(tmp_path / "a.json", named)
    io.write_solution(tmp_path / "a.sol", named, found, 1.0)
    done = command("plot", "solution", tmp_path / "a.json", tmp_path / "a.sol", "--out", tmp_path / "a.pdf")
    assert done.code == 0 and (tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")


def test_plot_trace_and_latent(command: Run, tmp_path: Path, weights: dict[str, Path]) -> None:
    named, _ = solved("tsp", 6)
    io.write(tmp_path / "a.json", named)
    words = ("solve", tmp_path / "a.json", "--time", 0.3, "--particles", 4, "--model", weights["tsp"], "--json", "-q")
    (tmp_path / "result.json").write_text(command(*words).out)
    assert command("plot", "trace", tmp_path / "result.json").code == 0
    assert (tmp_path / "result.png").read_bytes().startswith(b"\x89PNG")
    words = ("plot", "latent", tmp_path / "a.json", "--iterations", 3, "--method", "lgs:particles=4")
    assert command(*words, "--model", weights["tsp"], "--out", tmp_path / "l.png").code == 0
    assert (tmp_path / "l.png").exists()
    assert "latent space" in command(*words[:-1], "sampling", "--model", weights["tsp"]).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["training", "nowhere"], "log.csv"),
        (["training", "."], "not the record of a training run"),
        (["solution", "a.json", "bad.sol"], "not a feasible solution"),
        (["solution", "a.json", "a.sol", "--out", "a.txt"], "pictures end in"),
        (["solution", "a.json", "a.sol", "--out", "no/where.png"], "does not exist"),
        (["trace", "bad.json"], "not what `lgs solve --json` prints"),
        (["trace", "a.json"], "not what `lgs solve --json` prints"),
        (["trace", "empty.json"], "no solution in it"),
    ],
)
def test_plot_refuses(
    command: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    named, found = solved("cvrp", 5)
    io.write(tmp_path / "a.json", named)
    io.write_solution(tmp_path / "a.sol", named, found, 1.0)
    (tmp_path / "bad.sol").write_text("Route #1: 1\n")
    (tmp_path / "bad.json").write_text("{")
    empty = {"instance": "a", "method": "lgs", "trace": [], "steps": [], "reference": None, "seconds": 0}
    (tmp_path / "empty.json").write_text(json.dumps(empty))
    (tmp_path / "log.csv").write_text("step,loss\n1,2\n")
    done = command("plot", *words)
    assert done.code == 2 and message in done.err and "Traceback" not in done.err
