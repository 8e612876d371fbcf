"""One trial: how it ended, what it took, what was found, and who found it."""

from __future__ import annotations

from skilltrial.execute.resume import read_trial
from skilltrial.grade.run import read_grading
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.review.long_text import beginning, end_of_stderr
from skilltrial.review.plans import case_of, plan_of
from skilltrial.review.subject import Query, Subject


def trial(subject: Subject, query: Query) -> object:
    """All of a trial but its files and its transcript."""
    iteration, key = query.iteration(subject, earlier=True), _key(query)
    case_of(subject, iteration, key.case_id)
    found = read_trial(subject.store, iteration, key)
    if found is None:
        planned = any(each.key == key for each in plan_of(subject, iteration).trials)
        return {**_named(iteration, key), "outcome": "not_run", "planned": planned}
    grading = read_grading(subject.store, iteration, key)
    return {
        **_named(iteration, key),
        **_ending(subject, iteration, found),
        **_effort(found),
        **_origin(found),
        **({"graded": False} if grading is None else _verdicts(grading)),
    }


def _key(query: Query) -> TrialKey:
    return TrialKey(case_id=query.text("case"), arm=query.text("arm"), repeat=max(1, query.number("repeat")))


def _named(iteration: int, key: TrialKey) -> dict[str, object]:
    return {"iteration": iteration, "case": key.case_id, "arm": key.arm, "repeat": key.repeat}


def _ending(subject: Subject, iteration: int, trial: Trial) -> dict[str, object]:
    ended_well = trial.outcome == "completed"
    return {
        "outcome": trial.outcome,
        "reason": trial.reason.model_dump() if trial.reason else None,
        "exitCode": trial.exit_code,
        "answer": beginning(trial.final_message),
        "answerCut": trial.final_message_cut,
        "stderr": None if ended_well else end_of_stderr(subject, iteration, trial.key),
        "attempts": [
            {
                "outcome": attempt.outcome,
                "reason": attempt.reason.model_dump() if attempt.reason else None,
                "seconds": attempt.duration_ms / 1000,
                "startedAt": attempt.started_at,
            }
            for attempt in trial.attempts
        ],
        "rounds": [each.model_dump() for each in trial.conversation.rounds] if trial.conversation else [],
        "whyNoMore": trial.conversation.why if trial.conversation else "",
    }


def _effort(trial: Trial) -> dict[str, object]:
    return {
        "seconds": None if trial.duration_ms is None else trial.duration_ms / 1000,
        "tokens": trial.spent_tokens,
        "usd": trial.spent_usd(),
        "toolCalls": None if trial.tool_calls is None else dict(trial.tool_calls),
        "toolErrors": trial.n_tool_errors,
        "turns": trial.n_turns,
        "nFiles": len(trial.files),
        "skill": trial.evidence.model_dump(),
        "doubleCalls": None if trial.double_calls is None else dict(trial.double_calls),
    }


def _origin(trial: Trial) -> dict[str, object]:
    harness = trial.harness
    return {
        "startedAt": trial.started_at,
        "agent": " ".join(part for part in (harness.name, harness.version) if part),
        "modelAsked": harness.model_asked,
        "modelServed": harness.model_served,
        "discovery": harness.discovery,
        "args": list(harness.args),
        "facts": dict(harness.facts),
        "isolation": trial.isolation,
        "seed": trial.seed,
        "reusedFrom": trial.reused_from.iteration if trial.reused_from else None,
    }


def _verdicts(grading: Grading) -> dict[str, object]:
    judge = grading.judge
    return {
        "graded": True,
        "results": [_result(each) for each in grading.results],
        "metaResults": [_result(each) for each in grading.meta_results],
        "score": grading.weighted_score,
        "claims": [claim.model_dump() for claim in grading.claims],
        "notes": grading.user_notes.model_dump(),
        "critique": dict(grading.eval_feedback),
        "judge": judge.model_dump(include={"model", "samples", "calls", "cost_usd"}) if judge else None,
    }


def _result(result: AssertionResult) -> object:
    """The votes say where the quote stands."""
    return {
        "id": result.id,
        "text": result.text,
        "type": result.type,
        "verdict": result.verdict,
        "evidence": beginning(result.evidence),
        "confidence": result.confidence,
        "grader": result.grader,
        "weight": result.weight,
        "required": result.required,
        "votes": [vote.model_dump() for vote in result.votes],
    }
