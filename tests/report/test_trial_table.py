"""All trials and assertions as rows, read back by other people's readers."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest

from skilltrial.aggregate.census import Census, take_census
from skilltrial.records.grading import AssertionResult, Grading, Verdict
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import AnswerMatches, Case, Suite
from skilltrial.records.trial import HarnessFacts, Reason, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage
from skilltrial.report.trial_table import (
    ASSERTION_COLUMNS,
    TRIAL_COLUMNS,
    Row,
    as_csv,
    as_jsonl,
    assertion_rows,
    trial_rows,
)

SKILL = SkillRef(name="tidy", folder="tidy", fingerprint="sha256:1")
ARMS = (Arm(name="with_skill", role="treatment", skill=SKILL), Arm(name="without_skill", role="baseline"))
HOSTILE = '=HYPERLINK("http://x","y")\r\n\x1b[31m,"'


def key(arm: str, repeat: int) -> TrialKey:
    """Of the only case."""
    return TrialKey(case_id="c", arm=arm, repeat=repeat)


def result(number: int, verdict: Verdict, evidence: str, weight: float = 1) -> AssertionResult:
    """On assertion `a1` or `a2`."""
    grader = "none" if verdict == "UNGRADED" else "code"
    kind = "answer_matches"
    return AssertionResult(
        id=f"a{number}", text="holds", type=kind, verdict=verdict, evidence=evidence, grader=grader, weight=weight
    )


def trial(arm: str, repeat: int, **fields: Any) -> Trial:
    """One that came to its end, about which little is known."""
    values: dict[str, Any] = {
        "outcome": "completed",
        "started_at": "2026-03-01T12:00:00Z",
        "duration_ms": 1500,
        "usage": Usage(),
        "tool_calls": None,
        "n_tool_errors": None,
        "harness": HarnessFacts(name="pi", version="1.0"),
        "evidence": SkillEvidence(),
        "attempts": (),
        "isolation": "folder",
        "seed": 7,
        "plan_digest": "sha256:3",
    }
    return Trial(key=key(arm, repeat), **(values | fields))


@pytest.fixture
def records() -> tuple[Plan, Census]:
    """One case, two arms, two repeats: everything known; an error of a tool; nothing known and graded; not run."""
    assertions = tuple(AnswerMatches(id=f"a{n}", text="holds", pattern="x") for n in (1, 2))
    keys = [key(arm.name, repeat) for arm in reversed(ARMS) for repeat in (1, 2)]
    plan = Plan(
        skilltrial_version="0",
        created_at="2026-03-01T12:00:00Z",
        skill=SKILL,
        suite=Suite(
            dialect="agentskills",
            path="evals.json",
            digest="sha256:2",
            cases=(Case(id="c", prompt="Do it.", assertions=assertions),),
        ),
        arms=ARMS,
        trials=tuple(PlannedTrial(key=one, seed=7) for one in keys),
        harness=HarnessChoice(name="pi"),
        seed=1,
        runs=2,
        timeout_s=60,
        digest="sha256:3",
    )
    trials = (
        trial(
            "with_skill",
            1,
            usage=Usage(input_tokens=100, output_tokens=20, cache_read_tokens=5),
            cost_usd=0.0,
            tool_calls={"read": 2, "write": 1},
            n_tool_errors=0,
            harness=HarnessFacts(name="pi", version=HOSTILE, model_served="m"),
            evidence=SkillEvidence(offered=True, loaded=True),
        ),
        trial("with_skill", 2, outcome="harness_error", reason=Reason(code="rate_limited", message="-slow")),
        trial("without_skill", 1, cost_usd=float("inf"), duration_ms=None),
    )
    gradings = (
        Grading(
            key=key("with_skill", 1),
            results=(result(1, "PASS", HOSTILE, weight=3), result(2, "FAIL", "-1 of 2")),
            digest="sha256:4",
        ),
        Grading(
            key=key("without_skill", 1),
            results=(result(1, "UNGRADED", "no judge"), result(2, "UNGRADED", "no judge")),
            digest="sha256:5",
        ),
    )
    return plan, take_census(plan, trials, gradings)


def read_csv(columns: Sequence[str], rows: Iterable[Row]) -> list[dict[str, str]]:
    """By Python's own reader."""
    return list(csv.DictReader(io.StringIO(as_csv(columns, rows), newline="")))


def test_one_row_a_planned_trial(records: tuple[Plan, Census]) -> None:
    """Treatment first; also what failed and what was not run."""
    rows = read_csv(TRIAL_COLUMNS, trial_rows(records[0], 3, records[1]))
    told = [(row["iteration"], row["case"], row["arm"], row["role"], row["repeat"], row["outcome"]) for row in rows]
    assert told == [
        ("3", "c", "with_skill", "treatment", "1", "completed"),
        ("3", "c", "with_skill", "treatment", "2", "harness_error"),
        ("3", "c", "without_skill", "baseline", "1", "completed"),
        ("3", "c", "without_skill", "baseline", "2", "not_run"),
    ]


def test_figures_of_a_trial(records: tuple[Plan, Census]) -> None:
    """One of two assertions holds, which weighs three of four; a known cost of nothing is 0."""
    row = read_csv(TRIAL_COLUMNS, trial_rows(records[0], 1, records[1]))[0]
    assert {name: row[name] for name in ("score", "weighted_score", "passed", "failed", "ungraded")} == {
        "score": "0.5",
        "weighted_score": "0.75",
        "passed": "1",
        "failed": "1",
        "ungraded": "0",
    }
    assert [row[name] for name in ("seconds", "tokens_in", "tokens_out", "tokens", "cost_usd", "tool_calls")] == [
        "1.5", "100", "20", "125", "0.0", "3",
    ]  # fmt: skip
    assert [row[name] for name in ("skill_offered", "skill_reached", "model", "seed")] == ["true", "true", "m", "7"]
    assert [row[name] for name in ("skill_fingerprint", "suite_digest", "plan_digest")] == [
        f"sha256:{n}" for n in "123"
    ]


def test_unknown_is_empty(records: tuple[Plan, Census]) -> None:
    """Never 0, never false, never infinite; and why a trial is in no rate stands beside it."""
    _, failed, open_, missing = read_csv(TRIAL_COLUMNS, trial_rows(records[0], 1, records[1]))
    for name in ("score", "seconds", "tokens", "cost_usd", "tool_calls", "tool_errors", "skill_reached", "model"):
        assert (name, open_[name], missing[name]) == (name, "", "")
    assert open_["ungraded"] == "2"
    assert open_["excluded"] == "nothing graded: no verdict on any of 2 assertions"
    assert (failed["excluded"], failed["passed"]) == ("rate_limited: -slow", "")
    assert missing["excluded"] == "it has not been run, or not to its end"


def test_no_cell_is_a_formula_or_acts(records: tuple[Plan, Census]) -> None:
    """An apostrophe stands before a text that would be one; lines and escapes are shown."""
    row = read_csv(TRIAL_COLUMNS, trial_rows(records[0], 1, records[1]))[0]
    assert row["version"] == """'=HYPERLINK("http://x","y") \\x1b[31m,\""""
    verdicts = read_csv(ASSERTION_COLUMNS, assertion_rows(records[0], 1, records[1]))
    assert verdicts[1]["evidence"] == "'-1 of 2"


@pytest.mark.parametrize("value", [-1, -0.5, 1e-9])
def test_numbers_stay_numbers(value: float) -> None:
    """Also below zero."""
    assert float(read_csv(("n",), [{"n": value}])[0]["n"]) == value


def test_json_lines_are_the_values_themselves(records: tuple[Plan, Census]) -> None:
    """Texts unchanged, null for unknown, the same columns in each line."""
    lines = as_jsonl(TRIAL_COLUMNS, trial_rows(records[0], 1, records[1])).splitlines()
    rows = [json.loads(line) for line in lines]
    assert all(tuple(row) == TRIAL_COLUMNS for row in rows)
    assert rows[0]["version"] == HOSTILE
    assert (rows[0]["skill_offered"], rows[0]["cost_usd"], rows[2]["cost_usd"]) == (True, 0.0, None)


def test_one_row_an_assertion(records: tuple[Plan, Census]) -> None:
    """Of trials in which the agent had its chance; UNGRADED has no grader."""
    rows = list(assertion_rows(records[0], 1, records[1]))
    told = [(row["arm"], row["repeat"], row["assertion"], row["verdict"], row["weight"], row["grader"]) for row in rows]
    assert told == [
        ("with_skill", 1, "a1", "PASS", 3, "code"),
        ("with_skill", 1, "a2", "FAIL", 1, "code"),
        ("without_skill", 1, "a1", "UNGRADED", 1, None),
        ("without_skill", 1, "a2", "UNGRADED", 1, None),
    ]
    assert all(set(row) == set(ASSERTION_COLUMNS) for row in rows)
