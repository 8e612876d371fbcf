"""Rules of eval-magic, the successor of slow-powers, on the fields that it added.

Its runner refuses a file that breaks one. Here these fields are carried and not used, so that it is no more than told.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from skilltrial.records.record import Repair
from skilltrial.spec.case_files import check_path
from skilltrial.spec.dialects.family import assertions_of
from skilltrial.spec.findings import Invalid, shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.patterns import BadPattern, compile_pattern


def broken_rules(case: Node) -> Iterator[Repair]:
    """What is wrong with the turns, the responder and the held-out files of a case."""
    yield from _conversation(case)
    yield from _held_out_files(case)


def _conversation(case: Node) -> Iterator[Repair]:
    turns, responder = case.child("turns"), case.child("responder")
    if turns is not None and responder is not None:
        yield case.repair("turns-and-responder", "has both 'turns' and a 'responder'; eval-magic takes one of them")
    for turn in turns.elements() if turns is not None and isinstance(turns.value, list) else ():
        prompt, pattern = turn.child("prompt"), turn.child("agent_response_matches")
        if prompt is None or not isinstance(prompt.value, str) or not prompt.value.strip():
            yield turn.repair("bad-turn", "has no prompt")
        if pattern is not None:
            yield from _broken_pattern(pattern)


def _broken_pattern(node: Node) -> Iterator[Repair]:
    try:
        compile_pattern(str(node.value))
    except BadPattern as error:
        yield node.repair("bad-turn", f"{error} in {shown(node.value)}")


def _held_out_files(case: Node) -> Iterator[Repair]:
    """Files that a command is checked with lie below the folder, and the agent sees none of them."""
    files = case.child("files")
    seen = [entry.value for entry in files.elements()] if files is not None else []
    visible = [PurePosixPath(path).as_posix() for path in seen if isinstance(path, str)]
    for assertion in assertions_of(case):
        held_out = assertion.child("setup_files")
        for entry in held_out.elements() if held_out is not None else ():
            try:
                path = check_path(entry, entry.value)
            except Invalid as error:
                what = error.problem.message.removeprefix(entry.place).strip().rstrip(".")
                yield entry.repair("bad-setup-file", what)
                continue
            if any(_overlap(path, other) for other in visible):
                what = "is held out for a check, and is given to the agent by 'files' too"
                yield entry.repair("bad-setup-file", what)


def _overlap(one: str, other: str) -> bool:
    return PurePosixPath(one).is_relative_to(other) or PurePosixPath(other).is_relative_to(one)
