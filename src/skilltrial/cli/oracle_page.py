"""What checks say without any agent, in front of a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import anyio

from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.operations.oracle import OracleRequest, consult
from skilltrial.records.oracle import CheckedCase, Oracle, OracleFinding, Seen
from skilltrial.report.figures import NOTHING, plural
from skilltrial.report.plain_text import encodable, line

FOUND = 1
_MOST = 40
_INDENT = "  "
_COLUMN = 11


def consult_and_print(request: OracleRequest, *, as_json: bool) -> int:
    """Run the checks, print what they say; returns the exit code."""
    told = anyio.run(consult, request)
    if as_json:
        put(told.model_dump_json(indent=2, ensure_ascii=True) + "\n")
    else:
        console = Screen()
        text = "".join(f"{row}\n" for row in _lines(told, min(console.width, 80)))
        put(encodable(text, console.encoding))
    return FOUND if told.findings else 0


def _lines(told: Oracle, width: int) -> Iterator[str]:
    yield paragraph(_headline(told), width)
    for found in told.findings[:_MOST]:
        yield ""
        yield from _finding(found, width)
    if len(told.findings) > _MOST:
        yield f"and {len(told.findings) - _MOST:,} more findings; --json has them all"
    yield ""
    checked = [case for case in told.cases if _has_checks(case)]
    if checked:
        yield f"{'untouched':<{_COLUMN}}{'reference':<{_COLUMN}}check"
    for case in checked:
        yield line(f"{case.id}{'' if case.has_reference else ' (no reference)'}", width)
        yield from _rows(case, width)
    yield ""
    yield from (paragraph(text, width, further=_INDENT) for text in _undecided(told))
    if not any(case.has_reference for case in told.cases) and checked:
        hint = "Next: put a right solution into reference/<id of the case>/ beside the eval file; the checks are run on it."
        yield paragraph(hint, width)


def _headline(told: Oracle) -> str:
    rows = [row for case in told.cases for row in case.assertions if row.untouched is not None]
    n_solved = sum(case.has_reference for case in told.cases)
    counts = Counter(found.code for found in told.findings)
    of = f"of {plural(len(rows), 'check')} in {plural(len(told.cases), 'case')} of {told.skill}"
    early, late, idle = counts["passes-untouched"], counts["fails-reference"], counts["only-negative"]
    parts = [
        f"{early} {_verb(early, 'passes', 'pass')} before any work" if early else "",
        f"{late} {_verb(late, 'does', 'do')} not pass on a reference solution" if late else "",
    ]
    said = " and ".join(part for part in parts if part)
    if not rows:
        cases = plural(len(told.cases), "case")
        return f"There is no check to run in {cases} of {told.skill}: code decides none of the assertions."
    if not said and not idle:
        most = f", and all that can be decided pass on {plural(n_solved, 'reference solution')}" if n_solved else ""
        return f"Nothing found: {of.removeprefix('of ')}, none passes before any work{most}."
    first = f"{said.capitalize()}, {of}." if said else f"Nothing found about single checks, {of}."
    more = f" In {plural(idle, 'case')}, doing nothing passes." if idle else ""
    return f"{first}{more}"


def _has_checks(case: CheckedCase) -> bool:
    return any(row.untouched is not None for row in case.assertions)


def _verb(n: int, one: str, more: str) -> str:
    return one if n == 1 else more


def _finding(found: OracleFinding, width: int) -> Iterator[str]:
    place = f"{found.file}:{found.line}" if found.line else found.file
    yield line(place, 600)
    about = found.case_id if found.assertion_id is None else f"{found.case_id}/{found.assertion_id}"
    yield f"{_INDENT}{found.severity}: {found.code} {line(about, 200)}"
    yield paragraph(found.message, width, indent=_INDENT * 2)
    yield paragraph(found.hint, width, indent=_INDENT * 2)


def _rows(case: CheckedCase, width: int) -> Iterator[str]:
    for row in case.assertions:
        if row.untouched is not None:
            verdicts = f"{_word(row.untouched):<{_COLUMN}}{_word(row.reference):<{_COLUMN}}"
            yield f"{verdicts}{line(row.text, width - len(verdicts))}"
            if row.untouched.verdict == "UNGRADED":
                yield paragraph(row.untouched.evidence, width, indent=" " * len(verdicts))


def _word(seen: Seen | None) -> str:
    return NOTHING if seen is None else seen.verdict


def _undecided(told: Oracle) -> Iterator[str]:
    counts = Counter(row.undecided for case in told.cases for row in case.assertions if row.undecided)
    for why, n in counts.items():
        yield f"Not decided here ({plural(n, 'assertion')}): {why}."
