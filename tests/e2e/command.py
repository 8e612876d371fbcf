"""Running the installed command line the way a person does."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SKILL = """---
name: csv-report
description: Turns a CSV file into a short Markdown report. Use when the user asks to summarise a CSV.
---
# CSV report

Read the CSV, count the rows, write report.md, then check it with `wc -l`.
"""


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody with a home of their own and a few variables."""

    home: Path
    variables: dict[str, str]

    @property
    def env(self) -> dict[str, str]:
        """Nothing of the machine's own keys or logins."""
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        # Where the package is taken from a checkout that is not the installed one.
        source = {name: value for name, value in os.environ.items() if name == "PYTHONPATH"}
        return {
            "PATH": path,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "COLUMNS": "80",
            **source,
            **self.variables,
        }

    def start(self, *arguments: str | Path) -> subprocess.Popen[str]:
        """Start `skilltrial` with these arguments and wait for nothing."""
        return subprocess.Popen(
            [sys.executable, "-m", "skilltrial", *map(str, arguments)],
            env=self.env,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Run `skilltrial` to its end."""
        process = self.start(*arguments)
        out, err = process.communicate(timeout=300)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def write_skill(folder: Path, cases: list[dict[str, Any]], *, text: str = SKILL) -> Path:
    """A skill with an eval file in the native form."""
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(text)
    suite = {"skill_name": folder.name, "evals": cases}
    (folder / "evals/evals.json").write_text(json.dumps(suite, indent=2))
    return folder


def trial_records(workspace: Path, iteration: int = 1) -> list[dict[str, Any]]:
    """All run.json of an iteration."""
    return [
        json.loads(path.read_text())
        for path in sorted(workspace.glob(f"iteration-{iteration}/eval-*/*/run-*/run.json"))
    ]


def kill(process: subprocess.Popen[str]) -> None:
    """SIGKILL, as a power cut would."""
    process.send_signal(signal.SIGKILL)
    process.communicate()
