"""skillgrade: `tasks` with an `instruction`, a `workspace` of files and `graders` that run a command or ask a model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from skilltrial.spec.dialects.draft import CaseDraft, CriterionDraft, Draft, FileDialect
from skilltrial.spec.dialects.entries import entries, objects
from skilltrial.spec.dialects.made_node import elements, has_list, text_of
from skilltrial.spec.dialects.placed_files import PlacedFiles, missing_script, placed_files
from skilltrial.spec.dialects.text_reference import text_or_file
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_FULL_SCORE = r'"score"\s*:\s*1(?:\.0+)?\s*[,}]'
_TOP_UNUSED: Mapping[str, str] = {
    "version": "",
    "skill": "where the skill lies",
    "defaults": "agent, provider, trials, time limit and threshold; its workspace is used",
}
_UNUSED: Mapping[str, str] = {
    "solution": "a reference solution",
    "agent": "the agent program",
    "provider": "where the task runs",
    "timeout": "the time limit of the agent, in seconds",
    "grader_model": "the judge's model",
    "docker": "the container that the task runs in",
    "environment": "the machine that the task runs on",
    "env": "environment variables",
    "trialConfig": "commands before and after the trial, which are not run",
    "agentWorkingDir": "the folder that the agent starts in",
}


def _fits(root: Node) -> bool:
    if not has_list(root, "tasks"):
        return False
    return any(text_of(task.child("instruction")) is not None for task in elements(root.child("tasks")))


def _read(root: Node, findings: Findings) -> Draft:
    defaults = root.child("defaults")
    workspace = placed_files(defaults.child("workspace") if defaults else None, findings)
    cases: list[CaseDraft] = []
    for task in objects(entries(root, "tasks"), findings):
        with findings.collecting():
            cases.append(_case(task, workspace, findings))
    return Draft(root=root, cases=tuple(cases), used=frozenset({"tasks"}), unused=_TOP_UNUSED)


def _case(task: Node, workspace: PlacedFiles, findings: Findings) -> CaseDraft:
    files = workspace.joined(placed_files(task.child("workspace"), findings))
    read = partial(_criterion, files=files, findings=findings)
    return CaseDraft(
        node=task,
        prompt=text_or_file(task.child("instruction"), findings),
        id=task.child("name"),
        files=files.node(),
        keeps_paths=True,
        runs=task.child("trials"),
        criteria=tuple(map(read, elements(task.child("graders")))),
        used=frozenset({"name", "instruction", "workspace", "trials", "graders"}),
        unused=_UNUSED,
    )


def _criterion(grader: Node, *, files: PlacedFiles, findings: Findings) -> CriterionDraft:
    kind = grader.child("type")
    match kind.value if kind else None:
        case "llm_rubric":
            rubric = text_of(text_or_file(grader.child("rubric"), findings))
            return CriterionDraft(node=grader, means=rubric, reason="" if rubric else "it has no rubric")
        case "deterministic":
            return _command(grader, files)
        case other:
            return CriterionDraft(
                node=grader, means=None, reason=f"graders of type {str(other)[:40]!r} are not known here"
            )


def _command(grader: Node, files: PlacedFiles) -> CriterionDraft:
    """A full score is a pass; printing none is 0 there. Scripts beside the eval file are not where the command runs here."""
    command = text_of(grader.child("run"))
    if command is None:
        return CriterionDraft(node=grader, means=None, reason="it has no command")
    if grader.child("setup") is not None:
        return CriterionDraft(node=grader, means=None, reason="its set-up command is not run by this version")
    script = missing_script(command, files)
    if script is not None:
        reason = f"its script {script[:80]!r} is not in the folder that the command runs in"
        return CriterionDraft(node=grader, means=None, reason=reason)
    means = {"type": "command_check", "command": command, "expect_stdout": _FULL_SCORE}
    return CriterionDraft(node=grader, means=means)


SKILLGRADE = FileDialect(name="skillgrade", fits=_fits, read=_read)
