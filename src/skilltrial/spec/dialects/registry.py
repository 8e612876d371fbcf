"""All forms of eval files that are known, in the order in which they are tried."""

from __future__ import annotations

from functools import partial

from skilltrial.spec.dialects.draft import FileDialect
from skilltrial.spec.dialects.evals_object import FAMILIES, label, read_evals
from skilltrial.spec.json_source import Node


def _is_of(name: str, root: Node) -> bool:
    return label(root) == name


DIALECTS: tuple[FileDialect, ...] = (
    *(
        FileDialect(name=name, fits=partial(_is_of, name), read=read_evals)
        for name in (*(family.name for family in FAMILIES), "mixed")
    ),
)


def dialect_of(root: Node) -> FileDialect | None:
    """The first that a file fits; None where it is none that is known."""
    return next((dialect for dialect in DIALECTS if dialect.fits(root)), None)
