"""A few plain sentences with figures, for people who read nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census
from skilltrial.aggregate.scores import CaseScores
from skilltrial.aggregate.skill_builder import always
from skilltrial.aggregate.skill_creator import signed
from skilltrial.aggregate.tables import N_EXAMPLES, eval_name
from skilltrial.records.benchmark import AssertionRow, ConfigSummary
from skilltrial.records.plan import Arm
from skilltrial.records.suite import Case

_WIDTH = 80


def notes(
    census: Census,
    sides: Contest,
    *,
    scores: Sequence[CaseScores],
    assertions: Sequence[AssertionRow],
    summaries: Mapping[str, ConfigSummary],
) -> tuple[str, ...]:
    """On harm, flakiness, assertions that tell nothing, overhead, arms that are not compared, and pictures that no judge saw."""
    sentences = [*_flaky(scores)]
    if sides.treatment and sides.baseline:
        sentences = [
            *_harm(scores),
            *sentences,
            *_always(assertions, sides),
            *_overhead(summaries, sides.treatment.name, baseline=sides.baseline.name),
        ]
    sentences += [*_ablations(census, sides, summaries), *_unseen(census)]
    others = [arm.name for arm in census.arms if arm not in sides.arms and _left_out(arm) is None]
    if others:
        sentences.append(f"Shown but not compared: {', '.join(others)}.")
    return tuple(sentences)


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
            texts = _listed([repr(_short(row.text)) for row in rows])
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


def _cases(cases: Sequence[Case]) -> str:
    return _listed([_short(eval_name(case)) for case in cases])


def _listed(texts: Sequence[str]) -> str:
    more = len(texts) - N_EXAMPLES
    return ", ".join(texts[:N_EXAMPLES]) + (f" and {more} more" if more > 0 else "")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _WIDTH else f"{line[: _WIDTH - 1]}…"
