"""One imported iteration -> a plan, trials and gradings, in memory."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skilltrial.importing.arms import make_arms, unplaced
from skilltrial.importing.criteria import Criteria
from skilltrial.importing.events import prompt_of
from skilltrial.importing.notices import notices
from skilltrial.importing.trials import HARNESS, make_trial, real_model
from skilltrial.importing.values import plain
from skilltrial.importing.verdicts import make_grading
from skilltrial.records.foreign import ForeignCase, ForeignIteration, ForeignRun, ForeignWorkspace, Statement
from skilltrial.records.grading import Grading
from skilltrial.records.json_value import Json
from skilltrial.records.plan import UNKNOWN_JUDGE, Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.repair import Repair
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trial import Trial, TrialKey


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What an import knows beside the iteration."""

    workspace: ForeignWorkspace
    skill: SkillRef
    told: tuple[str, ...] = ()
    """The arms whose roles the person told."""
    version: str
    now: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """An iteration in our records. `runs` has the run that each trial was."""

    plan: Plan
    trials: tuple[Trial, ...]
    gradings: tuple[Grading, ...]
    runs: Mapping[TrialKey, ForeignRun]
    cases: Mapping[str, ForeignCase]
    """By our id."""


def to_native(iteration: ForeignIteration, source: Source) -> Native:
    """Our records of an iteration; nothing is read or written.

    Every run becomes a trial, in the order of the files, but for copies of runs, which count once; nothing else was planned as
    far as the files tell. Raises `PlanError` where the roles of two or more arms are not known.
    """
    iteration, copies = _without_copies(iteration)
    arms = make_arms(iteration, source.skill, told=source.told)
    numbered, repairs = _number(iteration)
    drafts = [_CaseDraft(case, id_, numbered) for case, id_ in _with_ids(_all_cases(iteration))]
    cases = tuple(draft.case for draft in drafts)
    harness = HarnessChoice(
        name=HARNESS, model=real_model(source.workspace.model), discovery="unknown", why="imported; no agent ran here"
    )
    digest = _digest(iteration, cases, arms, source)
    facts = _facts(source.workspace)
    trials = tuple(
        make_trial(key, run, harness=harness, facts=facts, plan_digest=digest)
        for draft in drafts
        for key, run in draft.runs.items()
    )
    gradings = tuple(grading for draft in drafts for grading in draft.gradings)
    repairs += [*copies, *(repair for draft in drafts for repair in draft.repairs)]
    said = notices(
        iteration,
        origin=f"{source.workspace.root} ({_family(source.workspace)})",
        trials=trials,
        cases=cases,
        n_invented=sum(len(draft.criteria.invented) for draft in drafts),
        unplaced=unplaced(iteration) if len(arms) > 1 else (),
    )
    plan = Plan(
        skilltrial_version=source.version,
        created_at=source.now,
        skill=source.skill,
        suite=_suite(source.workspace, cases),
        arms=arms,
        trials=tuple(PlannedTrial(key=trial.key, seed=0) for trial in trials),
        harness=harness,
        judge=UNKNOWN_JUDGE,
        seed=1,
        runs=max((trial.key.repeat for trial in trials), default=1),
        timeout_s=0.0,
        digest=digest,
        repairs=(*source.workspace.repairs, *repairs),
        notices=said,
    )
    return Native(
        plan=plan,
        trials=trials,
        gradings=gradings,
        runs={key: run for draft in drafts for key, run in draft.runs.items()},
        cases={draft.case.id: draft.foreign for draft in drafts},
    )


class _CaseDraft:
    """A case with its runs, and the criteria that they are graded on."""

    def __init__(self, foreign: ForeignCase, id_: str, numbered: Mapping[str, Mapping[TrialKey, ForeignRun]]) -> None:
        self.foreign = foreign
        self.criteria = Criteria(foreign.criteria)
        self.runs = {key.model_copy(update={"case_id": id_}): run for key, run in numbered.get(foreign.key, {}).items()}
        bound = {key: self.criteria.bind(_statements(run)) for key, run in self.runs.items()}
        assertions = self.criteria.assertions
        self.case = Case(
            id=id_,
            written_id=foreign.id,
            name=foreign.name,
            prompt=foreign.prompt or _prompt(self.runs.values()),
            expected_output=foreign.expected_output,
            assertions=assertions,
            extra=plain(foreign.extra),
        )
        self.gradings = [
            make_grading(key, run.grading, assertions=assertions, bound=bound[key]) for key, run in self.runs.items()
        ]

    @property
    def repairs(self) -> list[Repair]:
        texts = {assertion.id: assertion.text for assertion in self.case.assertions}
        return [
            Repair(
                code="criterion-invented",
                message=f"the gradings of case {self.case.id} speak of a criterion that the case does not declare; kept",
                file=self.foreign.place,
                value=texts[id_][:200],
            )
            for id_ in self.criteria.invented
        ]


def _prompt(runs: Iterable[ForeignRun]) -> str:
    """Where all runs that tell a prompt tell the same."""
    told = {prompt for run in runs if (prompt := prompt_of(run))}
    return told.pop() if len(told) == 1 else ""


def _statements(run: ForeignRun) -> Sequence[Statement]:
    return (run.grading.statements or ()) if run.grading else ()


def _all_cases(iteration: ForeignIteration) -> list[ForeignCase]:
    """No run may be without a case, whatever the reader makes of a strange tree."""
    known = {case.key for case in iteration.cases}
    lost = dict.fromkeys(run.case for run in iteration.runs if run.case not in known)
    return [*iteration.cases, *(ForeignCase(key=key, place=iteration.place) for key in lost)]


def _without_copies(iteration: ForeignIteration) -> tuple[ForeignIteration, list[Repair]]:
    """Without runs that lie twice, and without cases that are nothing but them."""
    copies = [run for run in iteration.runs if run.copy_of is not None]
    runs = tuple(run for run in iteration.runs if run.copy_of is None)
    gone = {run.case for run in copies} - {run.case for run in runs}
    cases = tuple(case for case in iteration.cases if case.key not in gone)
    repairs = [
        Repair(
            code="run-copied", message=f"the same run as {run.copy_of}; counted once", file=run.place, value=run.case
        )
        for run in copies
    ]
    return replace(iteration, runs=runs, cases=cases) if copies else iteration, repairs


def _with_ids(cases: Sequence[ForeignCase]) -> list[tuple[ForeignCase, str]]:
    """Each case with an id of ours: the written one where no other case has it, else its unique key."""
    written = Counter(str(case.id) for case in cases if case.id is not None)
    keys = {case.key for case in cases}

    def id_of(case: ForeignCase) -> str:
        name = str(case.id)
        usable = case.id is not None and name and written[name] == 1 and (name == case.key or name not in keys)
        return name if usable else case.key

    return [(case, id_of(case)) for case in cases]


def _number(iteration: ForeignIteration) -> tuple[dict[str, dict[TrialKey, ForeignRun]], list[Repair]]:
    """The runs by case, each under a number of its own in its arm; the number as written where it is free."""
    taken: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    by_case: defaultdict[str, dict[TrialKey, ForeignRun]] = defaultdict(dict)
    repairs: list[Repair] = []
    # Runs with a plain number first, so that `run-retry` does not take it from one of them.
    for run in sorted(iteration.runs, key=lambda run: run.written_as is not None):
        used = taken[run.case, run.arm]
        number = run.run_number
        if number < 1 or number in used:
            number = max(used, default=0) + 1
        if number != run.run_number or run.written_as:
            name = repr(run.written_as) if run.written_as else str(run.run_number)
            message = f"run {name} is number {number} here"
            repairs.append(Repair(code="run-renumbered", message=message, file=run.place, value=name))
        used.add(number)
        by_case[run.case][TrialKey(case_id=run.case, arm=run.arm, repeat=number)] = run
    return by_case, repairs


def _suite(workspace: ForeignWorkspace, cases: tuple[Case, ...]) -> Suite:
    facts = [case.model_dump(mode="json") for case in cases]
    return Suite(
        skill_name=workspace.skill_name,
        dialect="mixed" if workspace.family in {"native", "other"} else workspace.family,
        path=workspace.root,
        digest=_sha256(facts),
        cases=cases,
    )


def _facts(workspace: ForeignWorkspace) -> Mapping[str, str]:
    facts = {"imported from": _family(workspace), "agent program, as recorded": workspace.harness}
    return {name: value for name, value in facts.items() if value}


def _family(workspace: ForeignWorkspace) -> str:
    return "a tool that is not known" if workspace.family == "other" else workspace.family


def _digest(iteration: ForeignIteration, cases: Sequence[Case], arms: Sequence[Arm], source: Source) -> str:
    """Marks the plan as this import's: the same files give the same digest, and no plan of ours has it."""
    runs = [[run.case, run.arm, run.run_number, run.place] for run in iteration.runs]
    return _sha256(
        ["imported", source.workspace.root, iteration.place, runs, [c.id for c in cases], [a.name for a in arms]]
    )


def _sha256(facts: Json) -> str:
    text = json.dumps(facts, sort_keys=True, default=str)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
