"""A few plain sentences with figures, for people who read nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census
from skilltrial.aggregate.outliers import drift, outliers
from skilltrial.aggregate.scores import CaseScores, usable
from skilltrial.aggregate.skill_builder import always
from skilltrial.aggregate.skill_creator import signed
from skilltrial.aggregate.tables import N_EXAMPLES, eval_name
from skilltrial.records.benchmark import AssertionRow, ConfigSummary, Discrimination
from skilltrial.records.estimate import Lift
from skilltrial.records.plan import Arm
from skilltrial.records.suite import Case

MOST = 12
_WIDTH = 80


def notes(
    census: Census,
    sides: Contest,
    *,
    scores: Sequence[CaseScores],
    assertions: Sequence[AssertionRow],
    summaries: Mapping[str, ConfigSummary],
    lifts: Sequence[Lift],
) -> tuple[str, ...]:
    """At most `MOST`, what matters most for the verdict first; each with its figures."""
    sentences = [*_flaky(scores)]
    if sides.treatment and sides.baseline:
        sentences = [
            *_harm(scores),
            *_telling(assertions, sides, word="hurts"),
            *_unbalanced(census, sides),
            *sentences,
            *_ends(scores),
            *drift(census, sides),
            *_telling(assertions, sides, word="helps"),
            *_always(assertions, sides),
            *_overhead(summaries, sides.treatment.name, baseline=sides.baseline.name),
        ]
    sentences += [*outliers(census, sides), *_ablations(census, sides, summaries), *_unseen(census)]
    return tuple([*sentences, *_others(census, sides, lifts)][:MOST])


def _telling(assertions: Sequence[AssertionRow], sides: Contest, *, word: Discrimination) -> Iterator[str]:
    """Assertions of a word, with their counts in both arms."""
    rows = [row for row in assertions if row.discrimination == word]
    if rows:
        names = [arm.name for arm in sides.arms]
        told = [
            f"{title} {' against '.join(f'{row.passed[name]}/{row.graded[name]}' for name in names)}"
            for title, row in zip(_titles(rows, assertions), rows, strict=True)
        ]
        how = "more" if word == "helps" else "less"
        count = f"{len(rows)} of {len(assertions)}"
        yield f"Assertions that hold clearly {how} often with {names[0]} than with {names[1]}: {count} ({_listed(told)})."


def _unbalanced(census: Census, sides: Contest) -> Iterator[str]:
    """Where one arm lost more trials than the other: those that are left may be the easier ones."""
    lost = {arm.name: sum(item.key.arm == arm.name for item in census.excluded) for arm in sides.arms}
    planned = {arm.name: sum(key.arm == arm.name for key in census.planned) for arm in sides.arms}
    shares = {name: lost[name] / planned[name] for name in lost if planned[name]}
    if len(set(shares.values())) > 1:
        told = " and ".join(f"{lost[name]} of {planned[name]} trials of {name}" for name in shares)
        yield f"Without a verdict are {told}: the arms may be left with different tasks."


def _ends(scores: Sequence[CaseScores]) -> Iterator[str]:
    """Cases in which there is nothing to gain, or nothing was reached."""
    told = usable(scores)
    for what, score, why in (
        ("pass", 1, "no skill can gain there"),
        ("score 0", 0, "they are too hard, or their assertions cannot be met"),
    ):
        cases = [row.case for row in told if set(row.treatment + row.baseline) == {score}]
        if cases:
            yield f"All trials of both arms {what} in {len(cases)} of {len(told)} cases ({_cases(cases)}): {why}."


def _others(census: Census, sides: Contest, lifts: Sequence[Lift]) -> Iterator[str]:
    """Arms beside the two, without those that leave a section out."""
    ablated = {arm.name for arm in census.arms if _left_out(arm) is not None}
    told = [
        f"{lift.treatment} {signed(lift.estimate * 100, 0)} points ({lift.word})"
        for lift in lifts[1:]
        if lift.estimate is not None and lift.treatment not in ablated
    ]
    if told:
        yield f"Against {lifts[0].baseline} as well: {', '.join(told)}."
    compared = {arm.name for arm in sides.arms} | {lift.treatment for lift in lifts if lift.estimate is not None}
    others = [arm.name for arm in census.arms if arm.name not in compared | ablated]
    if others:
        yield f"Shown but not compared: {', '.join(others)}."


def _harm(scores: Sequence[CaseScores]) -> Iterator[str]:
    told = [row for row in scores if row.difference is not None]
    harmed = [row.case for row in told if (row.difference or 0) < 0]
    if harmed:
        yield f"Scores fell in {len(harmed)} of {len(told)} cases: {_cases(harmed)}."


def _flaky(scores: Sequence[CaseScores]) -> Iterator[str]:
    repeated = [row for row in scores if max(len(row.treatment), len(row.baseline)) > 1]
    flaky = [row.case for row in repeated if len(set(row.treatment)) > 1 or len(set(row.baseline)) > 1]
    if flaky:
        yield f"Repeats of one arm disagree in {len(flaky)} of {len(repeated)} repeated cases: {_cases(flaky)}."


def _always(assertions: Sequence[AssertionRow], sides: Contest) -> Iterator[str]:
    names = [arm.name for arm in sides.arms]
    graded = sum(all(row.graded[name] for name in names) for row in assertions)
    for verb, passing in (("pass", True), ("fail", False)):
        rows = always(assertions, sides, passing=passing)
        if rows:
            texts = _listed(_titles(rows, assertions))
            yield f"Assertions that {verb} in every graded trial of both arms: {len(rows)} of {graded} ({texts})."


def _overhead(summaries: Mapping[str, ConfigSummary], treatment: str, *, baseline: str) -> Iterator[str]:
    new, old = summaries[treatment], summaries[baseline]
    parts: list[str] = []
    if new.duration_ms_mean is not None and old.duration_ms_mean is not None:
        seconds = f"{abs(new.duration_ms_mean - old.duration_ms_mean) / 1000:.1f} s"
        parts.append(f"{seconds} {_more(new.duration_ms_mean, old.duration_ms_mean)}")
    if new.total_tokens_mean is not None and old.total_tokens_mean is not None:
        tokens = f"{abs(new.total_tokens_mean - old.total_tokens_mean):,.0f} tokens"
        parts.append(f"{tokens} {_more(new.total_tokens_mean, old.total_tokens_mean)}")
    if parts:
        yield f"On average a trial of {treatment} takes {' and '.join(parts)} than one of {baseline}."


def _ablations(census: Census, sides: Contest, summaries: Mapping[str, ConfigSummary]) -> Iterator[str]:
    whole = summaries[sides.treatment.name].overall_pass_rate if sides.treatment else None
    changes: list[tuple[float, str]] = []
    for arm in census.arms:
        rate, title = summaries[arm.name].overall_pass_rate, _left_out(arm)
        if title is not None and rate is not None and whole is not None:
            changes.append((rate - whole, title))
    if changes and sides.treatment:
        told = ", ".join(f"{signed(change * 100, 0)} without {_short(title)!r}" for change, title in sorted(changes))
        yield (
            f"One section of the skill left out at a time, in points of pass rate against {sides.treatment.name}: {told}. "
            "These are plain differences of means, without intervals: see which to look into, and try it with more runs."
        )


def _unseen(census: Census) -> Iterator[str]:
    judged = [entry.grading.judge for entry in census.counted if entry.grading.judge]
    n_unseen = sum(facts.images_refused for facts in judged)
    if n_unseen:
        yield f"A judge took no pictures and judged without them: {n_unseen} of {len(judged)} judged trials had some."


def _left_out(arm: Arm) -> str | None:
    return arm.skill.left_out if arm.skill else None


def _more(new: float, old: float) -> str:
    word = "more" if new >= old else "less"
    return f"{word} ({signed((new - old) / old * 100, 0)} %)" if old else word


def _titles(rows: Sequence[AssertionRow], assertions: Sequence[AssertionRow]) -> list[str]:
    """Their texts, with the case where several assertions have the same."""
    times = Counter(row.text for row in assertions)
    places = [f" of {_short(str(row.eval_id))}" if times[row.text] > 1 else "" for row in rows]
    return [f"{_short(row.text)!r}{place}" for row, place in zip(rows, places, strict=True)]


def _cases(cases: Sequence[Case]) -> str:
    return _listed([_short(eval_name(case)) for case in cases])


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - N_EXAMPLES
    return ", ".join(texts[:N_EXAMPLES]) + (f" and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
