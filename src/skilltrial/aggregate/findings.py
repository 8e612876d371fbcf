"""Is the trial a valid measurement? What stands against it, with counts and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census
from skilltrial.aggregate.likeness import unlike
from skilltrial.aggregate.scores import CaseScores, n_clusters, usable
from skilltrial.aggregate.stops import stopped_early
from skilltrial.aggregate.wrongdoing import misconduct
from skilltrial.records.benchmark import Finding
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.record import Severity
from skilltrial.records.trial import SkillEvidence, Trial, TrialKey

ENOUGH_CASES = 8
FEWEST_CASES = 4
"""With three, even cases that are all won outright have an interval of -64 to +100 points."""
_RANKS: tuple[Severity, ...] = ("invalid", "warning", "info")


def find(plan: Plan, census: Census, sides: Contest, *, scores: Sequence[CaseScores]) -> tuple[Finding, ...]:
    """All findings, `invalid` first. Those on the skill concern the compared arms only."""
    found = [
        *(finding for arm in sides.arms if arm.skill is None for finding in _without_skill(arm, census)),
        *(finding for arm in sides.arms if arm.skill is not None for finding in _with_skill(arm, plan, census)),
        *misconduct(census, sides),
        *unlike(plan, census, sides),
        *_outcomes(census),
        *stopped_early(census, sides),
        *_measurement(census),
        *_reused(census),
        *_comparison(scores, sides),
    ]
    return tuple(sorted(found, key=lambda finding: _RANKS.index(finding.severity)))


def _without_skill(arm: Arm, census: Census) -> Iterator[Finding]:
    own = [trial for trial in census.trials if trial.key.arm == arm.name]
    leaks = [trial.key for trial in own if _has_skill(trial.evidence)]
    if leaks:
        yield _finding(
            "baseline-had-skill",
            "invalid",
            f"The skill was there in {len(leaks)} of {len(own)} trials of {arm.name}, which must not have it: "
            "take it out of the user's and the project's skill folders, or isolate the agent, and run again.",
            leaks,
        )


def _with_skill(arm: Arm, plan: Plan, census: Census) -> Iterator[Finding]:
    ran = [entry.trial for entry in census.entries if entry.arm.name == arm.name]
    missing = [t.key for t in ran if t.evidence.offered is False and not t.evidence.reached]
    if missing:
        yield _finding(
            "skill-not-offered",
            "invalid",
            f"The skill was not in the agent's listing in {len(missing)} of {len(ran)} trials of {arm.name}: "
            "look for a fault in its front matter, a listing that is too long, or a switched-off skill tool.",
            missing,
        )
    cut = [t.key for t in ran if t.evidence.described is False and t.evidence.offered is not False]
    if cut:
        yield _finding(
            "listing-cut",
            "warning",
            f"The agent's listing had not the whole description of the skill in {len(cut)} of {len(ran)} trials of {arm.name}: "
            "make it shorter, or take other skills out of the listing.",
            cut,
        )
    injected = [t.key for t in ran if t.evidence.injected]
    if injected:
        yield _finding(
            "skill-injected",
            "warning",
            f"The skill's text was in the prompt from the start in {len(injected)} of {len(ran)} trials of {arm.name}: "
            "the lift says what its text does, not whether an agent would find it.",
            injected,
        )
    wanted = {case.id for case in plan.suite.cases if case.skill_should_trigger}
    yield from _reach(arm, [t for t in ran if t.key.case_id in wanted])
    unwanted = [t for t in ran if t.key.case_id not in wanted]
    triggered = [t.key for t in unwanted if t.evidence.reached and not t.evidence.injected]
    if triggered:
        yield _finding(
            "triggered-on-negative",
            "warning",
            f"The skill was loaded in {len(triggered)} of {len(unwanted)} trials of {arm.name} on cases that should not "
            "trigger it: make its description narrower.",
            triggered,
        )


def _reach(arm: Arm, trials: Sequence[Trial]) -> Iterator[Finding]:
    told = [t for t in trials if t.evidence.reached is not None]
    lacking = [t.key for t in told if not t.evidence.reached]
    unknown = [t.key for t in trials if t.evidence.reached is None]
    if lacking and len(lacking) == len(told):
        yield _finding(
            "skill-never-reached",
            "invalid",
            f"The agent read the skill in none of {len(told)} trials of {arm.name}, so nothing was measured of it: "
            "make its description say when to use it, or try a prompt that calls for it.",
            lacking,
        )
    elif lacking:
        yield _finding(
            "skill-not-always-reached",
            "warning",
            f"The agent read the skill in {len(told) - len(lacking)} of {len(told)} trials of {arm.name}; the lift holds "
            "the others too: make its description say when to use it.",
            lacking,
        )
    if unknown:
        yield _finding(
            "skill-evidence-unknown",
            "info",
            f"This agent does not tell whether it read the skill in {len(unknown)} of {len(trials)} trials of {arm.name}: "
            "look into their transcripts.",
            unknown,
        )


def _outcomes(census: Census) -> Iterator[Finding]:
    n = len(census.trials)
    errors = [trial.key for trial in census.trials if trial.outcome == "harness_error"]
    if errors:
        yield _finding(
            "harness-errors",
            "warning",
            f"{len(errors)} of {n} trials ended in an error outside the agent's doing and are in no rate: see why "
            "under excluded, and run the same command again.",
            errors,
        )
    late = [trial.key for trial in census.trials if trial.outcome == "timed_out"]
    if late:
        yield _finding(
            "timeouts",
            "warning",
            f"{len(late)} of {n} trials ran out of time and were graded on what they had: raise --timeout if that was too early.",
            late,
        )
    waiting = [
        excluded.key
        for excluded in census.excluded
        if excluded.outcome in ("not_run", "cancelled")
        and (census.decided is None or excluded.key.repeat <= census.decided)
    ]
    if waiting:
        yield _finding(
            "unfinished",
            "warning",
            f"{len(waiting)} of {len(census.planned)} planned trials have not been run to their end: see why under excluded, and "
            "run the same command again.",
            waiting,
        )
    strays = [trial.key for trial in census.trials if trial.n_strays]
    if strays:
        yield _finding(
            "strays",
            "info",
            f"In {len(strays)} of {n} trials processes outlived the agent and were killed: what they would have written is "
            "missing.",
            strays,
        )


def _measurement(census: Census) -> Iterator[Finding]:
    if census.misgraded:
        yield _finding(
            "grading-mismatch",
            "warning",
            f"In {len(census.misgraded)} of {len(census.entries)} trials the grading drops, repeats, "
            "invents or words otherwise assertions; only what it answers exactly once counts: run the same command again.",
            census.misgraded,
        )
    if census.unplanned:
        yield _finding(
            "unplanned-trials",
            "warning",
            f"Trials that are not in the plan: {len(census.unplanned)}. They are left out: remove them, or plan them.",
            census.unplanned,
        )
    recorded = [trial.key for trial in census.trials if trial.harness.discovery == "recorded"]
    if recorded:
        yield _finding(
            "recorded",
            "info",
            f"Replays of recorded trials: {len(recorded)} of {len(census.trials)}. No agent ran for them now.",
            recorded,
        )


def _reused(census: Census) -> Iterator[Finding]:
    for arm in census.arms:
        own = [trial for trial in census.trials if trial.key.arm == arm.name]
        reused = [trial for trial in own if trial.reused_from is not None]
        if reused:
            origins = sorted({trial.reused_from.iteration for trial in reused if trial.reused_from})
            yield _finding(
                "reused-trials",
                "info",
                f"Taken over from iteration {', '.join(map(str, origins))}, not run again: {len(reused)} of {len(own)} "
                f"trials of {arm.name}. They were made at another time, so a change of the service over time would "
                "look like an effect of the skill: leave --reuse-baseline out to run both arms side by side.",
                [trial.key for trial in reused],
            )


def _comparison(scores: Sequence[CaseScores], sides: Contest) -> Iterator[Finding]:
    if sides.treatment is None or sides.baseline is None:
        return
    one_armed = [assertion for row in scores for assertion in row.one_armed]
    if one_armed:
        expected = all(assertion.type == "skill_invoked" for assertion in one_armed)
        yield _finding(
            "one-armed-assertions",
            "info" if expected else "warning",
            f"Assertions with verdicts in one arm only: {len(one_armed)}. They count in that arm's own rate and are left "
            "out of the lift" + ("." if expected else ": see why under ungraded."),
        )
    n_cases = n_clusters(usable(scores))
    counted = " (those of one family as one)" if n_cases < len(usable(scores)) else ""
    if 0 < n_cases < ENOUGH_CASES:
        limit = (
            f"With fewer than {FEWEST_CASES} no result, however clear, settles the question"
            if n_cases < FEWEST_CASES
            else f"With fewer than {ENOUGH_CASES} only large effects are visible"
        )
        yield _finding(
            "few-cases", "info", f"Cases that can be compared: {n_cases}{counted}. {limit}: add cases before repeats."
        )


def _has_skill(evidence: SkillEvidence) -> bool:
    return bool(evidence.offered or evidence.reached)


def _finding(code: str, severity: Severity, message: str, trials: Iterable[TrialKey] = ()) -> Finding:
    return Finding(code=code, severity=severity, message=message, trials=tuple(trials))
