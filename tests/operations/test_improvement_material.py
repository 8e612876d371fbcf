"""What the proposing model hears of people and analyses: of train cases alone."""

from __future__ import annotations

import json
from pathlib import Path

from skilltrial import wiring
from skilltrial.operations.improvement_trials import people_said, suggestions_on

ITERATION = "iteration-1"


def _labels(case: str) -> dict[str, object]:
    return {
        name: {"case_id": case, "arm": arm, "repeat": 1} for name, arm in (("A", "with_skill"), ("B", "without_skill"))
    }


def test_words_and_suggestions_on_other_cases_are_left_out(tmp_path: Path) -> None:
    """A comment and an analysis of a train case, and of one of hold-out; one more analysis where the loser had no skill."""
    folder = tmp_path / ITERATION
    (folder / "comparisons").mkdir(parents=True)
    (folder / "plan.json").write_text("{}")
    labels = {"comparison-1": _labels("train"), "comparison-2": _labels("held"), "comparison-3": _labels("train")}
    (folder / "comparisons/key.json").write_text(json.dumps({"labels": labels}))
    for n, loser in ((1, "x/SKILL.md"), (2, "x/SKILL.md"), (3, None)):
        analysis = {
            "comparison_summary": {"winner": "A", "loser_skill": loser},
            "improvement_suggestions": [{"priority": "high", "suggestion": f"suggestion {n}"}],
            "skilltrial": {"comparison": f"comparison-{n}"},
        }
        (folder / f"comparisons/analysis-{n}.json").write_text(json.dumps(analysis))
    lines = [
        {"kind": "comment", "id": str(n), "at": "2026-12-01T00:00:00Z", "by": "me", "iteration": 1,
         "about": {"case_id": case}, "text": f"said of {case}"}
        for n, case in enumerate(("train", "held"))
    ]  # fmt: skip
    (tmp_path / "journal.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    store = wiring.open_store(tmp_path, write=False)
    assert suggestions_on(store, {"train"}) == ("suggestion 1",)
    assert people_said(store, {"train"}) == {"train": ("said of train",)}
