"""Packing a skill in front of a person."""

from __future__ import annotations

import json
from pathlib import Path

from rich.text import Text

from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.report.plain_text import line as one_line
from skilltrial.spec.package import package


def package_and_print(folder: Path, out: Path | None, *, as_json: bool) -> None:
    """Write the archive and say what is in it, and what is not. Raises as `package` does."""
    packed = package(folder, out)
    if as_json:
        put(json.dumps(packed.summary(), indent=2) + "\n")
        return
    console = Screen()
    n_files = len(packed.files)
    size = f"{n_files} file{'s' * (n_files != 1)}, {packed.size:,} bytes"
    console.print(Text(one_line(f"{packed.path}: {packed.skill.name}, {size}", 400)), soft_wrap=True)
    for path in packed.left_out:
        console.print(Text(f"  {one_line(f'left out: {path}', 300)}", "dim"), soft_wrap=True)
