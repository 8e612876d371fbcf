"""Do the arms differ in anything but the skill?"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census
from skilltrial.records.benchmark import Finding
from skilltrial.records.plan import Arm, Plan
from skilltrial.records.trial import Trial, TrialKey

UNEQUAL = 0.05
"""A larger difference between the arms in the share of trials that something happened to is said."""
_MOST_NAMES = 5


def unlike(plan: Plan, census: Census, sides: Contest) -> Iterator[Finding]:
    """What the arms do not have in common, by request or by accident."""
    yield from _mixed(plan, census)
    if sides.treatment is None or sides.baseline is None:
        return
    yield from _by_request(plan, sides.treatment, sides.baseline)
    yield from _siblings(plan, census, sides.treatment, sides.baseline)
    excluded = list(_exclusions(census, sides))
    yield from excluded
    if not excluded:
        yield from _counts(census, sides.treatment, sides.baseline)
    yield from _retries(census, sides)


def shares_differ(shares: Sequence[float]) -> bool:
    """Whether what the arms lost of their trials differs by more than is harmless."""
    return round(max(shares, default=0.0) - min(shares, default=0.0), 9) > UNEQUAL


def served_models(trials: Iterable[Trial]) -> list[str]:
    """The models that served, as reported, sorted."""
    return sorted({trial.harness.model_served for trial in trials if trial.harness.model_served})


def _mixed(plan: Plan, census: Census) -> Iterator[Finding]:
    """Within what was asked for alike; arms that were asked to differ do."""
    groups: dict[tuple[object, ...], list[Trial]] = defaultdict(list)
    for trial in census.trials:
        choice = plan.harness_of(trial.key.arm)
        groups[choice.name, choice.model, choice.base_url, choice.args].append(trial)
    for trials in groups.values():
        models = served_models(trials)
        if len(models) > 1:
            yield Finding(
                code="mixed-models",
                severity="warning",
                message=f"{len(models)} models served these trials ({_names(models)}), so the arms may differ by more than "
                "the skill: name one exact model and run again.",
            )
        versions = sorted({trial.harness.version for trial in trials if trial.harness.version})
        if len(versions) > 1:
            yield Finding(
                code="mixed-versions",
                severity="warning",
                message=f"{len(versions)} versions of {trials[0].harness.name} did these trials ({_names(versions)}), so the "
                "arms may differ by more than the skill: switch its updates off, and run it all with one version in a "
                "new iteration (--iteration new).",
            )


def _by_request(plan: Plan, treatment: Arm, baseline: Arm) -> Iterator[Finding]:
    one, other = plan.harness_of(treatment.name), plan.harness_of(baseline.name)
    pairs: list[tuple[str, object, object]] = [
        ("agent program", one.name, other.name),
        ("model", one.model or "its default", other.model or "its default"),
        ("address", one.base_url or "the vendor's", other.base_url or "the vendor's"),
        ("arguments", " ".join(one.args) or "none", " ".join(other.args) or "none"),
        ("skills beside", _beside(treatment), _beside(baseline)),
        ("environment", _names(sorted(treatment.env)) or "none", _names(sorted(baseline.env)) or "none"),
    ]
    texts = ["prompt prefix"] if treatment.prompt_prefix != baseline.prompt_prefix else []
    texts += [f"{what} ({first}, {second})" for what, first, second in pairs if first != second]
    if treatment.env != baseline.env and treatment.env.keys() == baseline.env.keys():
        texts.append("values of the environment")
    if texts:
        yield Finding(
            code="arms-differ-by-request",
            severity="warning",
            message=f"As was asked for, {treatment.name} and {baseline.name} differ in more than the skill: {'; '.join(texts)}. "
            "The verdict is on the whole set-up: for one on the skill, compare arms that differ in it alone.",
        )


def _beside(arm: Arm) -> str:
    return _names([f"{ref.name} {ref.fingerprint[-8:]}" for ref in arm.beside]) or "none"


def _siblings(plan: Plan, census: Census, treatment: Arm, baseline: Arm) -> Iterator[Finding]:
    """One sighting proves that a skill was there; that it was not takes the listing of every trial."""
    seen = {arm.name: _others(plan, census, arm) for arm in (treatment, baseline)}
    for arm, against in ((treatment, baseline), (baseline, treatment)):
        alone = {name: keys for name, keys in seen[arm.name].items() if name not in seen[against.name]}
        if not alone:
            continue
        trials = [entry.trial for entry in census.entries if entry.arm.name == against.name]
        sure = bool(trials) and all(t.conduct is not None and t.conduct.listed is not None for t in trials)
        proof = "" if sure else f", as far as the trials of {against.name} tell"
        yield Finding(
            code="sibling-in-one-arm",
            severity="invalid" if sure else "warning",
            message=f"Other skills were in the agent's listing in {arm.name} only{proof}: {_names(sorted(alone))}. Take them out "
            "of where the agent finds skills, or place them in both arms (`beside` in skilltrial.toml), and run again.",
            trials=tuple(dict.fromkeys(key for keys in alone.values() for key in keys)),
        )
    both = sorted(seen[treatment.name].keys() & seen[baseline.name].keys())
    if both:
        yield Finding(
            code="other-skills-listed",
            severity="info",
            message=f"Other skills were in the agent's listing in both arms: {_names(both)}. They compete with the skill for the "
            "agent's attention, alike in both.",
        )


def _others(plan: Plan, census: Census, arm: Arm) -> dict[str, list[TrialKey]]:
    refs = [plan.skill, *(each.skill for each in plan.arms if each.skill), *arm.beside]
    own = {name for ref in refs for name in (ref.name, PurePosixPath(ref.folder).name)}
    found: dict[str, list[TrialKey]] = defaultdict(list)
    for trial in census.trials:
        if trial.key.arm == arm.name and trial.conduct is not None:
            for listed in trial.conduct.listed or ():
                name = listed.strip().lstrip("/").rpartition(":")[2]
                if name not in own:
                    found[name].append(trial.key)
    return found


def _exclusions(census: Census, sides: Contest) -> Iterator[Finding]:
    shares: list[float] = []
    texts: list[str] = []
    for arm in sides.arms:
        planned = sum(key.arm == arm.name for key in census.planned)
        out = sum(excluded.key.arm == arm.name for excluded in census.excluded)
        shares.append(out / planned if planned else 0.0)
        texts.append(f"{out} of {planned} trials of {arm.name}")
    if shares_differ(shares):
        names = {arm.name for arm in sides.arms}
        yield Finding(
            code="unequal-exclusions",
            severity="warning",
            message=f"{' and '.join(texts)} are in no rate; what is left of the arms may not be alike: see why under excluded, "
            "and run again.",
            trials=tuple(excluded.key for excluded in census.excluded if excluded.key.arm in names),
        )


def _counts(census: Census, treatment: Arm, baseline: Arm) -> Iterator[Finding]:
    counts = Counter((entry.case.id, entry.arm.name) for entry in census.counted)
    cases = dict.fromkeys(case for case, _arm in counts)
    uneven = [case for case in cases if 0 < counts[case, treatment.name] != counts[case, baseline.name] > 0]
    if uneven:
        yield Finding(
            code="uneven-counts",
            severity="info",
            message=f"Cases with more graded trials in one arm than in the other: {len(uneven)} of {len(cases)} "
            f"({_names(uneven)}). Every case counts alike in the lift, but is surer in one arm: run the same command again.",
        )


def _retries(census: Census, sides: Contest) -> Iterator[Finding]:
    again: list[TrialKey] = []
    shares: list[float] = []
    texts: list[str] = []
    for arm in sides.arms:
        own = [entry.trial for entry in census.entries if entry.arm.name == arm.name and entry.trial.attempts]
        retried = [trial.key for trial in own if len(trial.attempts) > 1]
        again += retried
        shares.append(len(retried) / len(own) if own else 0.0)
        texts.append(f"{len(retried)} of {len(own)} trials of {arm.name}")
    if shares_differ(shares):
        yield Finding(
            code="uneven-retries",
            severity="info",
            message=f"{' and '.join(texts)} took more than one attempt, since tools failed before: one arm met another "
            "state of the service than the other. See attempts/ beside their run.json.",
            trials=tuple(again),
        )


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more
