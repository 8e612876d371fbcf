"""What the pages Overview, Cases and Case are told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browsing import subject_of

from skilltrial.errors import SpecError
from skilltrial.review.reading import QUESTIONS
from skilltrial.review.subject import Query


def asked(workspace: Path, name: str, **parameters: object) -> Any:
    """The answer as JSON has it."""
    query = Query({key: str(value) for key, value in parameters.items()})
    return json.loads(json.dumps(QUESTIONS[name](subject_of(workspace), query)))


def trial_file(workspace: Path, case: str, arm: str, repeat: int, name: str) -> Path:
    """A file of a trial of the demo."""
    return workspace / f"iteration-1/eval-{case}/{arm}/run-{repeat}/{name}"


def test_overview_has_the_sentence_and_the_arms(kept_demo: Path) -> None:
    """The word, the interval's ends and each arm's trials are those of the report."""
    found = asked(kept_demo, "overview")
    assert found["figures"]["headline"]["word"] == "better"
    assert [(arm["name"], arm["passed"], arm["graded"]) for arm in found["figures"]["arms"]] == [
        ("with_skill", 11, 12),
        ("without_skill", 0, 12),
    ]
    assert found["progress"] == {"planned": 24, "finished": 24, "graded": 24}


def test_overview_names_the_trials_that_were_lost(shown_workspace: Path) -> None:
    """A trial without a grading is in no rate, and named with its reason."""
    trial_file(shown_workspace, "cache-lock", "with_skill", 2, "grading.json").unlink()
    trial_file(shown_workspace, "cache-lock", "with_skill", 1, "grading.json").touch()
    [group] = asked(shown_workspace, "overview")["remarks"]["excluded"]
    assert group["trials"] == [{"case": "cache-lock", "arm": "with_skill", "repeat": 2}]
    assert "no grading" in group["reason"]


def test_cases_stand_in_natural_order(kept_everything: Path) -> None:
    """Case 2 comes before case 10, whatever else the ids hold."""
    titles = [row["title"] for row in asked(kept_everything, "cases")["cases"]]
    assert titles.index("Case 2") < titles.index("Case 10")


def test_cases_tell_the_arms_with_their_numbers(kept_demo: Path) -> None:
    """The baseline stands left; a rate comes with how many trials it is of."""
    found = asked(kept_demo, "cases")
    [row] = [row for row in found["cases"] if row["id"] == "mail-retry"]
    assert [arm["name"] for arm in found["arms"]] == ["without_skill", "with_skill"]
    assert row["arms"] == [
        {"rate": 0, "passed": 0, "graded": 2, "planned": 2, "lost": 0},
        {"rate": 0.75, "passed": 1, "graded": 2, "planned": 2, "lost": 0},
    ]


def test_cases_hold_no_evidence(kept_everything: Path) -> None:
    """The list stays small: verdicts' evidence is told with the trial."""
    assert "The text says so" not in json.dumps(asked(kept_everything, "cases"))


def test_folders_that_the_plan_does_not_know_are_told(shown_workspace: Path) -> None:
    """Trials of a case without a plan are said to be there."""
    stranger = shown_workspace / "iteration-1/eval-stranger"
    stranger.mkdir()
    (stranger / "eval_metadata.json").write_text("{}")
    assert asked(shown_workspace, "cases")["strangers"] == ["eval-stranger"]


def test_case_has_its_neighbours_and_all_runs(kept_demo: Path) -> None:
    """Counts of a run are of its verdicts."""
    found = asked(kept_demo, "case", case="csv-header")
    assert (found["before"], found["after"], found["place"]) == ("cache-lock", "login-limit", 2)
    run = {"repeat": 1, "outcome": "completed", "passed": 2, "failed": 0, "ungraded": 0}
    assert found["arms"][1]["trials"][0] == run


def test_case_knows_the_iteration_before(kept_everything: Path) -> None:
    """Of iteration 2 the same case of iteration 1 is offered, of iteration 1 none."""
    assert asked(kept_everything, "case", iteration=2, case="2")["earlier"][0]["iteration"] == 1
    assert asked(kept_everything, "case", iteration=1, case="2")["earlier"] == []


def test_case_that_is_not_there(kept_demo: Path) -> None:
    """It is named in the error."""
    with pytest.raises(SpecError, match="no case 'nobody'"):
        asked(kept_demo, "case", case="nobody")


def test_trial_has_every_verdict(kept_demo: Path) -> None:
    """UNGRADED stays UNGRADED, with its reason."""
    found = asked(kept_demo, "trial", case="cache-lock", arm="without_skill", repeat=1)
    assert [result["verdict"] for result in found["results"]] == ["FAIL", "FAIL", "UNGRADED"]
    assert "no skill was offered" in found["results"][2]["evidence"]["text"]


def test_trial_that_was_not_run(kept_demo: Path) -> None:
    """Neither a pass nor a fail: it is said not to have been run, and whether it was planned."""
    found = asked(kept_demo, "trial", case="cache-lock", arm="with_skill", repeat=9)
    assert (found["outcome"], found["planned"]) == ("not_run", False)


def test_trial_without_a_grading_has_no_verdicts(shown_workspace: Path) -> None:
    """No verdict is made up."""
    trial_file(shown_workspace, "cache-lock", "with_skill", 1, "grading.json").unlink()
    found = asked(shown_workspace, "trial", case="cache-lock", arm="with_skill", repeat=1)
    assert found["graded"] is False
    assert "results" not in found


def test_failed_trial_shows_the_end_of_stderr(shown_workspace: Path) -> None:
    """Of a trial that did not complete, the last 4,000 bytes are shown with the length of all."""
    record = trial_file(shown_workspace, "cache-lock", "with_skill", 1, "run.json")
    changed = {**json.loads(record.read_bytes()), "outcome": "harness_error"}
    record.write_text(json.dumps(changed))
    record.with_name("stderr.txt").write_text("a" * 5000 + "the end")
    found = asked(shown_workspace, "trial", case="cache-lock", arm="with_skill", repeat=1)
    assert found["stderr"]["text"].endswith("the end")
    assert (len(found["stderr"]["text"]), found["stderr"]["length"]) == (4000, 5007)


def test_long_texts_are_begun_and_had_whole(shown_workspace: Path) -> None:
    """A final message of 30,000 characters comes in part, and whole on demand."""
    record = trial_file(shown_workspace, "cache-lock", "with_skill", 1, "run.json")
    record.write_text(json.dumps({**json.loads(record.read_bytes()), "final_message": "é" * 30_000}))
    where = {"case": "cache-lock", "arm": "with_skill", "repeat": 1}
    begun = asked(shown_workspace, "trial", **where)["answer"]
    assert (len(begun["text"]), begun["length"]) == (20_000, 30_000)
    assert asked(shown_workspace, "text", of="answer", **where)["text"] == "é" * 30_000
