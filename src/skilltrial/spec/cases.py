"""The entries of `evals` -> cases."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches

from skilltrial.records.layout import slug
from skilltrial.records.suite import Case
from skilltrial.spec.assertions import read_assertions
from skilltrial.spec.case_files import Roots, read_case_files
from skilltrial.spec.dialects.dialect import Dialect
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node

KEYS = (
    "id",
    "name",
    "prompt",
    "expected_output",
    "files",
    "runs",
    "skill_should_trigger",
    "assertions",
    "expectations",
)
_OTHER_NAMES = {
    "id": "eval_id",
    "name": "eval_name",
    "expected_output": "expected_behavior",
    "skill_should_trigger": "should_trigger",
}
_MAX_RUNS = 10_000
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class CaseIds:
    """The ids of one file. Two that would meet in one folder of the workspace are an error."""

    def __init__(self) -> None:
        self.lines: dict[str, int] = {}

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


def reserve_written_ids(cases: list[Node], ids: CaseIds, findings: Findings) -> None:
    """Take all ids that authors wrote, before any is made."""
    for case in cases:
        node = _child(case, "id")
        if node is not None:
            with findings.collecting():
                ids.reserve(node, _id_text(node))


def read_case(
    case: Node,
    dialect: Dialect,
    *,
    position: int,
    ids: CaseIds,
    roots: Roots,
    unused: Mapping[str, str],
    findings: Findings,
) -> Case | None:
    """One case; None where `findings` got an error about it. `position` is 1-based.

    `unused` has the keys that mean something elsewhere and nothing here yet.
    """
    n_errors = len(findings.errors)
    prompt = ""
    with findings.collecting():
        prompt = _prompt(case)
    runs: int | None = None
    with findings.collecting():
        runs = _runs(case)
    should_trigger = True
    with findings.collecting():
        should_trigger = _should_trigger(case, findings)
    files = read_case_files(case, prompt, roots, findings, keeps_paths=dialect.keeps_paths)
    assertions = read_assertions(case, findings)
    extra = _extra(case, unused, findings)
    if len(findings.errors) > n_errors:
        return None
    written = _child(case, "id")
    return Case(
        id=_id_text(written) if written else _made_id(case, position, ids, findings),
        written_id=written.value if written else None,
        name=_loose_text(case, "name", findings),
        prompt=prompt,
        expected_output=_loose_text(case, "expected_output", findings),
        files=tuple(files),
        runs=runs,
        skill_should_trigger=should_trigger,
        assertions=tuple(assertions),
        extra=extra,
    )


def unknown_key_message(key: str, known: tuple[str, ...]) -> str:
    """What a repair says of a key that means nothing here."""
    near = get_close_matches(key, known, n=1, cutoff=0.8)
    return f"is not known here; it is kept, and has no effect{f' (did you mean {near[0]!r}?)' if near else ''}"


def _child(case: Node, key: str) -> Node | None:
    """The value of a key, or of the other name that it has in the field."""
    found = case.child(key)
    if found is None and key in _OTHER_NAMES:
        return case.child(_OTHER_NAMES[key])
    return found


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


def _prompt(case: Node) -> str:
    node = case.child("prompt")
    if node is None:
        hint = "Write what a user would ask the agent for."
        raise case.error("no-prompt", "has no prompt.", hint=hint)
    if not isinstance(node.value, str):
        raise node.error("bad-prompt", f"must be a text, not {shown(node.value)}.")
    if not node.value.strip():
        raise node.error("no-prompt", "is empty.", hint="Write what a user would ask the agent for.")
    if "\0" in node.value:
        raise node.error("bad-prompt", "has a NUL character, which no agent program takes.", hint="Remove it.")
    return node.value


def _runs(case: Node) -> int | None:
    node = case.child("runs")
    if node is None:
        return None
    if isinstance(node.value, bool) or not isinstance(node.value, int) or not 1 <= node.value <= _MAX_RUNS:
        raise node.error("bad-runs", f"must be a whole number from 1 to {_MAX_RUNS:,}, not {shown(node.value)}.")
    return node.value


def _should_trigger(case: Node, findings: Findings) -> bool:
    node = _child(case, "skill_should_trigger")
    if node is None:
        return True
    if not isinstance(node.value, bool):
        raise node.error("bad-should-trigger", f"must be true or false, not {shown(node.value)}.")
    _note_other_name(node, "skill_should_trigger", findings)
    return node.value


def _loose_text(case: Node, key: str, findings: Findings) -> str | None:
    """A text for people; whatever else stands there is shown as JSON."""
    node = _child(case, key)
    if node is None:
        return None
    _note_other_name(node, key, findings)
    if isinstance(node.value, str):
        return node.value
    findings.repair(node.repair("text-made", "should be a text; its JSON is shown instead"))
    return json.dumps(node.value, ensure_ascii=False)


def _note_other_name(node: Node, key: str, findings: Findings) -> None:
    if node.path[-1] != key:
        findings.repair(node.repair("key-renamed", f"was read as {key!r}"))


def _extra(case: Node, unused: Mapping[str, str], findings: Findings) -> dict[str, object]:
    extra: dict[str, object] = {}
    for key, node in case.children.items():
        if not isinstance(key, str) or key in KEYS:
            continue
        extra[key] = node.value
        if key in unused:
            findings.repair(node.repair("key-not-used", f"is kept but not used yet ({unused[key]})"))
        elif key not in _OTHER_NAMES.values():
            findings.repair(node.repair("unknown-key", unknown_key_message(key, KEYS)))
    return extra
