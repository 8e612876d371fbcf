"""Auditing somebody else's workspace in front of a person."""

from __future__ import annotations

import gc
import json
from dataclasses import asdict
from functools import partial
from pathlib import Path

from skilltrial.audit.outputs import look_into
from skilltrial.audit.run import audit
from skilltrial.cli.standard_output import put
from skilltrial.wiring.others import read_foreign

WRONG = 1


def audit_and_print(path: Path, *, treatment: str | None, baseline: str | None, as_json: bool) -> int:
    """Print the right figures and everything found; returns the exit code."""
    workspace = read_foreign(path, treatment=treatment, baseline=baseline)
    gc.freeze()  # it stays to the end; looking through it for cycles would cost more than the audit
    found = audit(workspace, outputs=partial(look_into, workspace.root))
    if as_json:
        # In ASCII: names of files may hold bytes that no other encoding of JSON can carry.
        put(json.dumps(asdict(found), indent=2, allow_nan=False) + "\n")
    else:
        from skilltrial.cli.audit_page import print_audit  # noqa: PLC0415 - rich is slow to import
        from skilltrial.cli.screen import Screen  # noqa: PLC0415 - rich is slow to import

        print_audit(found, Screen(), path=str(path))
    return WRONG if any(finding.severity == "error" for finding in found.findings) else 0
