"""Every eval file of the corpus is read with nothing lost, or refused with a reason that is written down here."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from skilltrial.records.json_value import Json
from skilltrial.spec.findings import Findings, Problem
from skilltrial.spec.json_source import Node
from skilltrial.spec.source import read_source
from skilltrial.spec.suite import SuiteReading, examine_suite

pytestmark = pytest.mark.shared

REFUSED = {
    "fmschulz__stop-overengineering__evals-files-expenses-cli-expenses.json": "unknown-form",
    "huggingface__skills__upskill-evals.json": "cases-elsewhere",
    "kimsanguine__AI_PM_Skills__evals-pm-framework-baseline.json": "result-file",
    "kimsanguine__AI_PM_Skills__evals-workspace-EVAL_METRICS.json": "result-file",
    "microsoft__waza__azure-functions-eval-eval.yaml": "file-missing",
    "microsoft__waza__examples-azure-deploy-eval.yaml": "file-missing",
    "vinodjohnson__claude-lustre-testing-skills__evals-evals.json": "no-prompt",
}
"""By name, with the code of the first error: a list of expenses that is an input file, a list of other files, two tables of
results, two files whose tasks are other files that the corpus has elsewhere, and one of which a case has an empty prompt."""
_MAX_ROUNDS = 3
"""A file that is made in one may name others."""


class Read(NamedTuple):
    """One eval file of the corpus, and what reading it gave."""

    name: str
    root: Node
    reading: SuiteReading


@pytest.fixture(scope="session")
def corpus(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Read]:
    """All eval files, each alone in a folder, with the input files that it names and the corpus lacks."""
    lines = (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines()
    files = [shared / "corpus" / entry["file"] for entry in map(json.loads, lines) if entry["kind"] == "evals"]
    return [_read(file, tmp_path_factory.mktemp("eval")) for file in files]


def _read(file: Path, folder: Path) -> Read:
    copy = folder / file.name
    shutil.copyfile(file, copy)
    root = read_source(copy, Findings())
    reading = examine_suite(copy, None)
    for _ in range(_MAX_ROUNDS):
        missing = [error for error in reading.errors if error.code == "file-missing" and "*" not in error.message]
        if not missing or len(missing) < len(reading.errors):
            break
        for error in missing:
            _make_input(error, folder)
        reading = examine_suite(copy, None)
    return Read(file.name, root, reading)


def _make_input(missing: Problem, folder: Path) -> None:
    """A file at the place that was tried last; an error of any other kind stays."""
    tried = missing.message.rpartition("Tried: ")[2].removesuffix(".").rpartition(", ")[2]
    path = Path(tried)
    assert path.is_relative_to(folder)
    path = path if path.suffix else path / "file.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tried, encoding="utf-8")


def _scalars(value: Json) -> Iterator[str | float]:
    if isinstance(value, dict | list):
        inner = cast("list[Json]", list(value.values()) if isinstance(value, dict) else value)
        for one in inner:
            yield from _scalars(one)
    elif isinstance(value, str | float | int):
        yield value


def test_each_file_is_read_or_refused_as_written_down(corpus: list[Read]) -> None:
    """Nothing is refused that is not in the table, and everything that is in it."""
    found = {one.name: one.reading.errors[0].code for one in corpus if one.reading.errors}
    assert found == REFUSED
    assert len(corpus) >= 250
    assert 1 - len(found) / len(corpus) >= 0.97


def test_a_refusal_says_what_and_where(corpus: list[Read]) -> None:
    """With the file, the value found or the keys, and what to do."""
    for one in corpus:
        for error in one.reading.errors:
            assert error.file.endswith(one.name)
            assert error.message
            assert error.hint


def test_what_is_read_has_cases_or_queries(corpus: list[Read]) -> None:
    """And each case or query has a place in the file."""
    for one in corpus:
        suite, triggers, errors, _, places = one.reading
        if not errors:
            cases = suite.cases if suite else ()
            queries = triggers.queries if triggers else ()
            assert cases or queries, one.name
            assert all((entry.id, None) in places for entry in (*cases, *queries)), one.name


def test_nothing_that_an_author_wrote_is_lost(corpus: list[Read]) -> None:
    """Each text, number and truth value of a file is found again in what was read, as often as it is there."""
    lost: dict[str, list[str | float]] = {}
    for one in corpus:
        if one.reading.errors:
            continue
        records = [record.model_dump(mode="json") for record in (one.reading.suite, one.reading.triggers) if record]
        kept = Counter(_scalars(records))
        missing = [value for value, n in Counter(_scalars(one.root.value)).items() if kept[value] < n]
        if missing:
            lost[one.name] = missing
    assert lost == {}
