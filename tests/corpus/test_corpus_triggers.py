"""Every trigger set of the corpus can be run, or is refused with a message that says what to do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_triggers
from skilltrial.trigger.queries import as_suite, is_canary

pytestmark = pytest.mark.shared


def test_every_trigger_set_can_be_run_or_says_why_not(shared: Path, tmp_path: Path) -> None:
    """46 files in six shapes: 45 become cases, one has a text twice, which is named."""
    (tmp_path / "s").mkdir()
    (tmp_path / "s/SKILL.md").write_text("---\nname: s\ndescription: d\n---\nb\n")
    skill = load_skill(tmp_path / "s")
    rows = [json.loads(line) for line in (shared / "corpus/index.jsonl").read_text().splitlines()]
    files = [row["file"] for row in rows if str(row.get("dialect")).startswith("trigger")]
    refused: list[str] = []
    n_queries = 0
    for file in files:
        found = load_triggers(shared / "corpus" / file)
        named = sorted({name for query in found.queries for name in query.expects or ()})
        own = skill.model_copy(update={"name": found.skill_name or next(iter(named), "s")})
        try:
            suite = as_suite(found, own, canaries=True)
        except SpecError as error:
            refused.append(f"{error.where}: {error.message} {error.hint}")
            continue
        assert [is_canary(case) for case in suite.cases[-2:]] == [True, True]
        assert [case.prompt for case in suite.cases[:-2]] == [query.query for query in found.queries]
        assert [case.skill_should_trigger for case in suite.cases[:-2]] == [q.wants(own.name) for q in found.queries]
        n_queries += len(found.queries)
    assert len(files) == 46
    assert n_queries > 400
    (only,) = refused
    assert only.startswith(str(shared / "corpus/evals/alexanderop__blog-generator__evals-prompts.csv"))
    assert "'explicit-01' and 'edge-01' are the same text: '$blog '. Remove one of them" in only
