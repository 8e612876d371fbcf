"""An improvement as lines of a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from skilltrial.cli.paragraph import paragraph
from skilltrial.operations.improvement_loop import sentence_of
from skilltrial.records.improvement import CasePart, Improvement, Standing, Version
from skilltrial.report.figures import UNKNOWN, count, dollars, percent, plural, signed_points
from skilltrial.report.plain_text import line

_MOST_WARNINGS = 3
_PARTS: tuple[tuple[CasePart, str], ...] = (
    ("train", "shown to the model"),
    ("select", "chooses"),
    ("holdout", "accepts"),
)


def improvement_lines(state: Improvement, width: int) -> Iterator[str]:
    """The sentence first, then what makes it doubtful, the versions with both estimates, and what it took."""
    yield paragraph(f"{state.skill_name}: {sentence_of(state)}", width)
    for notice in state.notices:
        yield ""
        yield paragraph(line(notice, 1_000), width, indent="! ", further="  ")
    yield ""
    yield from _version_lines(state, width)
    yield ""
    sizes = ", ".join(
        f"{len(state.part(part))} {part.replace('holdout', 'hold-out')} ({what})" for part, what in _PARTS
    )
    yield paragraph(f"Cases: {sizes}.", width)
    if state.ended:
        yield paragraph(f"It ended: {state.ended}.", width)
    yield paragraph(_spent(state), width)


def _version_lines(state: Improvement, width: int) -> Iterator[str]:
    yield f"    {'':<5}{'from':<5}{'select':>8}{'hold-out':>10}   result"
    for each in state.versions:
        mark = "→" if each.name == state.incumbent else " "
        word = each.result or ("not tried" if each.round else "where it began")
        figures = f"{_points(each.select):>8}{_points(each.holdout):>10}"
        yield f"  {mark} {each.name:<5}{each.parent or '':<5}{figures}   {word}"
        if text := _told(each):
            yield paragraph(line(text, 300), width, indent="        ", further="        ")
        for warning in each.warnings[:_MOST_WARNINGS]:
            yield paragraph(f"lint: {line(warning, 200)}", width, indent="        ", further="        ")
    if any(each.holdout for each in state.versions):
        yield paragraph(
            "Points against the best version so far. The one that was chosen on select was chosen by that figure, so it is too "
            "good: hold-out is not.",
            width,
            indent="  ",
            further="  ",
        )


def _told(version: Version) -> str:
    if version.origin != "model":
        return ""
    files = f" [{', '.join(version.changed[:3])}{', …' if len(version.changed) > 3 else ''}]"  # noqa: PLR2004
    return (version.summary or "no summary") + files


def _points(standing: Standing | None) -> str:
    return "" if standing is None else UNKNOWN if standing.estimate is None else signed_points(standing.estimate)


def _spent(state: Improvement) -> str:
    spent, calls = state.spent, state.calls
    parts = [plural(spent.n_runs, "trial")]
    parts.append(f"{count(spent.tokens)} tokens" if spent.tokens is not None else "tokens unknown")
    parts.append(dollars(spent.cost_usd) if spent.cost_usd is not None else "cost unknown")
    costs = [each.cost_usd for each in calls if each.cost_usd is not None]
    told = f", {dollars(sum(costs))}" if len(costs) == len(calls) and calls else ", cost unknown" if calls else ""
    rate = state.trainings.get(state.incumbent)
    trained = f" {state.incumbent} holds {percent(rate.rate)} on train." if rate else ""
    return f"Spent: {', '.join(parts)}; {plural(len(calls), 'call')} of {state.proposer}{told}.{trained}"
