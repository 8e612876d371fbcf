"""The iterations of a workspace side by side: rows, bars and sentences."""

from __future__ import annotations

from skilltrial.records.estimate import Lift
from skilltrial.records.trend import Change, Trend, TrendPoint
from skilltrial.records.workspace_benchmark import IterationRow
from skilltrial.report.comparisons import interval_words
from skilltrial.report.figures import (
    NOTHING,
    dollars,
    gain_tone,
    percent,
    plural,
    seconds,
    signed_points,
)
from skilltrial.report.headline import word_tone
from skilltrial.report.plain_text import line
from skilltrial.report.tables import Cell, Table

_BAR = 33
"""Characters of the scale from −100 to +100 points; odd, so that 0 has one of its own."""
_APART = "- " * (_BAR // 2)
_ROUNDING = 1e-6
_DIGITS = 7
"""Of a fingerprint, as people know them from commits."""
_AND: dict[Change, str] = {"version of the agent program": "the agent program's version"}


def trend_table(trend: Trend) -> Table:
    """One row an iteration: version, date, both pass rates, the lift with its interval, the word, time and cost."""
    columns = ("iteration", "version", "date", "with", "without", "lift", "95 % interval", "word", "time", "cost")
    return Table(columns=columns, rows=tuple(_cells(point) for point in trend.points))


def bars(trend: Trend) -> tuple[str, ...]:
    """A line an iteration for a terminal of 80 columns, plain ASCII but for signs of numbers; first the scale.

    Iterations that are not comparable with the one before are set apart by a broken line.
    """
    indent = " " * 25
    half = " " * ((_BAR - 9) // 2)
    scale = f"{indent}−100{half}0{half}+100"
    lines = [scale]
    for number, point in enumerate(trend.points):
        if number and point.row is not None and not point.comparable:
            lines.append(f"{indent}{_APART}")
        row = point.row
        when, version = (row.timestamp[:10], short(row.skill_fingerprint)) if row else ("", "")
        lift = shown_lift(point)
        none = "not valid" if row and row.invalid else "no lift"
        told = f"{signed_points(lift.estimate)} ({interval_words(lift)})" if lift else none
        lines.append(f"{point.iteration:>4}  {when:10} {version:7} {_bar(lift)} {told}".rstrip())
    return tuple(lines)


def change_sentences(trend: Trend) -> tuple[str, ...]:
    """What changed from one iteration to the next, and what could not be read."""
    return tuple(
        text
        for before, point in zip((None, *trend.points), trend.points, strict=False)
        if (text := _said(before, point))
    )


def rates_sentence(trend: Trend) -> str:
    """Why two rates and the lift between them do not agree; empty where they do in every iteration."""
    apart = [str(point.iteration) for point in trend.points if _is_apart(point)]
    if not apart:
        return ""
    return (
        "A rate counts all cases graded in its arm; the lift only those graded in both, each family of cases once. So it is not "
        f"the difference of the rates in {plural(len(apart), 'iteration')} ({', '.join(apart)})."
    )


def _is_apart(point: TrendPoint) -> bool:
    lift, row = shown_lift(point), point.row
    if lift is None or row is None or lift.estimate is None:
        return False
    new, old = row.pass_rates.get(lift.treatment), row.pass_rates.get(lift.baseline)
    return new is not None and old is not None and abs(new - old - lift.estimate) > _ROUNDING


def version_table(trend: Trend) -> Table | None:
    """The versions of `history.json`; None where there are none."""
    if trend.versions is None or not trend.versions.iterations:
        return None
    rows = tuple(
        (
            Cell(line(version.version, 40)),
            Cell(line(version.parent, 40) if version.parent else NOTHING),
            Cell(NOTHING if version.expectation_pass_rate is None else percent(version.expectation_pass_rate)),
            Cell(line(version.grading_result, 40) or NOTHING),
            Cell("current best" if version.is_current_best else ""),
        )
        for version in trend.versions.iterations
    )
    return Table(columns=("version", "made from", "pass rate", "result", ""), rows=rows)


def shown_lift(point: TrendPoint) -> Lift | None:
    """The lift of an iteration; None where there is none, or the comparison is not valid."""
    row = point.row
    if row is None or row.invalid or row.lift is None or row.lift.estimate is None:
        return None
    return row.lift


def title(trend: Trend) -> str:
    """`csv-report: 3 iterations`."""
    size = plural(len(trend.points), "iteration") if trend.points else "versions"
    return f"{line(trend.skill_name, 80) or 'a skill'}: {size}"


def short(fingerprint: str) -> str:
    """The first digits of a fingerprint."""
    return line(fingerprint.removeprefix("sha256:")[:_DIGITS], _DIGITS)


def _cells(point: TrendPoint) -> tuple[Cell, ...]:
    row, number = point.row, Cell(str(point.iteration))
    if row is None:
        return (number, *[Cell(NOTHING, "muted")] * 6, Cell("not readable", "warning"), *[Cell(NOTHING, "muted")] * 2)
    lift, given = shown_lift(point), row.lift
    word = Cell("not valid", "warning") if row.invalid else Cell(given.word, word_tone(given.word)) if given else None
    return (
        number,
        Cell(short(row.skill_fingerprint)),
        Cell(row.timestamp[:10]),
        _rate(row, given.treatment if given else next(iter(row.pass_rates), None)),
        _rate(row, given.baseline if given else None),
        Cell(signed_points(lift.estimate), gain_tone(lift.estimate)) if lift else Cell(NOTHING, "muted"),
        Cell(interval_words(lift)) if lift else Cell(NOTHING, "muted"),
        word or Cell(NOTHING, "muted"),
        _effort(seconds(time) if (time := row.seconds.get(given.treatment if given else "")) is not None else ""),
        _effort("" if row.cost_usd is None else dollars(row.cost_usd)),
    )


def _rate(row: IterationRow, arm: str | None) -> Cell:
    rate = row.pass_rates.get(arm) if arm else None
    return Cell(NOTHING, "muted") if rate is None else Cell(percent(rate))


def _effort(text: str) -> Cell:
    return Cell(text) if text else Cell(NOTHING, "muted")


def _bar(lift: Lift | None) -> str:
    marks = ["."] * _BAR
    marks[_place(0)] = "|"
    if lift is None or lift.estimate is None:
        return "".join(marks)
    if lift.low is not None and lift.high is not None:
        low, high = _place(lift.low), _place(lift.high)
        marks[low : high + 1] = ["-"] * (high - low + 1)
        if low <= _place(0) <= high:
            marks[_place(0)] = "+"
        marks[low], marks[high] = "[", "]"
    marks[_place(lift.estimate)] = "o"
    return "".join(marks)


def _place(value: float) -> int:
    return round((min(max(value, -1.0), 1.0) + 1) / 2 * (_BAR - 1))


def _said(before: TrendPoint | None, point: TrendPoint) -> str:
    if point.row is None:
        return f"{point.iteration}: {line(point.error, 400)}"
    invalid = ", ".join(line(code, 60) for code in point.row.invalid)
    parts = [f"the comparison is not valid ({invalid})"] if invalid else []
    if point.changed:
        apart = "" if point.comparable else ", so it is not comparable with what stands before"
        parts.append(f"{_listed(point.changed)} changed{_to(point)}{apart}")
    elif before is not None and not point.unknown:
        parts.append("nothing changed")
    if point.unknown:
        parts.append(f"whether {_listed(point.unknown)} changed is not known")
    return f"{point.iteration}: {'; '.join(parts)}." if parts else ""


def _listed(changes: tuple[Change, ...]) -> str:
    names = [_AND.get(name, f"the {name}") for name in changes]
    return " and ".join([", ".join(names[:-1]), names[-1]] if names[1:] else names)


def _to(point: TrendPoint) -> str:
    """The new model or agent program, where that is what changed."""
    row = point.row
    if row is None:
        return ""
    told = {"model": row.models, "agent program": row.harness, "judge": row.judge}
    new = [f"{name} {line(value, 60) if value else 'unknown'}" for name, value in told.items() if name in point.changed]
    return f" (now {', '.join(new)})" if new else ""
