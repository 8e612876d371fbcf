"""JSON Lines: one JSON value a line, as the list of them."""

from __future__ import annotations

from skilltrial.spec.findings import Findings, Invalid
from skilltrial.spec.json_source import JsonScanner, Node

_MAX_ERRORS = 20


def json_lines(text: str, findings: Findings, *, file: str) -> Node:
    """The values of all lines that are not blank, as one list. Every broken line is an error of its own in `findings`.

    Raises `SpecError` where no line has a value, and for a file that is too large.
    """
    children: dict[str | int, Node] = {}
    n_values = n_errors = 0
    for line, written in enumerate(text.split("\n"), start=1):
        if not written.strip():
            continue
        scanner = JsonScanner(written, file, line=line, n_values=n_values)
        try:
            children[len(children)] = scanner.document((len(children),))
        except Invalid as error:
            n_errors += 1
            if error.code == "too-large" or n_errors == _MAX_ERRORS:
                raise
            findings.errors.append(error.problem)
        n_values = scanner.n_values
    if not children and not n_errors:
        raise Node(None, file, 1).error("empty-file", "is empty.", hint="Write one JSON object a line.")
    return Node([node.value for node in children.values()], file, 1, (), children)
