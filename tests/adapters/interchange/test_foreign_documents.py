"""Documents are told by what is in them, and by their names only where that says nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from skilltrial.adapters.interchange.documents import kind_of
from skilltrial.adapters.interchange.reader import read

Plant = Callable[[Mapping[str, Any]], Path]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"winner": "A", "reasoning": "r", "rubric": {}}, "comparison"),
        ({"comparison_summary": {"winner": "A"}}, "analysis"),
        ({"current_best": "v1", "iterations": [{"version": "v0"}]}, "history"),
        ({"reviews": [], "status": "complete"}, "feedback"),
        ({"eval_feedback": [{"eval_id": "a", "rating": "good", "comment": ""}]}, "feedback"),
        ({"eval_feedback": {"overall": "x"}}, "other"),
        ({"metadata": {}, "runs": []}, "benchmark"),
        ({"configs": {"with_skill": {}}, "comparison": {}}, "benchmark"),
        ({"conditions": [{"name": "a", "skill_path": None}]}, "conditions"),
        ({"best_description": "d"}, "loop_result"),
        ({"results": [{"query": "q", "should_trigger": True, "trigger_rate": 1}]}, "trigger_result"),
        ([{"query": "q", "should_trigger": True}], "suite"),
        ({"evals": [{"id": 1, "prompt": "p"}]}, "suite"),
        (["a remark"], "notes"),
        ({"name": "package"}, "other"),
        ([], "other"),
        ("text", "other"),
        (None, "other"),
    ],
)
def test_kinds_by_content(value: Any, kind: str) -> None:
    """Whatever the file is called."""
    assert kind_of(value, "some.json") == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("benchmark_v2.json", "benchmark"),
        ("comparison_manifest.json", "manifest"),
        ("dispatch.json", "manifest"),
        ("feedback.json", "feedback"),
        ("other.json", "other"),
    ],
)
def test_kinds_by_name(name: str, kind: str) -> None:
    """Where the content is anybody's."""
    assert kind_of({"a": "b"}, name) == kind


def test_documents_are_of_their_round_or_of_the_whole(plant: Plant) -> None:
    """By where they lie; their values are as they were."""
    comparison = {"winner": "A", "reasoning": "r"}
    root = plant(
        {
            "iteration-1/eval-0/with_skill/grading.json": {"expectations": []},
            "iteration-1/comparisons/comparison-1.json": comparison,
            "iteration-1/report.md": "x",
            "history.json": {"current_best": "v0", "iterations": []},
            "package.json": {"name": "x"},
        }
    )
    workspace = read(root)
    assert [(each.place, each.kind) for each in workspace.documents] == [("history.json", "history")]
    assert {each.place: (each.kind, each.value) for each in workspace.iterations[0].documents} == {
        "iteration-1/comparisons/comparison-1.json": ("comparison", comparison),
        "iteration-1/report.md": ("report", None),
    }
