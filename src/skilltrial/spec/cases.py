"""Cases, as a dialect found them -> cases with ids, input files and assertions."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from skilltrial.records.conversation import Responder, Turn
from skilltrial.records.doubles import Doubles
from skilltrial.records.json_value import Json
from skilltrial.records.layout import slug
from skilltrial.records.reference import Reference
from skilltrial.records.suite import Case, Codebase
from skilltrial.spec.assertions import ReadAssertion, made_assertion, read_assertions
from skilltrial.spec.case_files import Roots, check_path, read_case_files
from skilltrial.spec.codebases import read_codebase
from skilltrial.spec.conversations import read_responder, read_turns, written_beside
from skilltrial.spec.dialects.draft import CaseDraft
from skilltrial.spec.doubles import read_doubles
from skilltrial.spec.findings import Findings, shown, unknown_key
from skilltrial.spec.held_out import HeldOut
from skilltrial.spec.json_source import Node
from skilltrial.spec.lint.rule import Place, PlaceKey
from skilltrial.spec.references import read_reference

_MAX_RUNS = 10_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(slots=True)
class CaseIds:
    """The ids of one file. Two that would meet in one folder of the workspace are an error."""

    lines: dict[str, int] = field(default_factory=dict[str, int])

    def reserve(self, node: Node, text: str) -> None:
        """Take an id. Raises `SpecError` where it is taken."""
        place = slug(text).lower()
        if place in self.lines:
            what = f"{text!r} is used twice, in lines {self.lines[place]} and {node.line}."
            raise node.error("id-twice", what, hint="Give every case an id of its own.")
        self.lines[place] = node.line

    def made(self, position: int) -> str:
        """An id from the 1-based position, for a case without one."""
        name = f"case-{position}"
        while name in self.lines:
            name += "-x"
        self.lines[name] = 0
        return name


class Surroundings(NamedTuple):
    """What reading a case needs beside its draft."""

    roots: Roots
    keeps_paths: bool
    """Of the file."""
    findings: Findings
    places: dict[PlaceKey, Place]
    """Is filled with the places of cases and assertions."""
    codebase: Codebase | None = None
    """Of cases that have none of their own."""


def read_cases(drafts: Iterable[CaseDraft], around: Surroundings) -> list[Case]:
    """The cases of a file, without those that `around.findings` got an error about."""
    ids = CaseIds()
    drafts = list(drafts)
    for draft in drafts:
        if draft.id is not None:
            with around.findings.collecting():
                ids.reserve(draft.id, _id_text(draft.id))
    cases: list[Case] = []
    for position, draft in enumerate(drafts, start=1):
        with around.findings.collecting():
            case = _case(draft, position, ids, around)
            if case is not None:
                cases.append(case)
    return cases


def _case(draft: CaseDraft, position: int, ids: CaseIds, around: Surroundings) -> Case | None:
    findings = around.findings
    n_errors = len(findings.errors)
    prompt = ""
    with findings.collecting():
        prompt = _prompt(draft)
    runs: int | None = None
    with findings.collecting():
        runs = _runs(draft.runs)
    family: str | None = None
    with findings.collecting():
        family = _family(draft.family)
    should_trigger = True
    with findings.collecting():
        should_trigger = _should_trigger(draft, findings)
    codebase = around.codebase
    with findings.collecting():
        if draft.codebase is not None and draft.codebase.value is not None:
            codebase = read_codebase(draft.codebase, around.roots.eval_file, findings)
    turns, responder = _conversation(draft, findings)
    doubles: Doubles | None = None
    with findings.collecting():
        doubles = read_doubles(draft.doubles) if draft.doubles else None
    roots, keeps_paths = _file_rules(draft, around)
    files = read_case_files(draft.files, prompt, roots, findings, keeps_paths=keeps_paths)
    held_out = HeldOut(roots, files, findings)
    read = read_assertions(draft.criteria, findings, held_out)
    extra = carried(draft.node, draft.used, findings, unused=draft.unused, renamed=draft.fields()) | _rewritten(draft)
    extra |= written_beside(draft.turns, draft.responder, read=(turns, responder))
    if len(findings.errors) > n_errors:
        return None
    case_id = _id_text(draft.id) if draft.id else _made_id(draft.node, position, ids, findings)
    case = Case(
        id=case_id,
        written_id=draft.id.value if draft.id else None,
        name=_loose_text(draft, draft.name, "name", findings),
        prompt=prompt,
        expected_output=_loose_text(draft, draft.expected_output, "expected_output", findings),
        files=tuple(files),
        written_files=draft.files.value if draft.files else None,
        runs=runs,
        skill_should_trigger=should_trigger,
        family=family,
        codebase=codebase,
        doubles=doubles,
        turns=turns,
        responder=responder,
        assertions=tuple(one.assertion for one in read),
        reference=_reference(draft, case_id, held_out),
        extra=extra,
    )
    _note_places(case, draft, read, around.places)
    if any(assertion.type != "foreign" for assertion in case.assertions):
        return case
    return _with_made_assertion(case, draft, findings)


def _conversation(draft: CaseDraft, findings: Findings) -> tuple[tuple[Turn, ...], Responder | None]:
    turns: tuple[Turn, ...] = ()
    responder: Responder | None = None
    with findings.collecting():
        if draft.turns is not None:
            turns = read_turns(draft.turns, findings)
    with findings.collecting():
        if draft.responder is not None:
            responder = read_responder(draft.responder, findings)
    with findings.collecting():
        if turns and responder:
            hint = "A script says what the user says, or a model does."
            raise draft.node.error("turns-and-responder", "has both 'turns' and a 'responder'.", hint=hint)
    return turns, responder


def _reference(draft: CaseDraft, case_id: str, held_out: HeldOut) -> Reference | None:
    with held_out.findings.collecting():
        return read_reference(draft.reference, draft.node, case_id, held_out)
    return None


def _with_made_assertion(case: Case, draft: CaseDraft, findings: Findings) -> Case:
    """A case that says what is expected, and nothing that can be graded, is graded on that: it would be run for nothing."""
    if case.expected_output is None or not case.expected_output.strip():
        return case
    written = draft.expected_output
    if not case.skill_should_trigger and written is not None and written.path[-1] != "expected_output":
        findings.repair(written.repair("key-not-used", "says why the skill stays out; it is kept, and not graded"))
        extra = {**case.extra, str(written.path[-1]): written.value}
        return case.model_copy(update={"expected_output": None, "extra": extra})
    what = "has no assertions that can be graded; its expected output is taken as one thing that must hold"
    findings.repair(draft.node.repair("assertion-made", what))
    taken = {assertion.id for assertion in case.assertions}
    made = made_assertion(case.expected_output, taken)
    return case.model_copy(update={"assertions": (*case.assertions, made)})


def _note_places(case: Case, draft: CaseDraft, read: list[ReadAssertion], places: dict[PlaceKey, Place]) -> None:
    places[case.id, None] = Place(draft.node.line, draft.node.place, draft.node.file)
    for one in read:
        places[case.id, one.assertion.id] = Place(one.node.line, one.node.place, one.node.file)


def carried(
    node: Node,
    used: Collection[str],
    findings: Findings,
    *,
    unused: Mapping[str, str] | None = None,
    renamed: Iterable[Node] = (),
) -> dict[str, Json]:
    """What an object has beside the keys that mean something, each reported.

    `unused` has those that mean something to the other tool alone, or (with an empty meaning, and not reported) to people;
    `renamed` the values that were used under another name, which are kept and not reported here. Keys that begin with `$`
    are comments.
    """
    known = sorted(used)
    extra: dict[str, Json] = {}
    places = {one.path for one in renamed}
    for key, child in node.children.items():
        if not isinstance(key, str) or key in used:
            continue
        extra[key] = child.value
        if unused and key in unused:
            if unused[key]:
                findings.repair(child.repair("key-not-used", f"is kept but not used yet ({unused[key]})"))
        elif not key.startswith("$") and child.path not in places:
            findings.repair(child.repair("unknown-key", unknown_key(key, known)))
    return extra


def _rewritten(draft: CaseDraft) -> dict[str, Json]:
    """The author's own values where the dialect reads others from them: the path of a text, a list of graders taken apart."""
    at = len(draft.node.path)
    keys = {str(node.path[at]) for node in draft.fields() if len(node.path) > at}
    changed = {key for key in keys if _is_other(draft, key)}
    for criterion in draft.criteria:
        path = criterion.node.path
        written = draft.node.children.get(path[at]) if path[:at] == draft.node.path and len(path) > at + 1 else None
        if written is not None and (isinstance(written.value, dict) or len(path) > at + 2):
            changed.add(str(path[at]))
    return {f"written_{key}": draft.node.children[key].value for key in sorted(changed & draft.used)}


def _is_other(draft: CaseDraft, key: str) -> bool:
    written = draft.node.children.get(key)
    used = [node for node in draft.fields() if node.path == (*draft.node.path, key)]
    return written is not None and any(node.value != written.value or _is_made_text(draft, node) for node in used)


def _is_made_text(draft: CaseDraft, node: Node) -> bool:
    return (node is draft.name or node is draft.expected_output) and not isinstance(node.value, str)


def _file_rules(draft: CaseDraft, around: Surroundings) -> tuple[Roots, bool]:
    keeps_paths = around.keeps_paths if draft.keeps_paths is None else draft.keeps_paths
    if draft.files_root is None:
        return around.roots, keeps_paths
    with around.findings.collecting():
        return around.roots._replace(first=check_path(draft.files_root, draft.files_root.value)), keeps_paths
    return around.roots, keeps_paths


def _id_text(node: Node) -> str:
    if isinstance(node.value, bool) or not isinstance(node.value, str | int):
        raise node.error("bad-id", f"must be a text or a whole number, not {shown(node.value)}.")
    text = str(node.value)
    if not text.strip() or _CONTROL.search(text):
        raise node.error("bad-id", f"is no usable id: {shown(node.value)}.", hint="Write a short name, like 'basic'.")
    return text


def _made_id(case: Node, position: int, ids: CaseIds, findings: Findings) -> str:
    made = ids.made(position)
    findings.repair(case.repair("id-made", f"has no id; it is called {made!r} by its position"))
    return made


def _prompt(draft: CaseDraft) -> str:
    node = draft.prompt
    hint = "Write what a user would ask the agent for."
    if node is None:
        raise draft.node.error("no-prompt", "has no prompt.", hint=hint)
    if not isinstance(node.value, str):
        raise node.error("bad-prompt", f"must be a text, not {shown(node.value)}.")
    if not node.value.strip():
        raise node.error("no-prompt", "is empty.", hint=hint)
    if "\0" in node.value:
        raise node.error("bad-prompt", "has a NUL character, which no agent program takes.", hint="Remove it.")
    return node.value


def _runs(node: Node | None) -> int | None:
    if node is None:
        return None
    if isinstance(node.value, bool) or not isinstance(node.value, int) or not 1 <= node.value <= _MAX_RUNS:
        raise node.error("bad-runs", f"must be a whole number from 1 to {_MAX_RUNS:,}, not {shown(node.value)}.")
    return node.value


def _family(node: Node | None) -> str | None:
    if node is None or node.value is None:
        return None
    if not isinstance(node.value, str) or not node.value.strip():
        hint = "Cases that are variants of one another have the same text there."
        raise node.error("bad-family", f"must be a text, not {shown(node.value)}.", hint=hint)
    return node.value


def _should_trigger(draft: CaseDraft, findings: Findings) -> bool:
    node = draft.should_trigger
    if node is None:
        return True
    if not isinstance(node.value, bool):
        raise node.error("bad-should-trigger", f"must be true or false, not {shown(node.value)}.")
    _note_other_name(draft, node, "skill_should_trigger", findings)
    return node.value


def _loose_text(draft: CaseDraft, node: Node | None, key: str, findings: Findings) -> str | None:
    """A text for people; whatever else stands there is shown as JSON."""
    if node is None:
        return None
    _note_other_name(draft, node, key, findings)
    if isinstance(node.value, str):
        return node.value
    findings.repair(node.repair("text-made", "should be a text; its JSON is shown instead"))
    return json.dumps(node.value, ensure_ascii=False)


def _note_other_name(draft: CaseDraft, node: Node, key: str, findings: Findings) -> None:
    written = node.path[-1] if node.path else key
    if written != key and written not in draft.used:
        findings.repair(node.repair("key-renamed", f"was read as {key!r}"))
