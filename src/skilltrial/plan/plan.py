"""Suite × arms × repeats."""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Sequence

from skilltrial.errors import PlanError
from skilltrial.plan.differences import confounded, require_alike, require_distinct
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedCodebase, PlannedTrial
from skilltrial.records.skill import Skill, SkillRef
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trial import TrialKey
from skilltrial.spec.template import MARK

MOST_TRIALS = 100_000
"""A plan is one file and one list in memory; more than this is a mistake of typing."""


def make_plan(
    skill: Skill,
    suite: Suite,
    *,
    arms: Sequence[Arm],
    harness: HarnessChoice,
    runs: int,
    seed: int,
    timeout_s: float,
    now: str,
    version: str,
    only: Sequence[str] = (),
    judge: str | None = None,
    responder: str | None = None,
    codebases: Sequence[PlannedCodebase] = (),
    notices: Sequence[str] = (),
    alike: bool = False,
    until_loaded: bool = False,
) -> Plan:
    """Freeze what will be done. `runs` are the repeats of cases that do not say their own number.

    `codebases` are those of the cases in `only`. `alike`: that arms do not differ is what is wanted.

    Raises `PlanError` for numbers that make no sense, for ids in `only` that the suite does not have, for arms that do not
    differ, and for prompts that are still those of the template.
    """
    if runs < 1:
        raise PlanError(f"--runs is {runs}.", hint="Each case has to run at least once in each arm.")
    if not alike:
        require_distinct(arms, harness)
    require_alike(arms, harness)
    if not 0 < timeout_s < math.inf:
        raise PlanError(f"--timeout is {timeout_s:g}.", hint="Give the seconds that one trial may take.")
    chosen = only_cases(suite, only)
    _refuse_template(chosen)
    n_trials = len(arms) * sum(case.runs or runs for case in chosen.cases)
    if n_trials > MOST_TRIALS:
        raise PlanError(
            f"this plan has {n_trials:,} trials, more than {MOST_TRIALS:,}.",
            hint="Use fewer --runs, or --only some cases.",
        )
    code = {case_id: codebase.digest for codebase in codebases for case_id in codebase.case_ids}
    digest = _digest(
        {
            "cases": [[*case_facts(case, code.get(case.id)), case.runs] for case in chosen.cases],
            "arms": [[arm.name, arm.role, *arm_facts(arm)] for arm in arms],
            "harness": harness_facts(harness),
            "runs": runs,
            "seed": seed,
            "timeout_s": timeout_s,
            **({"responder": responder} if responder else {}),
            **({"until_loaded": True} if until_loaded else {}),
        }
    )
    return Plan(
        skilltrial_version=version,
        created_at=now,
        skill=SkillRef(name=skill.name, folder=skill.folder, fingerprint=skill.fingerprint),
        suite=chosen,
        arms=tuple(arms),
        trials=_order(chosen.cases, arms, runs=runs, seed=seed),
        harness=harness,
        judge=judge,
        responder=responder,
        seed=seed,
        runs=runs,
        timeout_s=timeout_s,
        digest=digest,
        codebases=tuple(codebases),
        until_loaded=until_loaded,
        repairs=(*skill.repairs, *suite.repairs),
        notices=(*notices, *confounded(arms, harness)),
    )


def case_facts(case: Case, code: str | None = None) -> list[Json]:
    """What a trial of the case depends on: its id, its words, files and doubles. `code` is the digest of its codebase."""
    # What there is none of is not said: plans from before there were any keep their digest.
    facts: list[Json] = [case.id, case.prompt, sorted([file.path, file.sha256] for file in case.files)]
    own: dict[str, Json] = {} if code is None else {"codebase": code}
    if case.turns:
        own["turns"] = [turn.model_dump(mode="json") for turn in case.turns]
    if case.responder:
        own["responder"] = case.responder.model_dump(mode="json")
    if case.doubles:
        own["doubles"] = case.doubles.model_dump(mode="json", exclude={"written"})
    return [*facts, own] if own else facts


def arm_facts(arm: Arm) -> list[Json]:
    """What a trial depends on of its arm: the skill, and what the arm has of its own, where it has anything."""
    own: dict[str, Json] = {}
    if arm.harness:
        own["harness"] = harness_facts(arm.harness)
    if arm.beside:
        own["beside"] = sorted([ref.name, ref.fingerprint] for ref in arm.beside)
    if arm.prompt_prefix:
        own["prompt_prefix"] = arm.prompt_prefix
    if arm.env:
        own["env"] = dict(arm.env)
    if arm.env_digests:
        own["env_digests"] = dict(arm.env_digests)
    return [arm.skill.fingerprint if arm.skill else None, *([own] if own else [])]


def harness_facts(harness: HarnessChoice) -> Json:
    """What a trial depends on of the agent program; not why it was chosen."""
    # What there is none of is not said: plans from before there were any keep their digest.
    absent = {name for name in ("sandbox", "described") if harness.model_dump()[name] is None}
    return harness.model_dump(mode="json", exclude={"why", *absent})


def only_cases(suite: Suite, wanted: Sequence[str]) -> Suite:
    """The suite with the cases of these ids alone; all of them where none is named. Raises `PlanError` for unknown ids."""
    if not wanted:
        return suite
    written = {str(case.written_id): case.id for case in suite.cases if case.written_id is not None}
    known = written | {case.id: case.id for case in suite.cases}
    missing = [name for name in wanted if name not in known]
    if missing:
        raise PlanError(
            f"the suite has no case {missing[0]!r}.",
            where=suite.path,
            hint=f"Its cases: {', '.join(case.id for case in suite.cases)}.",
        )
    ids = {known[name] for name in wanted}
    return suite.model_copy(update={"cases": tuple(case for case in suite.cases if case.id in ids)})


def _refuse_template(suite: Suite) -> None:
    unwritten = next((case.id for case in suite.cases if case.prompt.startswith(MARK)), None)
    if unwritten is not None:
        hint = f"Write what belongs there instead of '{MARK} …'; `skilltrial validate` lists all such places."
        raise PlanError(f"the prompt of {unwritten!r} is still that of the template.", where=suite.path, hint=hint)


def _order(cases: Sequence[Case], arms: Sequence[Arm], *, runs: int, seed: int) -> tuple[PlannedTrial, ...]:
    """Repeat by repeat; within one, cases shuffled, and the arms of a case shuffled but side by side in time."""
    rng = random.Random(seed)  # noqa: S311 - an order that can be repeated, not a secret
    planned: list[PlannedTrial] = []
    for repeat in range(1, max(case.runs or runs for case in cases) + 1):
        due = [case for case in cases if repeat <= (case.runs or runs)]
        for case in rng.sample(due, len(due)):
            trial_seed = _trial_seed(seed, case.id, repeat)
            for arm in rng.sample(list(arms), len(arms)):
                key = TrialKey(case_id=case.id, arm=arm.name, repeat=repeat)
                planned.append(PlannedTrial(key=key, seed=trial_seed))
    return tuple(planned)


def _trial_seed(seed: int, case_id: str, repeat: int) -> int:
    text = f"{seed}\0{case_id}\0{repeat}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") & 0x7FFFFFFF


def _digest(facts: Json) -> str:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
