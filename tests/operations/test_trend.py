"""Iterations side by side: what changed, what is comparable, and anybody's history.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.operations.trend import compare, read_history, read_trend
from skilltrial.records.history import History, HistoryVersion
from skilltrial.records.workspace_benchmark import IterationRow
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions
from skilltrial.wiring import open_store

ROW = IterationRow(
    iteration=1,
    benchmark="",
    timestamp="2026-11-01T10:00:00Z",
    skill_name="tidy",
    skill_fingerprint="sha256:a",
    suite_digest="s",
    arms={},
    lift=None,
    pass_rates={},
    n_cases=0,
    n_graded=0,
    n_planned=0,
    cost_usd=None,
    judge_usd=None,
    models="m",
    harness="codex",
    harness_version="1",
)


@pytest.mark.parametrize(
    ("update", "changed", "unknown"),
    [
        ({}, (), ()),
        ({"skill_fingerprint": "sha256:b", "suite_digest": "t"}, ("skill", "suite"), ()),
        ({"harness": "pi", "harness_version": "2"}, ("agent program",), ()),
        ({"harness_version": "2", "judge": "j"}, ("version of the agent program", "judge"), ()),
        ({"models": None, "skill_fingerprint": "unknown"}, (), ("skill", "model")),
    ],
)
def test_what_changed_is_told_from_what_nobody_knows(
    update: dict[str, str | None], changed: tuple[str, ...], unknown: tuple[str, ...]
) -> None:
    """Another agent program has another version, which goes without saying."""
    assert compare(ROW, ROW.model_copy(update=update)) == (changed, unknown)


def test_a_history_in_the_published_shape_is_read_whole(tmp_path: Path) -> None:
    """skill-creator's own example, of two of its versions."""
    first = {
        "version": "v0",
        "parent": None,
        "expectation_pass_rate": 0.65,
        "grading_result": "baseline",
        "is_current_best": False,
    }
    second = {**first, "version": "v1", "parent": "v0", "grading_result": "won", "is_current_best": True}
    told = {"started_at": "2026-01-15T10:30:00Z", "skill_name": "pdf", "current_best": "v1"}
    (tmp_path / "history.json").write_text(json.dumps({**told, "iterations": [first, second]}))
    history, notice = read_history(open_store(tmp_path, write=False))
    assert notice == ""
    assert history is not None
    assert json.loads(history.model_dump_json(exclude_unset=True)).keys() >= told.keys()
    assert [version.model_dump(exclude={"iteration", "skill_fingerprint"}) for version in history.iterations] == [
        first,
        second,
    ]


def test_a_history_of_another_hand_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """Rates that are none are unknown, versions without a name are passed over, unknown keys too."""
    listed = [{"version": "v0", "expectation_pass_rate": 65, "extra": 1}, {"parent": "v0"}, "v2"]
    (tmp_path / "history.json").write_text(json.dumps({"iterations": listed}))
    history, _ = read_history(open_store(tmp_path, write=False))
    only = HistoryVersion(
        version="v0", parent=None, expectation_pass_rate=None, grading_result="", is_current_best=False
    )
    assert history == History(started_at=None, skill_name="", current_best=None, iterations=(only,))


@pytest.mark.parametrize("text", ["{", "[]", '{"iterations": {}}', "null", "[" * 100_000])
def test_a_history_that_is_none_is_left_out_and_said(text: str, tmp_path: Path) -> None:
    """With nothing else in the folder there is no history at all."""
    (tmp_path / "history.json").write_text(text)
    store = open_store(tmp_path, write=False)
    history, notice = read_history(store)
    assert history is None
    assert "is left out" in notice
    with pytest.raises(SpecError, match="there is no iteration here"):
        read_trend(store)


def test_another_tools_workspace_shows_its_versions_and_how_to_see_more(tmp_path: Path) -> None:
    """Its iterations are not ours; import makes them so."""
    write_workspace(tmp_path, WorkspaceOptions(iterations=2))
    trend = read_trend(open_store(tmp_path / "workspace", write=False))
    assert trend.points == ()
    assert trend.versions is not None
    assert [version.version for version in trend.versions.iterations] == ["v0", "v1"]
    assert "skilltrial import" in trend.notices[0]


def test_the_workspace_of_several_runs_says_where_they_are(tmp_path: Path) -> None:
    """Of a matrix or many skills each has its own history."""
    (tmp_path / "cells/a/iteration-1").mkdir(parents=True)
    (tmp_path / "cells/a/iteration-1/plan.json").write_text("{}")
    with pytest.raises(SpecError, match="each has a history of its own"):
        read_trend(open_store(tmp_path, write=False))


def test_an_iteration_that_cannot_be_read_keeps_its_place(tmp_path: Path) -> None:
    """With the reason; the command does not fail."""
    (tmp_path / "iteration-1").mkdir()
    (tmp_path / "iteration-1/plan.json").write_text("{}")
    (point,) = read_trend(open_store(tmp_path, write=False)).points
    assert point.row is None
    assert "this plan cannot be read" in point.error
