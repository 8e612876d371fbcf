"""What the forms of other tools have alike: the keys of a case that go along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skilltrial.records.json_value import Json
from skilltrial.records.suite import Case, Suite
from skilltrial.spec.conversations import responder_as_written, turns_as_written
from skilltrial.spec.convert.ledger import Ledger, of_case
from skilltrial.spec.convert.origin import Origin
from skilltrial.spec.convert.statements import EVALS_OBJECTS

_OTHER_NAMES = {
    "eval_id": "id",
    "eval_name": "name",
    "expected_behavior": "expected_output",
    "should_trigger": "skill_should_trigger",
}
"""Keys that reading takes for others where those are absent."""
_MEANT = frozenset(
    {
        *("id", "name", "prompt", "expected_output", "files", "runs", "skill_should_trigger", "family"),
        *("codebase", "doubles", "turns", "responder", "reference", "assertions", "expectations"),
    }
)
_OF_THE_FILE = frozenset({"codebase", "doubles"})
"""Keys of a file for all of its cases."""
_WRITTEN = frozenset({"written_turns", "written_responder"})
"""Are written in their own place."""


def with_extra(
    case: Case, fields: Mapping[str, Json], suite: Suite, ledger: Ledger, *, keeps_root: bool = False
) -> dict[str, Json]:
    """The keys that are not None, and the author's unknown ones; one that would only there get a meaning is a loss.

    `files_root` is written only with `keeps_root`: elsewhere the paths of the files have it in them.
    """
    value = {key: field for key, field in fields.items() if field is not None}
    for key, field in case.extra.items():
        if suite.dialect not in EVALS_OBJECTS and (key in _MEANT or _OTHER_NAMES.get(key, "prompt") not in value):
            ledger.lose(of_case(case), f"the key {key!r} has another meaning there")
        elif key not in _WRITTEN and (key != "files_root" or keeps_root):
            value[key] = field
    return value


def top(suite: Suite, entries: list[Json], ledger: Ledger, *, skill_name: str | None) -> dict[str, Json]:
    """The whole file, with the author's unknown keys."""
    value: dict[str, Json] = {} if skill_name is None else {"skill_name": skill_name}
    value["evals"] = entries
    for key, field in suite.extra.items():
        if key in {"skill_name", "evals"} or (key in _OF_THE_FILE and suite.dialect not in EVALS_OBJECTS):
            ledger.lose("the file", f"the key {key!r} has another meaning there")
        else:
            value[key] = field
    return value


def skill_name_of(suite: Suite, origin: Origin, ledger: Ledger, *, to: str) -> str | None:
    """The author's, in a file that stays what it is; else there has to be one."""
    if suite.skill_name is not None or suite.dialect == to:
        return suite.skill_name
    ledger.note("the file", f"skill_name is made: {origin.skill_name!r}")
    return origin.skill_name


def trigger_flag(case: Case) -> bool | None:
    """What is written for `skill_should_trigger`: nothing where it is true."""
    return None if case.skill_should_trigger else False


def codebase_of(case: Case, suite: Suite) -> Json:
    """As its author wrote it; None where there is none, or the file says the same for all its cases."""
    written = case.codebase.written if case.codebase else None
    return None if suite.dialect in EVALS_OBJECTS and suite.extra.get("codebase") == written else written


def doubles_of(case: Case, suite: Suite) -> Json:
    """As `codebase_of`."""
    written = case.doubles.written if case.doubles else None
    return None if suite.dialect in EVALS_OBJECTS and suite.extra.get("doubles") == written else written


def reference_of(case: Case) -> Json:
    """As its author wrote it; one that is found by the name of its folder is not named."""
    return case.reference.written if case.reference else None


def conversation_of(case: Case) -> dict[str, Json]:
    """Turns and responder, as their author wrote them, under their keys."""
    return {
        "turns": turns_as_written(case.turns, case.extra),
        "responder": responder_as_written(case.responder, case.extra),
    }


def note_unused(case: Case, fields: Mapping[str, Json], keys: Iterable[str], ledger: Ledger, *, to: str) -> None:
    """Say of keys that the other tool has no use for, that they are written all the same."""
    unused = [repr(key) for key in keys if fields.get(key) is not None]
    if unused:
        ledger.note(of_case(case), f"goes along, without any use to {to}: {', '.join(unused)}")
