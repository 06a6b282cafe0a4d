"""What every reader shares: files that are no text, encodings, line ends, numbers."""

from __future__ import annotations

from pathlib import Path

import pytest

from lgs import io
from lgs.io import text
from lgs.io.text import Cell, shortest

from .samples import JSON, SAMPLES, TSP, VRP, read, refused


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(io.ReadError, match=r"nowhere\.tsp: no such file"):
        io.read(tmp_path / "nowhere.tsp")


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(io.ReadError, match="is a directory"):
        io.read(tmp_path)


def test_impossible_path() -> None:
    with pytest.raises(io.ReadError, match="cannot be read"):
        io.read("a\0b.tsp")


@pytest.mark.parametrize("content", [b"", b" \r\n\t\n", b"\xef\xbb\xbf"])
def test_empty_file(tmp_path: Path, content: bytes) -> None:
    refused(tmp_path, content, "is empty")


@pytest.mark.parametrize("content", [b"\x7fELF\x02\x01\x00\x00", b"NAME : a\0b\n", b"\x89PNG\r\n\x1a\n\0\0"])
def test_binary_file(tmp_path: Path, content: bytes) -> None:
    refused(tmp_path, content, "binary")


def test_unknown_format(tmp_path: Path) -> None:
    refused(tmp_path, "Dear lgs,\nplease solve my problem.\n", "no known format", "TSPLIB", "CSV")


def test_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MAX_BYTES", 1 << 20)
    refused(tmp_path, b"1 " * (1 << 20), "larger than 1 MiB")


def test_too_many_lines(tmp_path: Path) -> None:
    refused(tmp_path, b"1\n" * 2_000_002, "more than 2,000,000 lines")


def test_endless_line(tmp_path: Path) -> None:
    refused(tmp_path, b"3 4\n" + b"1 " * (5 << 20), ":2:", "longer than 8 MiB")


@pytest.mark.parametrize("name", SAMPLES)
def test_windows_and_old_mac_line_ends(tmp_path: Path, name: str) -> None:
    plain = read(tmp_path, SAMPLES[name], name)
    for ends in (b"\r\n", b"\r"):
        other = read(tmp_path, SAMPLES[name].encode().replace(b"\n", ends), name)
        assert io.formats()["json"].write(other) == io.formats()["json"].write(plain)


def test_line_numbers_count_windows_lines_once(tmp_path: Path) -> None:
    refused(tmp_path, TSP.replace("3 10 10", "3 10 x").replace("\n", "\r\n"), ":9:", "'x' is no number")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_names_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    named = read(tmp_path, VRP.replace("depots", "Århus på sjø").encode(encoding))
    assert named.name == "Århus på sjø"
    assert named.size == 4


def test_json_names_in_latin_1(tmp_path: Path) -> None:
    assert read(tmp_path, JSON.replace("Ana", "Añá").encode("latin-1")).labels == ("Bakery", "Añá", "Bo")


@pytest.mark.parametrize(
    ("word", "value"), [("3", 3), ("-3.5", -3.5), ("+.5", 0.5), ("2.", 2), ("1.43775e+02", 143.775), ("1E3", 1000)]
)
def test_numbers(word: str, value: float) -> None:
    assert Cell(word, "here").number() == value


@pytest.mark.parametrize(
    "word", ["", "abc", "nan", "NaN", "inf", "-Infinity", "1_000", "1,5", "0x10", "٣", "1e", "--1"]
)
def test_not_numbers(word: str) -> None:
    with pytest.raises(io.ReadError, match=r"here: .* is no number"):
        Cell(word, "here").number()


@pytest.mark.parametrize("word", ["1e400", "-2e12", "9" * 64])
def test_numbers_beyond_reason(word: str) -> None:
    with pytest.raises(io.ReadError, match="too large"):
        Cell(word, "here").number()


def test_whole_numbers() -> None:
    assert Cell("5.0", "here").integer() == 5
    with pytest.raises(io.ReadError, match=r"'5\.5' is no whole number"):
        Cell("5.5", "here").integer()


def test_long_words_are_cut_in_messages() -> None:
    with pytest.raises(io.ReadError) as caught:
        Cell("x" * 10_000, "here").number()
    assert len(str(caught.value)) < 100


@pytest.mark.parametrize("value", [0.1, 1 / 3, 5.0, -2.5e-7, 123456789.125])
def test_shortest_text_reads_back(value: float) -> None:
    assert Cell(shortest(value), "here").number() == value
    assert shortest(5.0) == "5"
