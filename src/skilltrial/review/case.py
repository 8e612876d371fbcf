"""One case: what was asked, what must hold, and how every trial of it came out."""

from __future__ import annotations

from skilltrial.execute.resume import read_trial
from skilltrial.grade.run import read_grading
from skilltrial.plan.iteration import iterations
from skilltrial.records.plan import Plan
from skilltrial.records.suite import Assertion, Case
from skilltrial.records.trial import TrialKey
from skilltrial.review.cases import in_natural_order, ordered
from skilltrial.review.earlier import EARLIER
from skilltrial.review.long_text import beginning
from skilltrial.review.plans import case_of, plan_of
from skilltrial.review.subject import Query, Subject

_SHOWN_ASIDE = frozenset({"id", "text", "type", "weight", "required", "written"})
_RULE = 2_000


def case(subject: Subject, query: Query) -> object:
    """All of a case but its trials' own answer, which `trial` tells one at a time."""
    iteration = query.iteration(subject)
    plan = plan_of(subject, iteration)
    found = case_of(subject, iteration, query.text("case"))
    ids = [each.id for each in in_natural_order(plan)]
    place = ids.index(found.id)
    return {
        "iteration": iteration,
        "id": found.id,
        "writtenId": found.written_id,
        "title": found.name or found.id,
        "place": place + 1,
        "total": len(ids),
        "before": ids[place - 1] if place else None,
        "after": ids[place + 1] if place + 1 < len(ids) else None,
        "prompt": beginning(found.prompt),
        "expected": beginning(found.expected_output),
        "turns": [turn.prompt for turn in found.turns],
        "responder": found.responder.instructions or "A model plays the user." if found.responder else None,
        "files": [file.path for file in found.files],
        "family": found.family,
        "shouldTrigger": found.skill_should_trigger,
        "codebase": (codebase.source if (codebase := plan.codebase(found.id)) else None),
        "assertions": [_assertion(each) for each in found.assertions],
        "arms": _arms(subject, plan, iteration, found),
        "earlier": _earlier(subject, iteration, found),
    }


def _assertion(assertion: Assertion) -> object:
    rule = assertion.model_dump_json(exclude=set(_SHOWN_ASIDE), exclude_defaults=True)
    return {
        "id": assertion.id,
        "text": assertion.text,
        "type": assertion.type,
        "weight": assertion.weight,
        "required": assertion.required,
        "rule": rule[:_RULE] if rule != "{}" and assertion.type != "llm_judge" else None,
    }


def _arms(subject: Subject, plan: Plan, iteration: int, case: Case) -> list[object]:
    """Baselines first."""
    repeats = {arm.name: sorted(_repeats(plan, case.id, arm.name)) for arm in plan.arms}
    return [
        {
            "name": arm.name,
            "role": arm.role,
            "skill": arm.skill.name if arm.skill else None,
            "trials": [
                _dot(subject, iteration, TrialKey(case_id=case.id, arm=arm.name, repeat=repeat))
                for repeat in repeats[arm.name]
            ],
        }
        for arm in ordered(plan)
    ]


def _repeats(plan: Plan, case_id: str, arm: str) -> set[int]:
    return {each.key.repeat for each in plan.trials if each.key.case_id == case_id and each.key.arm == arm}


def _dot(subject: Subject, iteration: int, key: TrialKey) -> object:
    """How a trial came out, in a word; the counts are of its verdicts."""
    trial = read_trial(subject.store, iteration, key)
    grading = read_grading(subject.store, iteration, key) if trial else None
    return {
        "repeat": key.repeat,
        "outcome": trial.outcome if trial else "not_run",
        "passed": grading.n_passed if grading else None,
        "failed": grading.n_failed if grading else None,
        "ungraded": grading.n_ungraded if grading else None,
    }


def _earlier(subject: Subject, iteration: int, case: Case) -> list[object]:
    """The newest iteration before this one that has the case, and that of the workspace before, where it has it."""
    before = [each for each in iterations(subject.store) if each < iteration]
    found = [next(filter(None, (_shown_at(subject, number, case) for number in reversed(before))), None)]
    if subject.previous:
        found.append(_shown_at(subject, EARLIER, case))
    return [each for each in found if each]


def _shown_at(subject: Subject, iteration: int, case: Case) -> object:
    """The arms of a case in an earlier iteration; None where it has no such case."""
    plan = plan_of(subject, iteration)
    same = next((each for each in plan.suite.cases if each.id == case.id), None)
    if same is None:
        return None
    return {
        "iteration": iteration,
        "sameTask": same.prompt == case.prompt,
        "arms": [
            {"name": arm.name, "role": arm.role, "repeats": sorted(_repeats(plan, case.id, arm.name))}
            for arm in ordered(plan)
        ],
    }
