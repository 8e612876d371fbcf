"""Rules of eval-magic, the successor of slow-powers, on the fields that it added. They are carried here, and have to be sound."""

from __future__ import annotations

from pathlib import PurePosixPath

from skilltrial.spec.case_files import check_path
from skilltrial.spec.dialects.family import assertions_of
from skilltrial.spec.findings import Findings, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.patterns import BadPattern, compile_pattern


def check_conversation(case: Node, findings: Findings) -> None:
    """Later messages: from a list or from a model, not from both; none of them blank; their patterns compile."""
    turns, responder = case.child("turns"), case.child("responder")
    with findings.collecting():
        if turns is not None and responder is not None:
            hint = "Keep one of them."
            raise case.error("turns-and-responder", "has both 'turns' and a 'responder'.", hint=hint)
    for turn in turns.elements() if turns is not None and isinstance(turns.value, list) else ():
        with findings.collecting():
            prompt = turn.child("prompt")
            if prompt is None or not isinstance(prompt.value, str) or not prompt.value.strip():
                raise (prompt or turn).error("bad-turn", "has no prompt.", hint="Write what the user says next.")
            _check_pattern(turn.child("agent_response_matches"))


def check_codebase(holder: Node, findings: Findings) -> None:
    """A repository: an address with a revision, or a path."""
    codebase = holder.child("codebase")
    if codebase is None:
        return
    with findings.collecting():
        url, ref, path = (codebase.child(key) for key in ("url", "ref", "path"))
        blank = [node for node in (url, ref, path) if node is not None and not str(node.value).strip()]
        if blank or (url is None) == (path is None) or (url is not None and ref is None):
            hint = "Write {'url': …, 'ref': …}, or {'path': …}."
            raise codebase.error("bad-codebase", f"is no repository: {shown(codebase.value)}.", hint=hint)


def check_setup_files(case: Node, findings: Findings) -> None:
    """Files that a command is checked with: below the folder, and none that the agent can see."""
    files = case.child("files")
    seen = [entry.value for entry in files.elements()] if files is not None else []
    visible = {PurePosixPath(path).as_posix() for path in seen if isinstance(path, str)}
    for assertion in assertions_of(case):
        held_out = assertion.child("setup_files")
        for entry in held_out.elements() if held_out is not None else ():
            with findings.collecting():
                path = check_path(entry, entry.value)
                if any(_overlap(path, other) for other in visible):
                    what = f"is held out for a check, and is given to the agent by 'files' too: {shown(path)}."
                    raise entry.error("setup-file-visible", what, hint="Remove it from 'files'.")


def _overlap(one: str, other: str) -> bool:
    return PurePosixPath(one).is_relative_to(other) or PurePosixPath(other).is_relative_to(one)


def _check_pattern(node: Node | None) -> None:
    if node is None:
        return
    try:
        compile_pattern(str(node.value))
    except BadPattern as error:
        raise node.error("bad-pattern", f"{error} in {shown(node.value)}.") from None
