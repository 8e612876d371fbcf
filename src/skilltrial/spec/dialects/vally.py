"""vally: `stimuli` with a prompt, a `rubric` of statements and `graders`; files, skills and constraints for all of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping

from skilltrial.records.json_value import Json
from skilltrial.spec.dialects.draft import CaseDraft, CriterionDraft, Draft, FileDialect
from skilltrial.spec.dialects.entries import entries, objects
from skilltrial.spec.dialects.made_node import elements, has_list, text_of
from skilltrial.spec.dialects.placed_files import PlacedFiles, missing_script, placed_files
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_TOP_UNUSED: Mapping[str, str] = {
    **dict.fromkeys(("name", "description", "version", "type"), ""),
    "scoring": "weights and the threshold of the score",
    "defaults": "number of runs, time limit and models",
    "constraints": "limits; expected skills are used",
    "environment": "skills and servers that are installed; its files are given to the agent",
    "artifacts": "which files are kept; all are",
}
_UNUSED: Mapping[str, str] = {
    **dict.fromkeys(("description", "tags"), ""),
    "environment": "skills and servers that are installed; its files are given to the agent",
    "constraints": "limits; expected skills are used",
}
_DURATION = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>ms|s|m|h)?")
_SECONDS = {None: 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_COMMAND_KEYS = {"command", "args", "timeout"}


def _fits(root: Node) -> bool:
    return has_list(root, "stimuli")


def _read(root: Node, findings: Findings) -> Draft:
    files = placed_files(_inner(root, "environment", "files"), findings)
    skills = _inner(root, "constraints", "expect_skills")
    return Draft(
        root=root,
        skill_name=skills.child(0) if skills is not None and len(skills.children) == 1 else None,
        cases=tuple(_case(case, root, files, findings) for case in objects(entries(root, "stimuli"), findings)),
        used=frozenset({"stimuli"}),
        unused=_TOP_UNUSED,
    )


def _case(case: Node, root: Node, shared: PlacedFiles, findings: Findings) -> CaseDraft:
    files = shared.joined(placed_files(_inner(case, "environment", "files"), findings))
    return CaseDraft(
        node=case,
        prompt=case.child("prompt"),
        id=case.child("name"),
        files=files.node(),
        keeps_paths=True,
        runs=case.child("runs"),
        criteria=tuple(_criteria(case, root, files)),
        used=frozenset({"name", "prompt", "rubric", "graders", "runs"}),
        unused=_UNUSED,
    )


def _inner(holder: Node, key: str, inner: str) -> Node | None:
    found = holder.child(key)
    return found.child(inner) if found else None


def _criteria(case: Node, root: Node, files: PlacedFiles) -> Iterator[CriterionDraft]:
    skills = _inner(case, "constraints", "expect_skills") or _inner(root, "constraints", "expect_skills")
    if skills is not None:
        one = len(skills.children) == 1
        reason = "" if one else "it expects several skills, and one is on trial"
        yield CriterionDraft(node=skills, means={"type": "skill_invoked"} if one else None, reason=reason)
    for statement in elements(case.child("rubric")):
        yield CriterionDraft(node=statement, means=text_of(statement), reason="it is no text")
    for grader in elements(case.child("graders")):
        yield _grader(grader, files)


def _grader(grader: Node, files: PlacedFiles) -> CriterionDraft:
    kind, config = grader.child("type"), grader.child("config") or grader
    match kind.value if kind else None:
        case "prompt":
            prompt = text_of(config.child("prompt"))
            return CriterionDraft(node=grader, means=prompt, reason="" if prompt else "it has no prompt")
        case "run-command":
            return _command(grader, config, files)
        case other:
            return CriterionDraft(
                node=grader, means=None, reason=f"graders of type {str(other)[:40]!r} are not known here"
            )


def _command(grader: Node, config: Node, files: PlacedFiles) -> CriterionDraft:
    words = [text_of(config.child("command")), *map(text_of, elements(config.child("args")))]
    others = set(map(str, config.children)) - _COMMAND_KEYS if config is not grader else set[str]()
    if None in words or others:
        reason = f"its setting {min(others)[:40]!r} is not known here" if others else "it has no command of texts"
        return CriterionDraft(node=grader, means=None, reason=reason)
    command = shlex.join(word for word in words if word)
    script = missing_script(command, files)
    if script is not None:
        reason = f"its script {script[:80]!r} is not in the folder that the command runs in"
        return CriterionDraft(node=grader, means=None, reason=reason)
    means: dict[str, Json] = {"type": "command_check", "command": command}
    limit = config.child("timeout")
    if limit is not None:
        means["timeout_s"] = _seconds(limit.value)
    return CriterionDraft(node=grader, means=means)


def _seconds(written: Json) -> float | None:
    """`90s`, `2m` or a number of seconds."""
    match = _DURATION.fullmatch(str(written).strip())
    return float(match["number"]) * _SECONDS[match["unit"]] if match else None


VALLY = FileDialect(name="vally", fits=_fits, read=_read)
