"""The faults V1 to V21 of the viewer that this page replaces: each has a test, here or beside what it is about."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from browsing import subject_of

from skilltrial.review.reading import QUESTIONS
from skilltrial.review.subject import Query
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions

TESTS = {
    "V1": ("test_hostile_page.py", "test_nothing_runs"),
    "V2": ("test_hostile_page.py", "test_nothing_runs"),
    "V3": ("test_frames.py", "test_page_without_scripts_and_documents_reach_nothing"),
    "V4": ("test_review_guard.py", "test_refuses_posts_of_other_pages"),
    "V5": ("test_view_command.py", "test_port_in_use"),
    "V6": ("feedback/test_speaking.py", "test_v6_complete_stays_complete_and_no_review_is_dropped"),
    "V7": ("feedback/test_feedback_page.py", "test_v7_comments_of_a_later_iteration_are_there_after_a_reload"),
    "V8": ("feedback/test_feedback_page.py", "test_v8_what_is_not_saved_is_not_called_saved"),
    "V9": ("feedback/test_feedback_page.py", "test_v9_a_page_that_cannot_save_keeps_drafts_and_gives_them_out"),
    "V10": ("test_faults.py", "test_v10_every_prompt_is_found"),
    "V11": ("test_faults.py", "test_v11_ids_of_all_kinds_have_an_order"),
    "V12": ("test_contents.py", "test_five_hundred_folders_deep"),
    "V13": ("test_contents.py", "test_markdown_is_a_tree_without_html"),
    "V14": ("test_frames.py", "test_page_with_scripts_reaches_nothing"),
    "V15": ("test_faults.py", "test_v15_counts_are_those_of_the_verdicts"),
    "V16": ("test_faults.py", "test_v16_first_answers_stay_small"),
    "V17": ("test_hostile_page.py", "test_nothing_runs"),
    "V18": ("test_view_command.py", "test_no_browser"),
    "V19": ("test_view_command.py", "test_stop"),
    "V20": ("test_case_questions.py", "test_cases_stand_in_natural_order"),
    "V21": ("test_page_keyboard.py", "test_v21_arrows_scroll"),
}
"""File below this folder, and test."""
FAULTS = frozenset({"mixed-ids", "missing-summary", "missing-grading", "nested-outputs"})


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eleven evals in skill-creator's layout, with the faults that its viewer stumbles on, imported."""
    folder = tmp_path_factory.mktemp("faulty")
    write_workspace(folder, WorkspaceOptions(evals=11, runs=1, faults=FAULTS))
    ours = folder / "ours"
    command = [sys.executable, "-m", "skilltrial", "import", str(folder / "workspace"), "--out", str(ours)]
    subprocess.run(command, check=True, capture_output=True)
    return ours


def asked(workspace: Path, name: str, **values: str) -> Any:
    """The answer to a question."""
    return QUESTIONS[name](subject_of(workspace), Query(values))


@pytest.mark.parametrize("fault", TESTS)
def test_fault_has_its_test(fault: str) -> None:
    """The list above is true."""
    file, name = TESTS[fault]
    assert f"def {name}(" in Path(__file__).parent.joinpath(file).read_text(encoding="utf-8")


def test_no_fault_is_missing() -> None:
    """V22 of the catalogue was none."""
    assert set(TESTS) == {f"V{number}" for number in range(1, 22)}


def test_v10_every_prompt_is_found(faulty: Path) -> None:
    """Fault V10: "(No prompt found)" where the metadata lay two levels up, or nowhere but in the transcript."""
    for row in asked(faulty, "cases")["cases"]:
        prompt = asked(faulty, "case", case=row["id"])["prompt"]
        assert len(prompt if isinstance(prompt, str) else prompt["text"]) > 10, row["id"]


def test_v11_ids_of_all_kinds_have_an_order(faulty: Path) -> None:
    """Fault V11: ids that are numbers, texts, or missing could not be sorted. All eleven evals are there, by name."""
    titles = [row["title"] for row in asked(faulty, "cases")["cases"]]
    assert len(titles) == 11
    assert titles == sorted(titles)


def test_v15_counts_are_those_of_the_verdicts(faulty: Path) -> None:
    """Fault V15: "0 passed of 0" where a summary was missing. What has verdicts is counted from them, else it is not graded."""
    rows = asked(faulty, "cases")["cases"]
    rates = [arm for row in rows for arm in row["arms"]]
    assert len(rates) == 22
    for arm in rates:
        assert (arm["rate"] is None) == (arm["graded"] == 0)
    assert sum(arm["graded"] == 0 for arm in rates) == 2  # one a configuration has no grading at all


def test_v16_first_answers_stay_small(kept_everything: Path) -> None:
    """Fault V16: every output was in the page. What is asked first holds none: 50 MB of outputs, and some kilobytes of answers."""
    for name in ("workspace", "overview", "cases", "benchmark"):
        assert len(json.dumps(asked(kept_everything, name))) < 200_000, name
    assert len(json.dumps(asked(kept_everything, "case", case="2"))) < 200_000
