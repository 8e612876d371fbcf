"""Where things are in a workspace: pure functions from records to relative paths (forward slashes)."""

from __future__ import annotations

import hashlib
import re

from skilltrial.records.trial import TrialKey

PLAN = "plan.json"
TRIAL = "run.json"
TRANSCRIPT = "transcript.jsonl"
STDERR = "stderr.txt"
TIMING = "timing.json"
GRADING = "grading.json"
JUDGE_ANSWERS = "judge.json"
"""What judges said of a trial, so that the same is not asked again."""
PROBES = "probes"
"""What judges said of changed trials, below an iteration; no grading comes of it."""
OUTPUTS = "outputs"
PATCH = "diff.patch"
DOUBLES = "doubles.jsonl"
"""What the doubles of the case were asked, a line each."""
BENCHMARK = "benchmark.json"
BENCHMARK_MD = "benchmark.md"
REPORT = "report.html"
EVAL_METADATA = "eval_metadata.json"
FEEDBACK = "feedback.json"
JOURNAL = "journal.jsonl"
"""What people said, at the root of the workspace, a line each (`records/journal.py`)."""
HISTORY = "history.json"
COMPARISONS = "comparisons"
IMPORTED = "imported"
"""What an import kept of the old files, below an iteration."""
IMPORT_RECORD = f"{IMPORTED}/import.json"
"""What the import knew and no other file has a place for."""
SELF_CHECKS = "aa"
"""The workspace of runs of the baseline against itself, in the workspace of the others."""
SELF_CHECK = "check.json"
"""What the newest of them came to, in that folder."""
PROSE = "prose.json"
"""What a model says of the figures, below an iteration."""
TRIGGERS = "triggers"
"""The workspace of trials that only ask whether the skill is loaded, in the workspace of the others."""
TRIGGER_RESULTS = "triggers.json"
"""What they came to, in each of its iterations."""
OPTIMISE = "optimise"
"""Searches for a better description, `search-1` and so on, in the workspace of the others."""
OPTIMISATION = "optimise.json"
"""Where each of them stands."""
IMPROVE = "improve"
"""Improvements of the skill, `improvement-1` and so on, in the workspace of the others."""
IMPROVEMENT = "improve.json"
"""Where each of them stands."""
VERSIONS = "versions"
"""The versions of the skill that were proposed or tried, `v0` and so on, and their patches."""
RUNNING = ".running"
STOP = "stop.json"
MATRIX = "matrix.json"
MATRIX_MD = "matrix.md"
PORTFOLIO = "portfolio.json"
PORTFOLIO_MD = "portfolio.md"
CELLS = "cells"
"""Workspaces of the runs of a matrix or a portfolio."""
BEGUN = "begun"

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def slug(text: str) -> str:
    """A name that every file system takes. Texts that had to be changed get a short digest, so that none meet."""
    safe = _UNSAFE.sub("-", text).strip("-.")[:80]
    if safe == text and safe == safe.lower():
        return safe
    return f"{safe or 'case'}-{hashlib.sha256(text.encode()).hexdigest()[:6]}"


def iteration_dir(number: int) -> str:
    """`iteration-3`."""
    return f"iteration-{number}"


def prose_path(number: int) -> str:
    """`iteration-3/prose.json`."""
    return f"{iteration_dir(number)}/{PROSE}"


def case_dir(number: int, case_id: str) -> str:
    """`iteration-3/eval-basic-usage`."""
    return f"{iteration_dir(number)}/eval-{slug(case_id)}"


def codebase_dir(number: int, digest: str) -> str:
    """`iteration-3/codebases/0a1b2c3d4e5f`."""
    return f"{iteration_dir(number)}/codebases/{digest.removeprefix('sha256:')[:12]}"


def trial_dir(number: int, key: TrialKey) -> str:
    """`iteration-3/eval-basic-usage/with_skill/run-1`."""
    return f"{case_dir(number, key.case_id)}/{slug(key.arm)}/run-{key.repeat}"


def comparison_path(number: int, name: str) -> str:
    """`iteration-3/comparisons/key.json`."""
    return f"{iteration_dir(number)}/{COMPARISONS}/{name}"


def probe_file(number: int, key: TrialKey, probe: str) -> str:
    """`iteration-3/probes/eval-basic-usage/with_skill-1-order.json`: no folder there that could be taken for a run."""
    return f"{iteration_dir(number)}/{PROBES}/eval-{slug(key.case_id)}/{slug(key.arm)}-{key.repeat}-{probe}.json"
