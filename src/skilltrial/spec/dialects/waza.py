"""waza: an eval file with graders and globs of task files (or tasks in it), and a task file alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from skilltrial.spec.case_folder import natural_order
from skilltrial.spec.dialects.draft import CaseDraft, CriterionDraft, Draft, FileDialect
from skilltrial.spec.dialects.entries import entries
from skilltrial.spec.dialects.made_node import elements, has_list, made_node
from skilltrial.spec.dialects.waza_graders import expected_criteria, waza_criteria
from skilltrial.spec.file_tree import is_inside
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.source import read_source

_MAX_TASK_FILES = 1_000
_MAX_GLOB_CHARS = 400
_FIXTURES = "fixtures"
"""Where input files lie that a task only names."""
_TOP_UNUSED: Mapping[str, str] = {
    **dict.fromkeys(("name", "description", "version"), ""),
    "config": "number of trials, time limit, agent and model",
    "executor": "the agent program",
    "metrics": "weights and thresholds of scores",
    "hooks": "commands before and after tasks, which are not run",
    "tasks_from": "a table that more tasks are made from, which is not read",
    "inputs": "values for the table of tasks",
}
_USED = frozenset({"id", "name", "prompt", "inputs", "expected", "graders", "validators"})
_UNUSED: Mapping[str, str] = {
    **dict.fromkeys(("description", "tags", "difficulty"), ""),
    "enabled": "whether the task is run; it is",
    "inputs": "settings of the agent; its prompt and files are used",
    "timeout_seconds": "the time limit of the agent",
}


def _fits_task(root: Node) -> bool:
    return isinstance(root.value, dict) and _prompt_in_inputs(root) is not None


def _fits_eval(root: Node) -> bool:
    if not has_list(root, "tasks"):
        return False
    tasks = list(elements(root.child("tasks")))
    if all(isinstance(task.value, str) for task in tasks):
        return True
    return any(task.child("validators") is not None or _prompt_in_inputs(task) is not None for task in tasks)


def _prompt_in_inputs(task: Node) -> Node | None:
    inputs = task.child("inputs")
    prompt = inputs.child("prompt") if inputs else None
    return prompt if prompt is not None and isinstance(prompt.value, str) else None


def _read_task(root: Node, _findings: Findings) -> Draft:
    return Draft(root=root, cases=(_case(root, ()),), used=frozenset(map(str, root.children)))


def _read_eval(root: Node, findings: Findings) -> Draft:
    shared = tuple(waza_criteria(root.child("graders")))
    cases: list[CaseDraft] = []
    for entry in entries(root, "tasks"):
        with findings.collecting():
            cases.extend(_case(task, shared) for task in _tasks(entry, root, findings))
    used = frozenset({"skill", "tasks", "graders"})
    return Draft(root=root, skill_name=root.child("skill"), cases=tuple(cases), used=used, unused=_TOP_UNUSED)


def _tasks(entry: Node, root: Node, findings: Findings) -> Iterator[Node]:
    if isinstance(entry.value, dict):
        yield entry
        return
    for path in _task_files(entry, Path(root.file).parent):
        with findings.collecting():
            task = read_source(path, findings)
            if not isinstance(task.value, dict):
                raise task.error("bad-case", f"must be an object with `inputs.prompt`, not {shown(task.value)}.")
            yield task


def _task_files(entry: Node, folder: Path) -> Iterable[Path]:
    """The files that a glob names, below the eval file's folder alone."""
    pattern = entry.value
    hint = "Write a path or glob below the eval file's folder, like 'tasks/*.yaml'."
    if not isinstance(pattern, str) or not pattern.strip() or "\0" in pattern:
        raise entry.error("bad-path", f"must be a glob of task files, not {shown(pattern)}.", hint=hint)
    path = PurePosixPath(pattern)
    if pattern.count("**") > 1 or len(pattern) > _MAX_GLOB_CHARS:
        raise entry.error("bad-path", f"is too wide or too long a glob: {shown(pattern)}.", hint=hint)
    if path.is_absolute() or ".." in path.parts or "\\" in pattern:
        raise entry.error("outside-skill", f"points outside the eval file's folder: {shown(pattern)}.", hint=hint)
    try:
        named = (file for file in folder.glob(path.as_posix()) if file.is_file() and is_inside(file, folder))
        found = sorted(named, key=lambda file: natural_order(file.relative_to(folder).as_posix()))
    except (ValueError, NotImplementedError, OSError) as error:
        raise entry.error("bad-path", f"is no usable glob: {shown(pattern)} ({error}).", hint=hint) from None
    if not found:
        raise entry.error("file-missing", f"names no task file: {shown(pattern)}. Tried: {folder / path}.", hint=hint)
    if len(found) > _MAX_TASK_FILES:
        raise entry.error("too-many-files", f"names {len(found):,} files, more than {_MAX_TASK_FILES:,}.", hint=hint)
    return found


def _case(task: Node, shared: tuple[CriterionDraft, ...]) -> CaseDraft:
    inputs, expected = task.child("inputs"), task.child("expected")
    files = inputs.child("files") if inputs else None
    is_whole = inputs is None or set(inputs.children) <= {"prompt", "files"}
    is_text = expected is None or isinstance(expected.value, str)
    return CaseDraft(
        node=task,
        prompt=_prompt_in_inputs(task) or task.child("prompt"),
        id=task.child("id"),
        name=task.child("name"),
        expected_output=expected if is_text else None,
        files=_files(files),
        files_root=made_node(_FIXTURES, files) if files is not None else None,
        keeps_paths=True,
        should_trigger=expected.child("should_trigger") if expected else None,
        criteria=(*_criteria(task, None if is_text else expected), *shared),
        used=_USED if is_whole else _USED - {"inputs"},
        unused=_UNUSED,
    )


def _files(files: Node | None) -> Node | None:
    """The author's list; of entries without content, where they come from: a file of the same name."""
    if files is None or not isinstance(files.value, list):
        return files
    children: dict[str | int, Node] = {number: _with_source(entry) for number, entry in enumerate(files.elements())}
    return replace(files, children=children)


def _with_source(entry: Node) -> Node:
    path = entry.child("path")
    if path is None or entry.child("content") is not None:
        return entry
    return replace(entry, children={**entry.children, "source": path})


def _criteria(task: Node, expected: Node | None) -> Iterator[CriterionDraft]:
    if expected is not None:
        yield from expected_criteria(expected)
    for key in ("graders", "validators"):
        yield from waza_criteria(task.child(key))


WAZA_EVAL = FileDialect(name="waza", fits=_fits_eval, read=_read_eval)
WAZA_TASK = FileDialect(name="waza-task", fits=_fits_task, read=_read_task)
