"""What people's verdicts say of the judge, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.calibration import Agreement, Calibration, CorrectedRate, Figure
from skilltrial.report.figures import percent, plural, points, signed_points
from skilltrial.report.plain_text import line

_NAME = 60


def corrected_headline(benchmark: Benchmark) -> tuple[str, ...]:
    """The corrected lift, to stand beside the raw one; empty with too few labels for that."""
    found = benchmark.calibration
    if found is None or found.standing != "calibrated" or found.lift is None:
        return ()
    return (_lift(found, found.lift),)


def calibration_notes(found: Calibration | None) -> Iterator[str]:
    """For a report: agreement, corrected figures where they are a note, and what is missing."""
    if found is None or not found.n_labels:
        return
    yield _agreement(found.agreements[0], found)
    if found.standing == "noted" and found.lift is not None:
        yield f"As a note, since fewer than 60 labels were drawn for it: {_lift(found, found.lift)}"
    yield from found.remarks


def calibration_sentences(found: Calibration) -> Iterator[str]:
    """All that is known."""
    yield from (_agreement(each, found) for each in found.agreements)
    if found.people_alpha is not None:
        names = ", ".join(line(name, _NAME) for name in found.people)
        yield f"People among each other ({names}): Krippendorff's alpha {found.people_alpha:.2f}."
    for each in found.consistency:
        yield (
            f"Asked again, {line(each.judge, _NAME)} says the same of {percent(each.unanimous.estimate)} of "
            f"{plural(each.n, 'assertion')}{_interval(each.unanimous)}."
        )
    yield from _effect("long answers", found.length_effect)
    yield from _effect("assertions that come late in its list", found.position_effect)
    yield from (_rate(each) for each in found.rates if each.method != "none")
    if found.lift is not None:
        yield _lift(found, found.lift)
    yield from found.remarks
    yield from _left_out(found)


def _agreement(found: Agreement, calibration: Calibration) -> str:
    people = ", ".join(line(name, _NAME) for name in calibration.people)
    return (
        f"{line(found.judge, _NAME)} and people ({people}) say the same of {percent(found.raw.estimate)} of "
        f"{plural(found.n, 'assertion')}{_interval(found.raw)}; kappa {_number(found.kappa)}, AC1 {_number(found.ac1)}. Both pass "
        f"{found.both_pass}, both fail {found.both_fail}; the judge passes {found.judge_passes} that people fail, and "
        f"fails {found.judge_fails} that people pass."
    )


def _rate(found: CorrectedRate) -> str:
    judged = plural(found.n_judged, "judged assertion")
    return (
        f"{line(found.arm, _NAME)}: the judge passes {percent(found.judged)} of {judged}, people would pass about "
        f"{percent(found.corrected.estimate)}{_interval(found.corrected)}, by {plural(found.n_labels, 'label')} "
        f"({found.method})."
    )


def _lift(found: Calibration, lift: Figure) -> str:
    return (
        f"With people's verdicts in the judge's place the difference is {points(lift.estimate)} (95 % interval "
        f"{signed_points(lift.low)} to {signed_points(lift.high)}; {plural(found.n_drawn, 'label')})."
    )


def _effect(what: str, found: Figure | None) -> Iterator[str]:
    if found is not None:
        yield (
            f"Does it pass {what} more, where people say the same? Correlation {_number(found)}; 0 is no such leaning, +1 "
            "the strongest."
        )


def _left_out(found: Calibration) -> Iterator[str]:
    counts = (
        (found.n_unsure, "on which people are unsure or divided"),
        (found.n_outdated, "on statements or trials that have changed since, or have no verdict of a judge now"),
        (found.n_sighted, "of people who saw the arm or the judge's verdict"),
    )
    told = [f"{n} {what}" for n, what in counts if n]
    if told:
        yield f"Not counted: {'; '.join(told)}."


def _interval(found: Figure) -> str:
    if found.low is None or found.high is None:
        return ""
    return f" (95 % interval {percent(found.low)} to {percent(found.high)})"


def _number(found: Figure) -> str:
    if found.estimate is None:
        return "not defined"
    if found.low is None or found.high is None:
        return f"{found.estimate:.2f}".replace("-", "−")
    return f"{found.estimate:.2f} ({found.low:.2f} to {found.high:.2f})".replace("-", "−")
