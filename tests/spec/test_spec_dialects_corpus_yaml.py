"""Real suites in YAML, JSONL and CSV, where the shared corpus lies beside the checkout."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from skilltrial.spec.findings import Problem
from skilltrial.spec.suite import SuiteReading, examine_suite

pytestmark = pytest.mark.shared

DIALECTS = {
    "case-yaml": "case-yaml",
    "waza-task": "waza-task",
    "waza-eval": "waza",
    "vally-yaml": "vally",
    "single-case": "single-case",
    "trigger:trigger-prompts-split": "trigger-prompts",
}
SUFFIXES = {".yaml", ".yml", ".jsonl", ".csv"}
TASK = "inputs: {prompt: Go}\n"


def _read_with_inputs(path: Path) -> SuiteReading:
    """Read a file, with every other file that it names and the corpus lacks put where it is looked for."""
    reading = examine_suite(path, None)
    for _ in range(20):
        missing = [error for error in reading.errors if error.code == "file-missing"]
        if not missing:
            break
        for error in missing:
            _provide(error)
        reading = examine_suite(path, None)
    return reading


def _provide(error: Problem) -> None:
    places = re.search(r"Tried: (?P<first>[^,]*?)(?:, [^\n]*)?\.$", error.message)
    assert places is not None, error.message
    place = Path(places["first"].replace("*", "some"))
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(TASK)


def test_suites_in_other_formats_are_read_whole(shared: Path, tmp_path: Path) -> None:
    """Each is what the index says that it is, and none has an error once its input files are there."""
    n_read: Counter[str] = Counter()
    lines = (shared / "corpus/index.jsonl").read_text(encoding="utf-8").splitlines()
    for number, entry in enumerate(map(json.loads, lines)):
        source = shared / "corpus" / entry["file"]
        if entry["kind"] != "evals" or not (source.suffix in SUFFIXES or entry["dialect"] in DIALECTS):
            continue
        path = tmp_path / str(number) / f"evals/eval{source.suffix}"
        path.parent.mkdir(parents=True)
        path.write_bytes(source.read_bytes())
        reading = _read_with_inputs(path)
        assert not reading.errors, (entry["file"], reading.errors)
        suite = reading.suite or reading.triggers
        assert suite is not None
        assert suite.dialect == DIALECTS.get(entry["dialect"], suite.dialect), entry["file"]
        n_read[entry["dialect"]] += 1
    assert n_read["case-yaml"] == 15
    assert n_read["waza-task"] == 11
    assert n_read["jsonl"] == 8
    assert n_read["skillgrade-yaml"] == 5
    assert n_read["scenarios-obj"] == 4
    assert n_read["trigger-csv"] == 1
