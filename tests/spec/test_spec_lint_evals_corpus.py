"""Advice on real eval files: no crash, and few words about how people write."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from skilltrial.records.suite import LlmJudge
from skilltrial.spec.lint.evals import advise
from skilltrial.spec.lint.rule import EvalsUnderLint
from skilltrial.spec.suite import examine_suite

WORDING = {"tautological", "subjective", "vague", "compound", "too-long"}


@pytest.mark.shared
def test_real_eval_files_get_few_remarks_on_wording(shared: Path) -> None:
    """Most authors write well: of a thousand statements fewer than twenty are remarked on, and something is found."""
    index = (shared / "corpus/index.jsonl").read_text().splitlines()
    files = [row["file"] for row in map(json.loads, index) if row["kind"] == "evals"]
    found: Counter[str] = Counter()
    n_statements = n_read = 0
    for file in files:
        reading = examine_suite(shared / "corpus" / file, None)
        under = EvalsUnderLint(suite=reading.suite, triggers=reading.triggers, skill=None, places=reading.places)
        problems = advise(under)
        assert all(problem.severity in {"warning", "note"} for problem in problems)
        found.update(problem.code for problem in problems)
        n_read += reading.suite is not None or reading.triggers is not None
        n_statements += sum(
            isinstance(each, LlmJudge)
            for case in (reading.suite.cases if reading.suite else ())
            for each in case.assertions
        )
    assert n_read > 200
    assert 0 < sum(found[code] for code in WORDING) < 0.02 * n_statements
    assert found["answer-in-prompt"] > 10
