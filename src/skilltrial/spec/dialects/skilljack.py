"""skilljack: `tasks` with a `deterministic` block, `criteria` by dimension and a `golden_checklist`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from skilltrial.records.json_value import Json
from skilltrial.spec.dialects.answer_check import contains, matches, tool_called
from skilltrial.spec.dialects.draft import CaseDraft, CriterionDraft, Draft, FileDialect
from skilltrial.spec.dialects.entries import entries, objects
from skilltrial.spec.dialects.made_node import elements, has_list, made_node, text_of
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_MARKS = ("deterministic", "golden_checklist", "expected_skill_load")
_DIMENSIONS = ("discovery", "adherence", "output")
_TOP_UNUSED: Mapping[str, str] = {
    "version": "",
    "defaults": "weights of the scores; its descriptions and the expected skill are used",
}
_UNUSED: Mapping[str, str] = {
    "criteria": "weights of the scores; its descriptions are used",
    "fixture": "scripts before and after the task, which are not run",
}


def _fits(root: Node) -> bool:
    if not has_list(root, "tasks"):
        return False
    tasks = list(elements(root.child("tasks")))
    return any(task.child("prompt") is not None and any(task.child(mark) for mark in _MARKS) for task in tasks)


def _read(root: Node, findings: Findings) -> Draft:
    defaults = root.child("defaults")
    return Draft(
        root=root,
        skill_name=root.child("skill"),
        cases=tuple(_case(task, defaults) for task in objects(entries(root, "tasks"), findings)),
        used=frozenset({"skill", "tasks"}),
        unused=_TOP_UNUSED,
    )


def _case(task: Node, defaults: Node | None) -> CaseDraft:
    return CaseDraft(
        node=task,
        prompt=task.child("prompt"),
        id=task.child("id"),
        should_trigger=_should_trigger(task, defaults),
        criteria=tuple(_criteria(task, defaults)),
        used=frozenset({"id", "prompt", "expected_skill_load", "deterministic", "golden_checklist"}),
        unused=_UNUSED,
    )


def _should_trigger(task: Node, defaults: Node | None) -> Node | None:
    block = task.child("deterministic")
    activation = block.child("expect_skill_activation") if block else None
    if activation is not None:
        return activation
    expected = task.child("expected_skill_load") or (defaults.child("expected_skill_load") if defaults else None)
    name = text_of(expected)
    return None if expected is None or name is None else made_node(name != "none", expected)


def _criteria(task: Node, defaults: Node | None) -> Iterator[CriterionDraft]:
    block = task.child("deterministic")
    if block is not None:
        yield from _checks(block)
    for dimension in _DIMENSIONS:
        found = _dimension(task, dimension) or (_dimension(defaults, dimension) if defaults else None)
        if found is not None:
            yield CriterionDraft(node=found, means=text_of(found.child("description")))
    for entry in elements(task.child("golden_checklist")):
        yield CriterionDraft(node=entry, means=text_of(entry), reason="it is no text")


def _dimension(holder: Node, dimension: str) -> Node | None:
    """A dimension that says what is expected; one with a weight alone says nothing."""
    criteria = holder.child("criteria")
    found = criteria.child(dimension) if criteria else None
    return found if found is not None and text_of(found.child("description")) is not None else None


def _checks(block: Node) -> Iterator[CriterionDraft]:
    activation = block.child("expect_skill_activation")
    stays_out = activation is not None and activation.value is False
    for key, node in block.children.items():
        if key == "expect_skill_activation":
            yield from _activation(node)
        elif stays_out and node.value:
            reason = "where the skill has to stay out, the other tool looks at nothing else"
            yield CriterionDraft(node=node, means=None, reason=reason)
        elif node.value is not None:
            yield from _check(str(key), node)


def _activation(node: Node) -> Iterator[CriterionDraft]:
    match node.value:
        case True:
            yield CriterionDraft(node=node, means={"type": "skill_invoked"})
        case False:
            yield CriterionDraft(node=node, means=None, reason="that the skill stays out is not graded as an assertion")
        case None:
            pass
        case _:
            yield CriterionDraft(node=node, means=None, reason="it is neither true nor false")


def _check(key: str, node: Node) -> Iterator[CriterionDraft]:
    read = _CHECKS.get(key)
    if read is None or isinstance(node.value, list) == (key == "expect_marker"):
        yield CriterionDraft(node=node, means=None, reason=f"{key[:40]!r} is not known here")
        return
    for entry in elements(node) if isinstance(node.value, list) else [node]:
        text = text_of(entry)
        yield CriterionDraft(node=entry, means=read(text) if text else None, reason="" if text else "it is no text")


_CHECKS: Mapping[str, Callable[[str], Mapping[str, Json]]] = {
    "expect_marker": lambda text: contains([text], ignore_case=True),
    "expect_contains": lambda text: contains([text]),
    "expect_not_contains": lambda text: contains([text], negate=True),
    "expect_regex": matches,
    "expect_file_exists": lambda path: {"type": "file_exists", "path": path, "any": True},
    "expect_tool_calls": tool_called,
    "expect_no_tool_calls": lambda name: tool_called(name, negate=True),
}

SKILLJACK = FileDialect(name="skilljack", fits=_fits, read=_read)
