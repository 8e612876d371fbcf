"""The names that the fields of a case go by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from skilltrial.spec.dialects.criteria import NATIVE, native_criteria, other_criteria, other_keys
from skilltrial.spec.dialects.draft import CaseDraft, CriterionDraft
from skilltrial.spec.dialects.mapping import lenient
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

PROMPT = ("prompt", "query", "input", "task", "user_prompt", "question", "instruction")
EXPECTED = ("expected_output", "expected_behavior", "expected", "expect", "expected_result", "expected_action")
ID = ("id", "eval_id", "case_id", "test_id")
NAME = ("name", "eval_name", "title", "case")
RUNS = ("runs", "trials")
SHOULD = ("skill_should_trigger", "should_trigger", "expected_activation")
FILES = ("files", "input_files", "input_file")
SKILL = ("skill_name", "skill", "target_skill")

UNUSED: Mapping[str, str] = {
    "expectations_notes": "remarks on the expectations",
    "turns": "not a list of objects with a `prompt`; the case runs as its first prompt alone",
    "user_turns": "messages of the user beside a prompt; the case runs as its prompt alone",
    "responder": "not an object of the type `llm`; the case runs as its first prompt alone",
    "codebase": "not an object with `url` and `ref`, or with `path`; the case runs with its `files` alone",
    "repo": "a repository to work in; the case runs with its `files` alone",
    "isolation": "whether cases share a folder; every trial gets its own",
    "fixture": "material of the other tool's own checks",
    "context": "what was said or done before; the agent gets the prompt alone",
    "with_skill_prompt": "a prompt of its own for one arm; all arms get the same one",
    "without_skill_prompt": "a prompt of its own for one arm; all arms get the same one",
}
"""Keys of a case that mean something to some other tool, and nothing here yet."""

LABELS: Mapping[str, str] = dict.fromkeys(
    ("type", "kind", "tags", "category", "group", "difficulty", "priority", "description", "notes", "pair_id"), ""
)
"""Keys of an entry for people, which no tool acts on."""

FILE_LABELS: Mapping[str, str] = dict.fromkeys(
    (
        *(
            "description",
            "purpose",
            "note",
            "notes",
            "version",
            "schema",
            "schema_version",
            "suite",
            "suite_id",
            "owner",
        ),
        *("generated_by", "generated_on", "metadata"),
    ),
    "",
)
"""The same, of a file."""


def draft_case(case: Node, findings: Findings, *, keeps_paths: bool | None = None) -> CaseDraft:
    """A case in whatever names: of several for one field, the first that can be used."""
    prompt = first_of(case, PROMPT, _is_text)
    said = first_of(case, ("user_turns",), _is_texts) if prompt is None else None
    judged = tuple(_judged(case.child("judge"), findings))
    draft = CaseDraft(
        node=case,
        prompt=prompt or (said.child(0) if said else None) or first_of(case, PROMPT),
        id=first_of(case, ID),
        name=first_of(case, NAME, _is_text) or case.child("name"),
        expected_output=case.child("expected_output") or first_of(case, EXPECTED, _is_text),
        files=_listed(first_of(case, FILES)),
        files_root=case.child("files_root"),
        keeps_paths=keeps_paths,
        runs=first_of(case, RUNS),
        codebase=first_of(case, ("codebase",), _is_object),
        turns=_later(said) if said else first_of(case, ("turns",), _is_turns),
        responder=first_of(case, ("responder",), _is_model),
        should_trigger=case.child("skill_should_trigger") or first_of(case, SHOULD, _is_flag),
        criteria=(*native_criteria(case, NATIVE, findings), *other_criteria(case, findings), *judged),
        unused=UNUSED,
    )
    fields = {node.path[-1] for node in draft.fields() if node.path[:-1] == case.path}
    keys = {key for key in (*NATIVE, *other_keys(case), *(["user_turns"] if said else [])) if key in case.children}
    keys |= {"judge"} if judged else set()
    return replace(draft, used=frozenset(map(str, fields | keys)))


def _later(said: Node) -> Node | None:
    """What the user says after the first of several messages."""
    later = list(said.elements())[1:]
    values = [node.value for node in later]
    return Node(values, said.file, said.line, said.path, dict(enumerate(later))) if later else None


def first_of(node: Node, keys: Iterable[str], fits: Callable[[Node], bool] | None = None) -> Node | None:
    """The value at the first of some keys that is there and fits."""
    found = (child for child in map(node.child, keys) if child is not None)
    return next((child for child in found if fits is None or fits(child)), None)


def _judged(judge: Node | None, findings: Findings) -> Iterable[CriterionDraft]:
    statements = judge.child("criteria") if judge is not None and isinstance(judge.value, dict) else None
    if statements is not None and isinstance(statements.value, list):
        for node in statements.elements():
            yield lenient(node, findings)


def _listed(files: Node | None) -> Node | None:
    """One path as a list of it."""
    if files is None or not isinstance(files.value, str):
        return files
    return Node([files.value], files.file, files.line, files.path, {0: files})


def _is_text(node: Node) -> bool:
    return isinstance(node.value, str)


def _is_texts(node: Node) -> bool:
    return isinstance(node.value, list) and bool(node.children) and all(map(_is_text, node.elements()))


def _is_turns(node: Node) -> bool:
    found = list(node.elements()) if isinstance(node.value, list) else []
    return bool(found) and all(isinstance(turn.value, dict) and turn.child("prompt") is not None for turn in found)


def _is_model(node: Node) -> bool:
    kind = node.child("type") if isinstance(node.value, dict) else None
    return kind is not None and kind.value == "llm"


def _is_object(node: Node) -> bool:
    return isinstance(node.value, dict)


def _is_flag(node: Node) -> bool:
    return isinstance(node.value, bool)
