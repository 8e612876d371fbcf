"""case.yaml: one case a folder, with `execution.prompt`, `context` and `graders`, for plugins of Claude Code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from skilltrial.records.json_value import Json
from skilltrial.spec.case_files import check_path
from skilltrial.spec.dialects.answer_check import is_anchored, tool_called
from skilltrial.spec.dialects.draft import CaseDraft, CriterionDraft, Draft, FileDialect
from skilltrial.spec.dialects.made_node import elements, text_of
from skilltrial.spec.dialects.placed_files import not_given
from skilltrial.spec.findings import Findings, Invalid, shown
from skilltrial.spec.json_source import Node

_USED = frozenset({"name", "runs", "expected_outcome", "graders"})
_UNUSED: Mapping[str, str] = {
    **dict.fromkeys(("schema_version", "description", "tags", "context", "scaffold_script"), ""),
    "plugins": "the plugins that are installed; the skill on trial is the only one",
    "execution": "limits and allowed tools of the agent; its prompt is used",
}
_CONTEXT = {"add_dirs", "files", "scaffold_script"}
_FLAGS = {"i", "m", "s"}
_LABELS = {"type", "name", "description", "weight", "arm"}
_OPERANDS = {
    "llm": {"criteria", "focus", "model"},
    "regex": {"target", "match", "flags", "pattern"},
    "tool_used": {"tool", "min", "max", "input_match"},
}
_ONCE = ((1, None), (None, None))
_NEVER = ((0, 0), (None, 0))


def _fits(root: Node) -> bool:
    execution = root.child("execution") if isinstance(root.value, dict) else None
    return execution is not None and text_of(execution.child("prompt")) is not None


def _read(root: Node, findings: Findings) -> Draft:
    return Draft(root=root, cases=(_case(root, findings),), used=frozenset(map(str, root.children)))


def _case(case: Node, findings: Findings) -> CaseDraft:
    execution = case.child("execution")
    context = case.child("context")
    is_whole = execution is not None and set(execution.children) == {"prompt"}
    _note_unused(case, context, findings)
    return CaseDraft(
        node=case,
        prompt=execution.child("prompt") if execution else None,
        id=case.child("name"),
        expected_output=case.child("expected_outcome"),
        files=_files(context, findings) if context else None,
        keeps_paths=True,
        runs=case.child("runs"),
        criteria=tuple(_criterion(grader) for grader in elements(case.child("graders"))),
        used=_USED | {"execution"} if is_whole else _USED,
        unused=_UNUSED,
    )


def _note_unused(case: Node, context: Node | None, findings: Findings) -> None:
    for place in (case, context):
        script = place.child("scaffold_script") if place else None
        if script is not None:
            findings.repair(script.repair("script-not-run", "prepares the agent's folder, and is not run"))
    for key, node in context.children.items() if context else ():
        if key not in _CONTEXT:
            findings.repair(node.repair("key-not-used", "is kept but not used yet (part of the context of the case)"))


def _files(context: Node, findings: Findings) -> Node | None:
    entries: list[Node] = []
    for key in ("add_dirs", "files"):
        for entry in elements(context.child(key)):
            try:
                check_path(entry, entry.value)
            except Invalid as error:
                findings.repair(not_given(entry, error))
            else:
                entries.append(entry)
    children: dict[str | int, Node] = dict(enumerate(entries))
    return replace(context, value=[entry.value for entry in entries], children=children) if entries else None


def _criterion(grader: Node) -> CriterionDraft:
    kind = grader.child("type")
    name = kind.value if kind is not None and isinstance(kind.value, str) else ""
    read = _GRADERS.get(name)
    if read is None:
        return CriterionDraft(node=grader, means=None, reason=f"graders of type {name[:40]!r} are not known here")
    values = {str(key): child.value for key, child in grader.children.items() if child.value is not None}
    if values.get("arm", "both") != "both":
        return CriterionDraft(node=grader, means=None, reason="it is for one arm, and here all arms are graded alike")
    unknown = sorted(values.keys() - _OPERANDS[name] - _LABELS)
    if unknown:
        return CriterionDraft(node=grader, means=None, reason=f"its setting {unknown[0][:40]!r} is not known here")
    return read(grader)


def _llm(grader: Node) -> CriterionDraft:
    criteria = text_of(grader.child("criteria"))
    return CriterionDraft(node=grader, means=criteria, reason="" if criteria else "it has no criteria")


def _regex(grader: Node) -> CriterionDraft:
    values: dict[str, Json] = {str(key): child.value for key, child in grader.children.items()}
    target, match, flags = (values.get(key) for key in ("target", "match", "flags"))
    if target != "last_message":
        return CriterionDraft(node=grader, means=None, reason=f"it looks at {shown(target)}, not at the final message")
    if match not in (None, "contains", "not_contains"):
        return CriterionDraft(node=grader, means=None, reason=f"its kind of match {shown(match)} is not known here")
    if flags is not None and not (isinstance(flags, str) and set(flags) <= _FLAGS):
        return CriterionDraft(node=grader, means=None, reason=f"its flags {shown(flags)} have no counterpart here")
    pattern = values.get("pattern")
    if flags and isinstance(pattern, str) and pattern:
        pattern = f"(?{''.join(sorted(set(flags)))}){pattern}"
    means = {"type": "answer_matches", "pattern": pattern, "negate": match == "not_contains"}
    return CriterionDraft(node=grader, means=means)


def _tool_used(grader: Node) -> CriterionDraft:
    tool = text_of(grader.child("tool"))
    least, most, written = (grader.child(key) for key in ("min", "max", "input_match"))
    bounds = (least.value if least else None, most.value if most else None)
    if tool is None:
        return CriterionDraft(node=grader, means=None, reason="it names no tool")
    if tool == "Skill":
        reason = "whether the skill on trial is loaded is seen in every trial, and an arm without it cannot load it"
        return CriterionDraft(node=grader, means=None, reason=reason)
    if bounds not in (*_ONCE, *_NEVER):
        return CriterionDraft(node=grader, means=None, reason="calls of a tool are not counted by this version")
    pattern = written.value if written else None
    if not isinstance(pattern, str | None) or (
        pattern and (is_anchored(pattern) or re.search(r"\(\?[a-zA-Z]", pattern))
    ):
        reason = f"its pattern for the tool's input has no counterpart here: {shown(pattern)}"
        return CriterionDraft(node=grader, means=None, reason=reason)
    return CriterionDraft(node=grader, means=tool_called(tool, negate=bounds in _NEVER, holding=pattern or None))


_GRADERS = {"llm": _llm, "regex": _regex, "tool_used": _tool_used}

CASE_YAML = FileDialect(name="case-yaml", fits=_fits, read=_read)
