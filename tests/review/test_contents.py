"""The files of a trial as data: what each is, within which bounds, and how two trials differ."""

from __future__ import annotations

import io
import os
import socket
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from documents import one_of_each, pdf, word_document, zipped
from trials import asked, subject_at, trial_with

from skilltrial.errors import SpecError
from skilltrial.grade.reading import Kind
from skilltrial.records.json_value import Json
from skilltrial.review.contents import rendition
from skilltrial.review.contents.table import table_of
from skilltrial.review.reading import QUESTIONS


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where trials are made; a short relative place, since sockets have short addresses."""
    monkeypatch.chdir(tmp_path)
    return tmp_path / "w"


def ask(workspace: Path, question: str, **values: Any) -> Any:
    """The answer to a question about the trial."""
    return QUESTIONS[question](subject_at(workspace), asked(**values))


VIEWS = {
    "answer.md": "markdown",
    "pic.png": "image",
    "sub/table.csv": "table",
    "sub/deep/er/data.json": "json",
    "log.jsonl": "lines",
    "code.py": "code",
    "page.html": "html",
    "drawing.svg": "svg",
    "paper.pdf": "pdf",
    "book.xlsx": "sheets",
    "letter.docx": "docx",
    "deck.pptx": "pptx",
    "all.zip": "archive",
    "all.tar.gz": "archive",
    "sound.wav": "audio",
    "bytes.bin": "binary",
    "nothing.txt": "empty",
    "long.txt": "text",
    "\u202eexe.txt": "text",
    'quote".txt': "text",
    "new\nline.txt": "text",
    "latin.txt": "text",
    "wide.txt": "text",
}


def test_views(workspace: Path) -> None:
    """Each kind of file is told by its content and name, whatever the name is made of."""
    trial_with(workspace, one_of_each())
    assert {path: ask(workspace, "file", path=path)["view"] for path in one_of_each()} == VIEWS


def test_content_beats_name(workspace: Path) -> None:
    """A picture's name on a text: the text is shown, and the page says so."""
    trial_with(workspace, {"chart.png": b"<script>alert(1)</script>"})
    answer = ask(workspace, "file", path="chart.png")
    assert (answer["view"], "something else" in answer["note"]) == ("code", True)


def test_encodings(workspace: Path) -> None:
    """A byte order mark is believed; what is no UTF-8 is read as Windows-1252 and called a guess."""
    trial_with(workspace, {"a": b"\xef\xbb\xbfx\xc3\xbc", "b": "ü".encode("utf-16"), "c": b"gr\xfc\x80"})
    pieces = [ask(workspace, "file", path=path)["piece"] for path in "abc"]
    assert [(piece["text"], piece["guessed"]) for piece in pieces] == [("xü", False), ("ü", False), ("grü€", True)]


def test_pieces_of_a_long_text(workspace: Path) -> None:
    """A long text comes in pieces that end with a line and leave nothing out."""
    text = "".join(f"{number} ü\n" for number in range(60_000))
    trial_with(workspace, {"long.txt": text.encode()})
    found, begin, n = "", 0, 0
    while True:
        piece = ask(workspace, "file", path="long.txt", **{"from": begin})["piece"]
        assert piece["text"].endswith("\n")
        found, begin, n = found + piece["text"], piece["to"], n + 1
        if piece["ends"]:
            break
    assert (found == text, n) == (True, 3)


def test_sparse_file_of_ten_gigabytes(workspace: Path) -> None:
    """A huge file is looked at by its first bytes."""
    outputs = trial_with(workspace, {"huge.txt": b"begin\n"})
    os.truncate(outputs / "huge.txt", 10_000_000_000)
    assert ask(workspace, "file", path="huge.txt")["size"] == 10_000_000_000


def test_what_is_no_file_is_listed_and_not_opened(workspace: Path) -> None:
    """Links, pipes and sockets are called what they are; asking for one says why it is not shown."""
    outputs = trial_with(workspace, {"a.txt": b"a"})
    (outputs / "link").symlink_to("/etc/passwd")
    (outputs / "folder").symlink_to("/etc")
    os.mkfifo(outputs / "pipe")
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(os.path.relpath(outputs / "socket"))
    entries = ask(workspace, "files")["entries"]
    kinds = {"a.txt": "file", "folder": "link", "link": "link", "pipe": "pipe", "socket": "socket"}
    assert {entry["path"]: entry["kind"] for entry in entries} == kinds
    for path in (
        "link",
        "folder/passwd",
        "pipe",
        "socket",
        "../run.json",
        "/etc/passwd",
        "a/../../run.json",
        "x\0y",
        "",
    ):
        assert list(ask(workspace, "file", path=path)) == ["path", "gap"]


def test_outputs_that_are_a_link_are_not_followed(workspace: Path) -> None:
    """A trial whose outputs are a link to elsewhere has no files."""
    outputs = trial_with(workspace, {})
    outputs.rmdir()
    outputs.symlink_to("/etc")
    assert ask(workspace, "files")["entries"] == []
    assert "gap" in ask(workspace, "file", path="passwd")


def test_tree_in_order_with_the_record(workspace: Path) -> None:
    """Folders first, numbers by value, the patch on top; what the record says of changes and of files not kept is there."""
    outputs = trial_with(workspace, {"b10.txt": b"", "b9.txt": b"", "z/a/c.txt": b"1"})
    (outputs.parent / "diff.patch").write_bytes(b"+x\n")
    (outputs.parent / "run.json").write_text(
        '{"files": [{"path": "b9.txt", "change": "modified"}, {"path": "gone", "change": "deleted"},'
        ' {"path": "big", "change": "created", "kept": false, "note": "too large"}, {"path": "…", "note": "more"}]}'
    )
    answer = ask(workspace, "files")
    assert [(entry["path"], entry["kind"], entry["change"]) for entry in answer["entries"]] == [
        ("../diff.patch", "file", None),
        ("z", "folder", None),
        ("z/a", "folder", None),
        ("z/a/c.txt", "file", None),
        ("b9.txt", "file", "modified"),
        ("b10.txt", "file", None),
        ("big", "missing", "created"),
        ("gone", "deleted", "deleted"),
    ]
    assert answer["notes"] == ["more"]
    assert ask(workspace, "file", path="../diff.patch")["piece"]["text"] == "+x\n"


def test_many_files_in_steps(workspace: Path) -> None:
    """Of very many files the first are listed, with how many there are."""
    trial_with(workspace, {f"{number}.txt": b"" for number in range(2_100)})
    few, more = ask(workspace, "files"), ask(workspace, "files", most=4_000)
    assert (len(few["entries"]), few["n"], few["complete"], len(more["entries"])) == (2_000, 2_100, True, 2_100)


def test_five_hundred_folders_deep(workspace: Path) -> None:
    """Depth is no limit."""
    path = "/".join(["d"] * 500) + "/x.txt"
    trial_with(workspace, {path: b"deep"})
    assert ask(workspace, "files")["n"] == 501
    assert ask(workspace, "file", path=path)["piece"]["text"] == "deep"


def test_markdown_is_a_tree_without_html(workspace: Path) -> None:
    """HTML in Markdown stays text; only elements that Markdown has come out."""
    trial_with(workspace, {"a.md": b"# T\n\n<b onclick=x>hi</b> [l](javascript:x)\n\n- one\n"})
    assert ask(workspace, "rendition", path="a.md")["tree"] == [
        ["h1", {}, ["T"]],
        ["p", {}, ["<b onclick=x>hi</b> ", ["a", {"href": "javascript:x"}, ["l"]]]],
        ["ul", {}, [["li", {}, ["one"]]]],
    ]


def test_documents(workspace: Path) -> None:
    """Words of documents, sheets with formulas that nothing computed, names in archives, colours of source."""
    trial_with(workspace, one_of_each())
    found = {
        name: ask(workspace, "rendition", path=name) for name in ("paper.pdf", "letter.docx", "deck.pptx", "book.xlsx")
    }
    assert found["paper.pdf"] == {"text": "Words of a page", "pages": 1}
    assert found["letter.docx"]["text"] == "First paragraph."
    assert found["deck.pptx"] == {"text": "A slide", "pages": 1}
    assert [sheet["name"] for sheet in found["book.xlsx"]["sheets"]] == ["Sums", "<b>Other"]
    assert found["book.xlsx"]["sheets"][0]["rows"][3] == [4, ["all", {"formula": "=SUM(B2:B3)"}]]
    assert ask(workspace, "rendition", path="all.zip")["names"] == [["inside/a.txt", 5], ["b.txt", 0]]
    tokens = ask(workspace, "rendition", path="code.py")["tokens"]
    assert tokens[:3] == [["keyword", "def"], ["", " "], ["function", "total"]]


def test_bombs_have_a_gap(workspace: Path) -> None:
    """A document made to fill memories, a broken one, and one that is too large end with words, not with the server."""
    bomb = io.BytesIO(word_document())
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/extra.xml", b"0" * 101_000_000)
    outputs = trial_with(
        workspace, {"bomb.docx": bomb.getvalue(), "broken.xlsx": zipped({"x": b""}), "huge.pdf": pdf()}
    )
    os.truncate(outputs / "huge.pdf", 30_000_000)
    gaps = [ask(workspace, "rendition", path=path)["gap"] for path in ("bomb.docx", "broken.xlsx", "huge.pdf")]
    assert ["unpacks to" in gaps[0], "no document" in gaps[1], "larger than the 20 MB" in gaps[2]] == [True] * 3


def test_many_renditions_take_few_processes(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers are those of one by one, and only what could not be read is read again alone."""
    good = {name: data for name, data in one_of_each().items() if name in {"answer.md", "code.py", "letter.docx"}}
    trial_with(workspace, {**good, "broken.xlsx": zipped({"x": b""}), "table.csv": b"a,b\n1,2\n"})
    names = ["answer.md", "code.py", "broken.xlsx", "table.csv", "letter.docx"]
    alone = [ask(workspace, "rendition", path=name) for name in names]
    read: list[str] = []
    apart = rendition.read_apart

    def noted(kind: Kind, data: bytes, also: Mapping[str, Json]) -> dict[str, Any]:
        read.append(kind)
        return apart(kind, data, also)

    monkeypatch.setattr(rendition, "read_apart", noted)
    queries = [*(asked(path=name) for name in names), asked(path="answer.md", case="never planned")]
    assert list(rendition.renditions(subject_at(workspace), queries)) == [*alone, None]
    assert read == ["sheets"]


@pytest.mark.parametrize(
    ("text", "separator", "rows"),
    [
        ("a,b\n1,2\n", ",", [["1", "2"]]),
        ("a;b\n1,5;2\n", ";", [["1,5", "2"]]),
        ("a\tb\n1\t2\n", "\t", [["1", "2"]]),
        ('a,b\n"x, y\nz",2\n', ",", [["x, y\nz", "2"]]),
    ],
)
def test_tables(text: str, separator: str, rows: list[list[str]]) -> None:
    """The separator is the one that makes rows of the same width; quoted line feeds stay in their cell."""
    found = table_of(text, tabs=False, most=10, whole=True)
    assert (found["separator"], found["rows"], found["more"]) == (separator, rows, False)


def test_table_numbers() -> None:
    """Columns that hold nothing but numbers are named, to be aligned; rows beyond the cap are said to be there."""
    found = table_of("a,b\n1,x\n-2.5,3\n7,8\n", tabs=False, most=2, whole=True)
    assert (found["numbers"], found["rows"], found["more"]) == ([0], [["1", "x"], ["-2.5", "3"]], True)


def test_difference_of_all(workspace: Path) -> None:
    """Files are added, removed, changed or the same, byte for byte."""
    trial_with(workspace, {"same": b"1", "size": b"1", "bytes": b"12", "only/left": b""})
    trial_with(workspace, {"same": b"1", "size": b"22", "bytes": b"13", "right": b""}, arm="other")
    entries = ask(workspace, "difference", to_arm="other")["entries"]
    changes = {"same": "same", "size": "changed", "bytes": "changed", "only/left": "removed", "right": "added"}
    assert {entry["path"]: entry["change"] for entry in entries} == changes


def test_difference_of_lines_and_words(workspace: Path) -> None:
    """Equal lines are apart from those that changed, and in these the words that did are marked."""
    trial_with(workspace, {"a.txt": b"one\nthe old word\nlast\n"})
    trial_with(workspace, {"a.txt": b"one\nthe new word\nlast\n"}, arm="other")
    assert ask(workspace, "difference", to_arm="other", path="a.txt")["blocks"] == [
        {"same": ["one"]},
        {"left": [[[0, "the "], [1, "old"], [0, " word"]]], "right": [[[0, "the "], [1, "new"], [0, " word"]]]},
        {"same": ["last"]},
    ]


def test_difference_of_documents_and_bytes(workspace: Path) -> None:
    """Of Word documents the words are compared; what has no text, or too much, has a gap."""
    long = b"x" * 1_000_001
    trial_with(workspace, {"a.docx": word_document("old"), "b.bin": b"\0", "c.txt": long})
    trial_with(workspace, {"a.docx": word_document("new"), "b.bin": b"\1\0", "c.txt": long + b"y"}, arm="other")
    found = {path: ask(workspace, "difference", to_arm="other", path=path) for path in ("a.docx", "b.bin", "c.txt")}
    assert found["a.docx"]["blocks"] == [{"left": [[[0, "old"]]], "right": [[[0, "new"]]]}]
    assert found["b.bin"]["gap"] == "There is no text to compare."
    assert "1000 kB" in found["c.txt"]["gap"]


def test_no_such_trial(workspace: Path) -> None:
    """A trial that is not there is an error with its name."""
    trial_with(workspace, {})
    with pytest.raises(SpecError, match="eval-1/nobody/run-1"):
        ask(workspace, "files", arm="nobody")
