"""Whatever is in a file, reading it gives an instance or one ReadError: no traceback, no hang, no flood of memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lgs import io

from .samples import SAMPLES, read

FUZZ = settings(
    max_examples=150, deadline=2_000, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True
)

#: Words that files are made of, and words that ought not to be there.
VOCABULARY = """
0 1 2 3 -1 5.5 1e9 1e999 -0 nan inf 99999999999 1_0 NAME TYPE TSP CVRP ATSP DIMENSION CAPACITY EOF : # , ; " { } [ ]
null true x y name demand
EDGE_WEIGHT_TYPE EDGE_WEIGHT_FORMAT EXPLICIT EUC_2D GEO UPPER_ROW FULL_MATRIX EDGE_WEIGHT_SECTION
NODE_COORD_SECTION DEMAND_SECTION DEPOT_SECTION TIME_WINDOW_SECTION CUSTOMER VEHICLE Times Machines 
Route solution problem
"""
WORDS = st.sampled_from([*VOCABULARY.split(), *"\n\r\t\v\x85\u2028é٣\ufeff", "\n\n", "\r\n", ""])
SOUP = st.lists(WORDS, max_size=60).map(" ".join)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid file with a few words or lines dropped, doubled, swapped or replaced."""
    text = draw(st.sampled_from(sorted(SAMPLES.values())))
    for _ in range(draw(st.integers(1, 3))):
        separator = draw(st.sampled_from(["\n", " "]))
        parts = text.split(separator)
        here = draw(st.integers(0, len(parts) - 1))
        there = draw(st.integers(0, len(parts) - 1))
        match draw(st.sampled_from(["drop", "double", "swap", "replace", "cut"])):
            case "drop":
                del parts[here]
            case "double":
                parts.insert(there, parts[here])
            case "swap":
                parts[here], parts[there] = parts[there], parts[here]
            case "replace":
                parts[here] = draw(st.one_of(WORDS, st.text(max_size=8)))
            case "cut":
                parts = parts[:here]
        text = separator.join(parts)
    return text


def attempt(folder: Path, content: bytes) -> None:
    """Read it; what can be read can be written and read again."""
    try:
        named = read(folder, content, "fuzz.txt")
    except io.ReadError as error:
        message = str(error)
        assert message.startswith(str(folder / "fuzz.txt"))
        assert "\n" not in message
        assert len(message) < len(str(folder)) + 500
        return
    assert len(named.instance) == 1
    assert len(named.labels) in (0, named.size)
    path = folder / "again.json"
    io.write(path, named)
    assert io.formats()["json"].write(io.read(path)) == path.read_text(encoding="utf-8")


@FUZZ
@given(st.binary(max_size=400))
def test_bytes(tmp_path: Path, content: bytes) -> None:
    attempt(tmp_path, content)


@FUZZ
@given(st.text(max_size=200))
def test_any_text(tmp_path: Path, content: str) -> None:
    attempt(tmp_path, content.encode("utf-8", "surrogatepass"))


@FUZZ
@given(SOUP)
def test_words_of_files(tmp_path: Path, content: str) -> None:
    attempt(tmp_path, content.encode())


@settings(FUZZ, max_examples=600)
@given(mutated())
def test_mutated_files(tmp_path: Path, content: str) -> None:
    attempt(tmp_path, content.encode("utf-8", "surrogatepass"))


@FUZZ
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_every_reader_on_every_soup(name: str, data: st.DataObject) -> None:
    """Also the formats that would not have recognised the text."""
    text = data.draw(st.one_of(SOUP, mutated()))
    for found in io.formats().values():
        if text.strip():
            try:
                found.read(text, name)
            except io.ReadError as error:
                assert "\n" not in str(error)


@FUZZ
@given(st.sampled_from(sorted(SAMPLES)), st.one_of(SOUP, st.text(max_size=60)))
def test_solutions(tmp_path: Path, name: str, text: str) -> None:
    named = read(tmp_path, SAMPLES[name], name)
    for form, found in io.solution_formats(named.problem.name).items():
        if text.strip():
            try:
                solution = found.read(text, f"fuzz.{form}", named)
            except io.ReadError as error:
                assert "\n" not in str(error)
            else:
                named.check(solution)


HUGE = {
    "numbers": "b'TYPE: TSP\\nDIMENSION: 3\\nEDGE_WEIGHT_TYPE: EUC_2D\\nNODE_COORD_SECTION\\n' + b'1 2 3\\n' * 1900000",
    "matrix": "b'TYPE: TSP\\nDIMENSION: 1500\\nEDGE_WEIGHT_TYPE: EXPLICIT\\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\\n"
    "EDGE_WEIGHT_SECTION\\n' + (b'10.5 ' * 1500 + b'\\n') * 1500",
    "one line": "b'4 5\\n' + b'11 ' * (2790000)",
    "spaces": "b'TYPE' + b' ' * (30 << 20)",
    "digits": "b'4 ' + b'1' * (7 << 20)",
    "brackets": "b'[' * (30 << 20)",
    "objects": "b'{\"problem\": \"tsp\", \"coordinates\": [' + b'[],' * 400000 + b'[]]}'",
    "list": "b'{\"problem\": \"knapsack\", \"weight\": [' + b'11,' * (10 << 20) + b'1]}'",
    "shorter list": "b'{\"problem\": \"knapsack\", \"weight\": [' + b'1000000,' * 3900000 + b'1]}'",
    "csv": "b'x,y\\n' + b'1,2\\n' * 1900000",
    "commas": "b'name,' + b'a,' * (3 << 20)",
    "routes": "b'\\n' * 1900000 + b'x'",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", HUGE)
def test_huge_files_stay_under_a_gibibyte_and_a_minute(tmp_path: Path, kind: str) -> None:
    """Peak memory of a process that reads it, everything included."""
    code = (
        "import resource, sys\nfrom lgs import io\n"
        f"open(sys.argv[1], 'wb').write({HUGE[kind]})\n"
        "try: io.read(sys.argv[1])\nexcept io.ReadError as error: assert len(str(error)) < 1000\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "huge.txt")], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1 << 20  # KiB
