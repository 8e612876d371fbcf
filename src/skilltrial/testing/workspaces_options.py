"""What a test workspace may be asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Layout = Literal["nested", "flat", "legacy"]

FAULTS: Mapping[str, str] = {
    "missing-grading": "one run in each configuration has no grading.json (it crashed)",
    "missing-summary": "one run's grading.json has expectations but no summary",
    "wrong-summary": "one run's summary disagrees with its expectations",
    "null-fields": "one run's grading.json has null for summary, timing, execution_metrics, user_notes_summary",
    "variant-names": "one run's expectations use assertion/verdict instead of text/passed",
    "string-passed": "one run's passed values are the strings 'true' and 'false'",
    "broken-json": "one run's grading.json is cut off in the middle",
    "script-tag": "one output file contains a closing script tag",
    "non-ascii": "prompts, evidence and outputs contain text outside ASCII",
    "nested-outputs": "one run's files are in sub-folders of outputs/",
    "odd-run-dir": "one extra folder is called run-retry",
    "stray-file": "a file called eval-notes.md lies beside the eval folders",
    "mixed-ids": "one eval_metadata.json has a string eval_id, the others integers",
    "no-metadata": "one eval has no eval_metadata.json",
    "descriptive-dirs": "eval folders are named by topic, without the eval- prefix",
    "empty-config": "the first eval lacks the first configuration",
    "nan-rate": "one run's pass_rate is NaN",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceOptions:
    """The same options give the same bytes."""

    evals: int = 3
    runs: int = 3
    """Per eval and configuration; the flat layout has always one."""
    configs: tuple[str, ...] = ("with_skill", "without_skill")
    """The first is the better one."""
    iterations: int = 1
    """From two on with feedback.json."""
    layout: Layout = "nested"
    assertions: int = 6
    gain: float = 1.2
    """Log-odds advantage of the first configuration."""
    evidence_words: int = 18
    transcript_kb: int = 6
    output_kb: int = 4
    rows: int = 60
    png: bool = False
    timing_in_grading: bool = False
    faults: frozenset[str] = frozenset()
    """Names of `FAULTS`."""
    loop_queries: int = 0
    """Above zero: also a result of the trigger loop."""
    loop_iterations: int = 5
    seed: int = 1

    def __post_init__(self) -> None:
        unknown = self.faults - FAULTS.keys()
        if unknown:
            raise ValueError(f"unknown faults {sorted(unknown)!r}; known: {', '.join(FAULTS)}")
        if min(self.evals, self.runs, self.iterations, self.assertions) < 1:
            raise ValueError("evals, runs, iterations and assertions must be at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One eval of the suite."""

    id: int
    name: str
    prompt: str
    difficulty: float
    criteria: tuple[str, ...]


def write_text(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file; NaN as it is."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")
