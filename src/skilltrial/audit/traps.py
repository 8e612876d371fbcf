"""What skilltrial reads without harm, and the tool that wrote it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skilltrial.audit.rules import (
    MIXED_IDS,
    NAMES,
    NON_ASCII,
    NULL_OBJECT,
    ODD_RUN,
    PASSED_AS_TEXT,
    PREFIX,
    STRAY,
    AuditRule,
)
from skilltrial.audit.scores import Round
from skilltrial.records.audit import AuditFinding
from skilltrial.records.foreign import ForeignRun, ForeignWorkspace

_REPAIRS: Mapping[str, AuditRule] = {
    "null-object": NULL_OBJECT,
    "verdict-as-text": PASSED_AS_TEXT,
    "other-spelling": NAMES,
}
"""Of the reader's repairs those that another tool stumbles over."""


def workspace_findings(workspace: ForeignWorkspace) -> Iterator[AuditFinding]:
    """Stray files, and what the reader had to put right."""
    for place in workspace.stray:
        name = place.rstrip("/").rpartition("/")[2]
        if name.startswith("run-"):
            yield ODD_RUN.at(place, f"{name!r} is no run with a number; it is in no figure.")
        else:
            yield STRAY.at(place, f"{name!r} is no case, arm or run; it is in no figure.")
    for repair in workspace.repairs:
        rule = _REPAIRS.get(repair.code)
        if rule is not None and (rule is PASSED_AS_TEXT or workspace.family == "skill-creator"):
            place = f"{repair.file}#{repair.path}" if repair.path else repair.file
            yield rule.at(place, f"{_sentence(repair.message)}.", old=repair.value or None)


def trap_findings(found: Round) -> Iterator[AuditFinding]:
    """Odd folders, mixed ids and text outside ASCII, where skill-creator's own programs are to read them."""
    for run in found.leftovers:
        yield ODD_RUN.at(run.place, f"Nothing was measured in {run.written_as!r}; it is in no figure.")
    if found.family != "skill-creator":
        return
    for run in (score.run for score in found.scores if score.run.written_as is not None):
        yield ODD_RUN.at(run.place, f"The run's folder is called {run.written_as!r}.")
    # Without metadata the id is made from the folder, here as there.
    ids = [case.id for case in found.iteration.cases if case.id is not None and case.metadata is not None]
    texts = [name for name in ids if isinstance(name, str)]
    if texts and len(texts) < len(ids):
        odd = texts if len(texts) * 2 <= len(ids) else [name for name in ids if not isinstance(name, str)]
        case = next(case for case in found.iteration.cases if case.id == odd[0])
        yield MIXED_IDS.at(
            case.metadata or case.place, f"The id {odd[0]!r} is of another kind than the others.", old=odd[0]
        )
    for case in found.iteration.cases:
        name = case.place.rstrip("/").rpartition("/")[2]
        if "#" not in name and not name.startswith("eval-"):
            yield PREFIX.at(case.place, f"The folder {name!r} is not called eval-….")
    yield from _foreign_text(found)


def _foreign_text(found: Round) -> Iterator[AuditFinding]:
    """One finding an iteration: the first place, and in how many runs and prompts."""
    places = [case.metadata or case.place for case in found.iteration.cases if not (case.prompt or "").isascii()]
    places += [score.run.grading.place for score in found.scores if score.run.grading and not _is_ascii(score.run)]
    if places:
        yield NON_ASCII.at(places[0], f"Prompts or evidence outside ASCII in {len(places)} files of this iteration.")


def _is_ascii(run: ForeignRun) -> bool:
    statements = run.grading.statements if run.grading else None
    return all(each.evidence.isascii() and each.text.isascii() for each in statements or ())


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:].rstrip(".")
