"""Rules of eval-magic, the successor of slow-powers, on a field that it added and that is carried here.

Its runner refuses a file that breaks one; here it is no more than told.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from skilltrial.records.record import Repair
from skilltrial.spec.case_files import check_path
from skilltrial.spec.dialects.family import assertions_of
from skilltrial.spec.findings import Invalid
from skilltrial.spec.json_source import Node


def broken_rules(case: Node) -> Iterator[Repair]:
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
