"""Lines without end: what is kept of them is bounded, and is JSON still."""

from __future__ import annotations

import json

import pytest

from skilltrial.adapters.harness.long_lines import MAX_LINE_BYTES, Line

PIECE = 65_536


def _through(data: bytes) -> bytes:
    line = Line()
    for begin in range(0, len(data), PIECE):
        line.add(data[begin : begin + PIECE])
    return line.take()


def test_a_line_of_usual_length_stays_as_it_is() -> None:
    """Fifteen million bytes are kept whole, and the next line begins anew."""
    line = Line()
    data = json.dumps({"text": "x" * 14_999_000}).encode()
    line.add(data)
    is_same = line.take() == data
    assert is_same
    line.add(b"{}")
    assert line.take() == b"{}"


@pytest.mark.parametrize("unit", ["x\n", "\\", "x" * 50 + '\\"', "ü", "😀"])
@pytest.mark.parametrize("is_ascii", [True, False])
def test_the_middle_of_a_long_text_is_left_out(unit: str, is_ascii: bool) -> None:
    """Whatever it is made of, the line stays JSON; begin, end and the other fields are there."""
    text = "begin " + unit * (20_000_000 // len(json.dumps(unit, ensure_ascii=is_ascii)[1:-1].encode())) + " end"
    data = json.dumps({"a": '1"', "text": text, "b": [2]}, ensure_ascii=is_ascii).encode()
    kept = _through(data)
    assert len(kept) < 15_100_000
    row = json.loads(kept.decode("utf-8"))
    assert (row["a"], row["b"]) == ('1"', [2])
    # Answers of a few words: pytest would explain a text of millions of characters letter by letter.
    begins, ends = row["text"][: 6 + len(unit)] == "begin " + unit, row["text"].endswith(unit + " end")
    told = "bytes were cut out here …]" in row["text"]
    is_cut_again = len(row["text"]) > 1_000_000  # by its reader, who says so
    assert (begins, ends, told, is_cut_again) == (True, True, True, True)


def test_two_long_texts_of_a_line_are_both_cut() -> None:
    """The second begins where the first has ended."""
    row = json.loads(_through(json.dumps(["a" * 20_000_000, "b" * 20_000_000, "c"]).encode()))
    assert [text[:1] + text[-1:] for text in row] == ["aa", "bb", "cc"]
    assert all("bytes were cut out here" in text[12_000_000:14_000_000] for text in row[:2])


def test_of_a_line_that_is_no_json_the_beginning_is_kept() -> None:
    """Beyond the limit nothing more is taken into memory, and the line says how long it was."""
    line = Line()
    for _ in range(100):
        line.add(b"y" * 1_000_000)
    kept = line.take()
    assert len(kept) < 2_100
    assert kept.decode().endswith("yy [… a line of 100,000,000 bytes, the rest of which was left out]")
    assert MAX_LINE_BYTES < 100_000_000
