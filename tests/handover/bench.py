"""A skill to hand out, and somebody who does the tasks by hand."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio

from skilltrial.handover.collection import Collected, CollectRequest, collect
from skilltrial.handover.preparation import Prepared, prepare
from skilltrial.records.handover import Manifest
from skilltrial.request import RunRequest

SKILL = (
    "---\nname: csv-report\ndescription: Summarises a CSV. Use when asked to.\n---\n# CSV report\n\nCount the rows.\n"
)
SUITE: dict[str, Any] = {
    "skill_name": "csv-report",
    "evals": [
        {
            "id": "report",
            "prompt": "Summarise data.csv\nin one line",
            "expected_output": "a-word-to-be-kept-secret",
            "files": {"data.csv": "apples,3\npears,4\n"},
            "assertions": [{"id": "rows", "type": "file_matches", "path": "report.md", "pattern": "Rows: 2"}],
        }
    ],
}


def stream_of(text: str, *, skill: str | None = None, is_error: bool = False) -> str:
    """What Claude Code prints for a run with one answer, and perhaps one loaded skill."""
    call = {"type": "tool_use", "id": "t", "name": "Skill", "input": {"skill": skill}}
    rows: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "claude_code_version": "2.1.0", "model": "m", "skills": [skill or "x"]}
    ]
    if skill:
        rows.append({"type": "assistant", "message": {"id": "0", "model": "m", "content": [call]}})
        done = {"type": "tool_result", "tool_use_id": "t", "content": "ok"}
        rows.append({"type": "user", "message": {"content": [done]}})
    rows.append(
        {"type": "assistant", "message": {"id": "1", "model": "m", "content": [{"type": "text", "text": text}]}}
    )
    end = {"type": "result", "subtype": "success", "is_error": is_error, "result": text, "total_cost_usd": 0.25}
    used = {"inputTokens": 100, "outputTokens": 20, "cacheReadInputTokens": 0, "cacheCreationInputTokens": 0}
    failed = {"terminal_reason": "api_error", "api_error_status": 401} if is_error else {}
    rows.append({**end, **failed, "modelUsage": {"m": {**used, "costUSD": 0.25}}})
    return "".join(json.dumps(row) + "\n" for row in rows)


@dataclass(kw_only=True)
class Bench:
    """Folders of one person."""

    root: Path
    env: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self.env = {"HOME": str(self.root / "home"), "PATH": "/usr/bin:/bin"}
        skill = self.root / "csv-report"
        (skill / "evals").mkdir(parents=True)
        (skill / "SKILL.md").write_text(SKILL)
        self.write_suite(SUITE)

    @property
    def out(self) -> Path:
        """Where the tasks are."""
        return self.root / "out"

    @property
    def workspace(self) -> Path:
        """Where the key is."""
        return self.root / "w"

    def write_suite(self, suite: dict[str, Any]) -> None:
        """Another eval file."""
        (self.root / "csv-report/evals/evals.json").write_text(json.dumps(suite))

    def prepare(self, *, out: Path | None = None, skill_root: str | None = None, **options: Any) -> Prepared:
        """Hand out."""
        request = RunRequest(
            skill=self.root / "csv-report", env=self.env, workspace=self.workspace, **{"runs": 1, **options}
        )

        async def work() -> Prepared:
            return await prepare(request, out=out or self.out, skill_root=skill_root)

        return anyio.run(work)

    def collect(self, folder: Path | None = None, **options: Any) -> Collected:
        """Take back."""
        return anyio.run(collect, CollectRequest(folder=folder or self.out, env=self.env, **options))

    def manifest(self) -> Manifest:
        """Of the tasks."""
        return Manifest.model_validate_json((self.out / "manifest.json").read_bytes())

    def ids(self) -> dict[bool, str]:
        """The task of the arm with the skill, and that of the arm without, in a plan of two."""
        return {(self.out / task.work / ".claude").exists(): task.id for task in self.manifest().tasks}

    def record(self, arm: str, repeat: int = 1) -> dict[str, Any]:
        """A trial's run.json."""
        return json.loads((self.workspace / f"iteration-1/eval-report/{arm}/run-{repeat}/run.json").read_text())

    def hand_back(self, token: str, final: str = "Done.", **files: str) -> None:
        """Write what came of a task; the names of `files` have `_` for `.`."""
        for name, text in {**files, "final_md": final}.items():
            (self.out / token / name.replace("_", ".")).write_text(text)
