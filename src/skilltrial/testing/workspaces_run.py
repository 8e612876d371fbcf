"""One run of a test workspace: its outputs, transcript, timing and grading, and the faults in them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from skilltrial.testing.workspaces_options import Task, WorkspaceOptions, write_json, write_text
from skilltrial.testing.workspaces_text import FOREIGN, WORDS, picture, words

_TOOLS = ("Read", "Write", "Bash", "Edit", "Glob", "Grep")
_LEFT_OFF = 200
"""Characters of a grading that was cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlace:
    """Which run it is, and where it lies."""

    folder: Path
    task: Task
    config: str
    is_first_config: bool
    number: int
    iteration: int
    gain: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTruth:
    """What a correct aggregator knows of a run."""

    config: str
    iteration: int
    is_graded: bool
    passed: int
    total: int
    seconds: float
    tokens: int

    @property
    def rate(self) -> float:
        """Of the criteria, whether or not the grading can be read."""
        return self.passed / self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """What grading.json says of the outputs."""

    body: str
    transcript: str
    tools: Mapping[str, int]
    seconds: float


class RunWriter:
    """Writes runs one after another; chance, the clock and the faults already met go on between them."""

    def __init__(self, options: WorkspaceOptions, rng: Random) -> None:
        self._options = options
        self._rng = rng
        self._clock = datetime(2026, 1, 15, 10, 30, tzinfo=UTC)
        self._met = set[str]()
        self.runs: list[RunTruth] = []

    def next_iteration(self) -> None:
        """From here on every fault is met once more."""
        self._met.clear()

    def write(self, place: RunPlace) -> None:
        """Write the files of one run and note the truth about it."""
        rng = self._rng
        expectations = self._expectations(place)
        passed = sum(expectation["passed"] for expectation in expectations)
        tools = {tool: rng.randint(0, 9) for tool in _TOOLS}
        seconds = round(rng.lognormvariate(3.6 + (0.25 if place.is_first_config else 0), 0.35), 1)
        tokens = int(rng.lognormvariate(10.0 + (0.35 if place.is_first_config else 0), 0.3))
        made = self._outputs(place, tools, seconds)
        self._timing(place.folder, seconds, tokens)
        grading = self._grading(expectations, made)
        graded = self._put_grading(place, grading)
        if self._once("odd-run-dir") and self._options.layout != "flat":
            write_text(place.folder.parent / "run-retry/outputs/report.md", "left over\n")
        self.runs.append(
            RunTruth(
                config=place.config,
                iteration=place.iteration,
                is_graded=graded,
                passed=passed,
                total=len(expectations),
                seconds=seconds,
                tokens=tokens,
            )
        )

    def _expectations(self, place: RunPlace) -> list[dict[str, Any]]:
        rng = self._rng
        base = -0.1 + place.task.difficulty + (place.gain if place.is_first_config else 0.0)
        foreign = " " + FOREIGN if "non-ascii" in self._options.faults else ""
        expectations: list[dict[str, Any]] = []
        for number, text in enumerate(place.task.criteria):
            chance = 1 / (1 + math.exp(-(base + 0.4 * math.sin(number) + rng.gauss(0, 0.5))))
            passed = rng.random() < chance
            evidence = f"Step {rng.randint(1, 9)}: " + words(rng, self._options.evidence_words) + foreign
            expectations.append({"text": text, "passed": passed, "evidence": evidence})
        return expectations

    def _outputs(self, place: RunPlace, tools: Mapping[str, int], seconds: float) -> _Made:
        rng, options = self._rng, self._options
        outputs = place.folder / "outputs"
        home = outputs / "project/build" if self._once("nested-outputs") else outputs
        body = f"# Report for {place.task.name}\n\n" + "\n\n".join(
            f"## Part {part}\n\n{words(rng, 40).capitalize()}." for part in range(1, max(2, options.output_kb * 3))
        )
        if self._once("script-tag"):
            body += "\n\n<html><script>var x = 1;</script><b>after</b></html>\n"
        if "non-ascii" in options.faults:
            body += "\n\n" + FOREIGN + "\n"
        write_text(home / "report.md", body)
        rows = (
            f"2026-01-{1 + row % 28:02d},{rng.choice(WORDS)},{rng.uniform(1, 999):.2f}\n" for row in range(options.rows)
        )
        write_text(home / "rows.csv", "date,category,amount\n" + "".join(rows))
        if options.png:
            (home / "chart.png").write_bytes(picture(rng))
        transcript = self._transcript(place.task.prompt)
        write_text(place.folder / "transcript.md", transcript)
        made = _Made(body=body, transcript=transcript, tools=tools, seconds=seconds)
        self._metrics(outputs / "metrics.json", made)
        if rng.random() < 0.15:  # noqa: PLR2004 - of the invented world
            write_text(outputs / "user_notes.md", "- not sure about the time zone of the export\n")
        return made

    def _transcript(self, prompt: str) -> str:
        rng = self._rng
        steps = (
            f"### Step {step}\n\nTool: {rng.choice(_TOOLS)}\n\n{words(rng, 60)}"
            for step in range(1, max(2, self._options.transcript_kb * 2))
        )
        return f"## Eval Prompt\n\n{prompt}\n\n" + "\n\n".join(steps) + "\n\n## Final Result\n\nDone.\n"

    def _metrics(self, path: Path, made: _Made) -> None:
        rng = self._rng
        metrics = {
            "tool_calls": made.tools,
            "total_tool_calls": sum(made.tools.values()),
            "total_steps": rng.randint(3, 12),
            "files_created": ["report.md", "rows.csv"],
            "errors_encountered": int(rng.random() < 0.08),  # noqa: PLR2004 - of the invented world
            "output_chars": len(made.body),
            "transcript_chars": len(made.transcript),
        }
        write_json(path, metrics)

    def _timing(self, folder: Path, seconds: float, tokens: int) -> None:
        start = self._clock
        self._clock += timedelta(seconds=int(seconds) + 30)
        timing = {
            "total_tokens": tokens,
            "duration_ms": int(seconds * 1000),
            "total_duration_seconds": seconds,
            "executor_start": _stamp(start),
            "executor_end": _stamp(start + timedelta(seconds=seconds)),
            "executor_duration_seconds": seconds,
            "grader_duration_seconds": 12.0,
        }
        write_json(folder / "timing.json", timing)

    def _grading(self, expectations: list[dict[str, Any]], made: _Made) -> dict[str, Any]:
        rng = self._rng
        passed, total = sum(expectation["passed"] for expectation in expectations), len(expectations)
        verified = rng.random() < 0.9  # noqa: PLR2004 - of the invented world
        claim_evidence = words(rng, 10)
        unsure = rng.random() < 0.15  # noqa: PLR2004 - of the invented world
        grading: dict[str, Any] = {
            "expectations": expectations,
            "summary": {
                "passed": passed,
                "failed": total - passed,
                "total": total,
                "pass_rate": round(passed / total, 2),
            },
            "execution_metrics": {
                "tool_calls": made.tools,
                "total_tool_calls": sum(made.tools.values()),
                "total_steps": 6,
                "errors_encountered": 0,
                "output_chars": len(made.body),
                "transcript_chars": len(made.transcript),
            },
            "claims": [
                {
                    "claim": "The table has no duplicate rows",
                    "type": "factual",
                    "verified": verified,
                    "evidence": claim_evidence,
                }
            ],
            "user_notes_summary": {
                "uncertainties": ["Time zone of the export is unknown"] if unsure else [],
                "needs_review": [],
                "workarounds": [],
            },
            "eval_feedback": {"suggestions": [], "overall": "No suggestions"},
        }
        if self._options.timing_in_grading:
            grading["timing"] = {
                "executor_duration_seconds": made.seconds,
                "grader_duration_seconds": 12.0,
                "total_duration_seconds": made.seconds,
            }
        return grading

    def _put_grading(self, place: RunPlace, grading: dict[str, Any]) -> bool:
        """Write grading.json with at most one fault; whether a reader can grade by it."""
        path = place.folder / "grading.json"
        if self._spoil(grading):
            write_json(path, grading)
            return True
        if self._once("broken-json"):
            write_text(path, json.dumps(grading)[:_LEFT_OFF])
            return False
        if place.number == 1 and self._once("missing-grading", place.config):
            return False
        write_json(path, grading)
        return True

    def _spoil(self, grading: dict[str, Any]) -> bool:
        """Put the next fault that leaves the criteria readable into a grading; whether there was one."""
        expectations, summary = grading["expectations"], grading["summary"]
        total = summary["total"]
        if self._once("missing-summary"):
            del grading["summary"]
        elif self._once("wrong-summary"):
            grading["summary"] = {"passed": total, "failed": 0, "total": total, "pass_rate": 1.0}
        elif self._once("null-fields"):
            grading |= dict.fromkeys(("summary", "timing", "execution_metrics", "user_notes_summary"))
        elif self._once("variant-names"):
            grading["expectations"] = [
                {
                    "assertion": expectation["text"],
                    "verdict": "PASS" if expectation["passed"] else "FAIL",
                    "evidence": expectation["evidence"],
                }
                for expectation in expectations
            ]
        elif self._once("string-passed"):
            for expectation in expectations:
                expectation["passed"] = "true" if expectation["passed"] else "false"
        elif self._once("nan-rate"):
            summary["pass_rate"] = math.nan
        else:
            return False
        return True

    def _once(self, fault: str, whose: str = "") -> bool:
        """True the first time an asked-for fault is met in an iteration, and not on the very first runs."""
        if fault not in self._options.faults or f"{fault}:{whose}" in self._met or len(self.runs) < 2:  # noqa: PLR2004 - "very first"
            return False
        self._met.add(f"{fault}:{whose}")
        return True


def _stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
