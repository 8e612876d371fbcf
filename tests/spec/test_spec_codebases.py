"""The `codebase` of eval files: read, checked, and written back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.records.suite import Codebase, Suite
from skilltrial.spec.convert.conversion import convert
from skilltrial.spec.suite import SuiteReading, examine_suite

URL = {"url": "https://example.org/x.git", "ref": "main"}


def reading(tmp_path: Path, top: Mapping[str, Any], *cases: Mapping[str, Any]) -> SuiteReading:
    """A file with these keys, and cases with these."""
    place = tmp_path / "pdf/evals/evals.json"
    place.parent.mkdir(parents=True, exist_ok=True)
    evals = [{"id": f"c{n}", "prompt": "P", "assertions": ["It is short"], **case} for n, case in enumerate(cases)]
    place.write_text(json.dumps({"skill_name": "pdf", **top, "evals": evals}))
    return examine_suite(place, None)


def suite_of(tmp_path: Path, top: Mapping[str, Any], *cases: Mapping[str, Any]) -> Suite:
    """The suite, where nothing is wrong with it."""
    read = reading(tmp_path, top, *cases)
    assert read.suite is not None, read.errors
    assert read.repairs == ()
    return read.suite


def test_a_case_wins_over_the_file(tmp_path: Path) -> None:
    """And a relative path starts at the eval file's folder."""
    suite = suite_of(tmp_path, {"codebase": URL}, {}, {"codebase": {"path": "app"}})
    assert [case.codebase for case in suite.cases] == [
        Codebase(**URL, written=URL),
        Codebase(path=str(tmp_path / "pdf/evals/app"), written={"path": "app"}),
    ]


@pytest.mark.parametrize(
    ("codebase", "said"),
    [
        ({"url": "u"}, "must be a 'url' with a 'ref', or a 'path'"),
        ({"ref": "main"}, "must be a 'url' with a 'ref', or a 'path'"),
        ({**URL, "path": "p"}, "must be a 'url' with a 'ref', or a 'path'"),
        ({}, "must be a 'url' with a 'ref', or a 'path'"),
        ("../repo", "must be a 'url' with a 'ref', or a 'path'"),
        ({"path": " "}, "must be a text"),
        ({"path": 3}, "must be a text, not 3"),
    ],
)
@pytest.mark.parametrize("at", ["file", "case"])
def test_what_names_no_codebase_is_an_error(tmp_path: Path, codebase: object, said: str, at: str) -> None:
    """The case would be run without it: another task. Said once, with the place."""
    key = {"codebase": codebase}
    read = reading(tmp_path, key if at == "file" else {}, key if at == "case" else {})
    assert [error.code for error in read.errors] == ["bad-codebase"]
    assert said in read.errors[0].message
    assert read.errors[0].place.startswith("codebase" if at == "file" else "evals[0].codebase")


def test_an_unknown_key_of_it_is_told_and_kept(tmp_path: Path) -> None:
    """It may be a slip of one that matters."""
    written = {"path": "app", "subdir": "x"}
    read = reading(tmp_path, {}, {"codebase": written})
    assert [(repair.code, repair.path) for repair in read.repairs] == [("unknown-key", "evals[0].codebase.subdir")]
    assert read.suite is not None
    assert read.suite.cases[0].codebase == Codebase(path=str(tmp_path / "pdf/evals/app"), written=written)


@pytest.mark.parametrize("to", ["agentskills", "skill-creator", "skill-builder"])
def test_it_is_written_back_where_it_stood(tmp_path: Path, to: Any) -> None:
    """Once at the file, and at the case that has another."""
    suite = suite_of(tmp_path, {"codebase": URL}, {}, {"codebase": {"path": "app"}})
    value = convert(suite, to=to).value
    assert value["codebase"] == URL
    assert [case.get("codebase") for case in value["evals"]] == [None, {"path": "app"}]


def test_slow_powers_has_none(tmp_path: Path) -> None:
    """Its schema allows no such key: a loss, said once for each place."""
    suite = suite_of(tmp_path, {"codebase": URL}, {}, {"codebase": {"path": "app"}})
    losses = [str(loss) for loss in convert(suite, to="slow-powers").losses]
    assert sum("codebase" in loss for loss in losses) == 2


def test_where_it_lies_is_not_in_the_digest(tmp_path: Path) -> None:
    """A moved folder does not make other cases, another ref does."""
    here = suite_of(tmp_path / "a", {"codebase": URL}, {"codebase": {"path": "app"}}, {})
    there = suite_of(tmp_path / "b", {"codebase": URL}, {"codebase": {"path": "app"}}, {})
    other = suite_of(tmp_path / "a", {"codebase": {**URL, "ref": "v2"}}, {"codebase": {"path": "app"}}, {})
    assert here.digest == there.digest
    assert here.digest != other.digest


@pytest.mark.parametrize("url", ["https://me:hunter2@example.org/x.git", "HTTP://hunter2@h/x", "ssh://me:hunter2@h/x"])
def test_a_login_is_not_written_down(tmp_path: Path, url: str) -> None:
    """Plans and reports keep what cases say; the message does not repeat it."""
    (error,) = reading(tmp_path, {}, {"codebase": {"url": url, "ref": "main"}}).errors
    assert (error.code, error.place) == ("bad-codebase", "evals[0].codebase.url")
    assert "hunter2" not in str(error)


@pytest.mark.parametrize("url", ["git@example.org:x.git", "ssh://git@example.org:22/x", "https://example.org/@a/x:1"])
def test_a_name_for_ssh_is_no_login(tmp_path: Path, url: str) -> None:
    """Nor is what stands in a path."""
    assert suite_of(tmp_path, {}, {"codebase": {"url": url, "ref": "main"}}).cases[0].codebase is not None
