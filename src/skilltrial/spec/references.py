"""The `reference` of a case: what a right solution leaves, and its final message."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

from skilltrial.records.json_value import Json
from skilltrial.records.layout import slug
from skilltrial.records.reference import Reference
from skilltrial.records.suite import CaseFile
from skilltrial.spec.case_files import check_path, locate, located_files
from skilltrial.spec.findings import Findings, shown, unknown_key
from skilltrial.spec.held_out import HeldOut
from skilltrial.spec.json_source import Node

FOLDER = "reference"
"""Beside the eval file; in it a folder for each case that has a reference and does not say where."""
ANSWER = "answer.md"
_KEYS = frozenset({"path", "removes", "answer"})
_MAX_ANSWER = 1_000_000
_HINT = 'Write the path of a folder, or {"path": …, "removes": […], "answer": …}.'


def read_reference(written: Node | None, case: Node, case_id: str, held_out: HeldOut) -> Reference | None:
    """The reference that an author names, or else the folder `reference/<id>` beside the eval file, where that is there.

    A folder without files is none, with a repair. Raises `Invalid` where it is not there, is no folder, or is in what agents get.
    """
    found = _by_name(case, case_id, held_out) if written is None else _as_written(written, held_out)
    return found if found.files or found.removes or found.answer is not None else None


def _by_name(case: Node, case_id: str, held_out: HeldOut) -> Reference:
    eval_file = held_out.roots.eval_file
    beside = eval_file if eval_file.is_dir() else eval_file.parent
    path = f"{FOLDER}/{slug(case_id)}"
    if not (beside / path).is_dir():
        return Reference()
    roots = held_out.roots._replace(first=".")
    if _seen_by_agents(located_files(case, path, ".", roots, Findings()), held_out):
        return Reference()  # a folder of the skill's own, which happens to have this name
    return _filled(case, located_files(case, path, ".", roots, held_out.findings), None, folder=beside / path)


def _as_written(node: Node, held_out: HeldOut) -> Reference:
    if isinstance(node.value, str):
        return _in_folder(node, held_out, None).model_copy(update={"written": node.value})
    written = node.value
    if not isinstance(written, dict):
        raise node.error("bad-reference", f"must be a path or an object, not {shown(written)}.", hint=_HINT)
    for key, child in node.children.items():
        if key not in _KEYS and not str(key).startswith("$"):
            held_out.findings.repair(child.repair("unknown-key", unknown_key(str(key), _KEYS)))
    if not any(node.child(key) for key in _KEYS):
        raise node.error("bad-reference", "says nothing.", hint=_HINT)
    path, answer = node.child("path"), node.child("answer")
    if answer is not None and not isinstance(answer.value, str):
        raise answer.error("bad-reference", f"must be a text, not {shown(answer.value)}.", hint=_HINT)
    said = answer.value if answer is not None and isinstance(answer.value, str) else None
    found = Reference(answer=said) if path is None else _in_folder(path, held_out, said)
    return found.model_copy(update={"removes": _removed(node.child("removes")), "written": cast("Json", written)})


def _removed(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    if not isinstance(node.value, list):
        raise node.error("bad-reference", f"must be a list of paths, not {shown(node.value)}.", hint=_HINT)
    return tuple(check_path(entry, entry.value) for entry in node.elements())


def _in_folder(node: Node, held_out: HeldOut, said: str | None) -> Reference:
    path = check_path(node, node.value)
    folder = locate(node, path, held_out.roots)
    if not folder.is_dir():
        raise node.error("bad-reference", f"is a file: {shown(path)}.", hint="Name the folder that it lies in.")
    files = located_files(node, path, ".", held_out.roots, held_out.findings)
    if seen := _seen_by_agents(files, held_out):
        what = f"is given to agents, by 'files' or with the skill: {shown(seen)}."
        hint = f"Put it into `evals/{FOLDER}/`, and not into 'files'."
        raise node.error("bad-reference", what, hint=hint)
    return _filled(node, files, said, folder=folder)


def _seen_by_agents(files: Sequence[CaseFile], held_out: HeldOut) -> str:
    """The path of a file that an agent could get, empty where there is none."""
    visible = {file.source for file in held_out.visible if file.source is not None}
    skill = held_out.roots.skill
    if skill is not None:
        top = Path(skill).resolve()
        visible |= {str(top / path) for path in held_out.roots.skill_files}
    return next((file.path for file in files if file.source in visible), "")


def _filled(node: Node, files: Sequence[CaseFile], said: str | None, *, folder: Path) -> Reference:
    """`answer.md` is the final message and no file, unless the message is written elsewhere."""
    own = next((file for file in files if file.path == ANSWER), None)
    if said is not None or own is None:
        return Reference(files=tuple(files), answer=said, folder=str(folder))
    source = Path(own.source or "")
    try:
        text = source.read_text(encoding="utf-8") if source.stat().st_size <= _MAX_ANSWER else None
    except (OSError, ValueError):
        text = None
    if text is None:
        what = f"has an {ANSWER} that is no text of at most {_MAX_ANSWER:,} bytes."
        raise node.error("bad-reference", what, hint=_HINT)
    others = tuple(file for file in files if file is not own)
    return Reference(files=others, answer=text, folder=str(folder))
