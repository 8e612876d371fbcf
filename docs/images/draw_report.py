# noqa: INP001 - a script, not a package
"""Draw the terminal report of a benchmark as an SVG picture: `python docs/images/draw_report.py JSON SVG [TITLE]`.

The picture ends after what the trials took. README shows that of `skilltrial demo`, which replays the same trials everywhere.

The picture names no fonts of other hosts, so that it asks for nothing when it is looked at.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from skilltrial.records.benchmark import Benchmark
from skilltrial.report.terminal import print_report


def draw(benchmark: Benchmark, *, command: str, title: str) -> str:
    """The first half of the report below its command line."""
    whole = Console(width=80, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    with whole.capture() as told:
        print_report(benchmark, whole)
    lines = Text.from_ansi(told.get()).split()
    end = next((number for number, line in enumerate(lines) if line.plain.strip() == "Assertions"), len(lines))
    with Path("/dev/null").open("w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=82, file=nowhere, force_terminal=True, color_system="truecolor")
        console.print(f"$ {command}", style="bold", highlight=False)
        console.print()
        console.print(Text("\n").join([*lines[:end], Text("…")]))
    picture = console.export_svg(title=title, theme=MONOKAI, unique_id="report")
    picture = re.sub(r"<!--.*?-->\s*", "", picture, flags=re.DOTALL)
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    return picture.replace("Fira Code, monospace", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono, monospace")


if __name__ == "__main__":
    source, target = map(Path, sys.argv[1:3])
    read = Benchmark.model_validate_json(source.read_bytes())
    recorded = read.metadata.harness.discovery == "recorded"
    line = "skilltrial demo" if recorded else f"skilltrial run examples/{read.metadata.skill_name}"
    words = sys.argv[3] if len(sys.argv) > 3 else "skilltrial"  # noqa: PLR2004 - the third argument
    target.write_text(draw(read, command=line, title=words), encoding="utf-8")
