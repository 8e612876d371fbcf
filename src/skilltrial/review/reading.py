"""The questions that a page asks, each with the function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skilltrial.review import workspace
from skilltrial.review.benchmark import assertions, benchmark
from skilltrial.review.case import case
from skilltrial.review.cases import cases
from skilltrial.review.comparisons import comparison, comparisons
from skilltrial.review.contents.difference import difference
from skilltrial.review.contents.file import file
from skilltrial.review.contents.rendition import rendition
from skilltrial.review.contents.tree import files
from skilltrial.review.feedback import feedback
from skilltrial.review.history import history
from skilltrial.review.labels import labels
from skilltrial.review.long_text import text
from skilltrial.review.overview import overview
from skilltrial.review.subject import Query, Subject
from skilltrial.review.timeline.steps import transcript, transcript_search, transcript_text
from skilltrial.review.trial import trial
from skilltrial.review.trial_list import trials
from skilltrial.review.triggers import triggers

Answer = Callable[[Subject, Query], object]
"""Plain JSON of a question; raises `SkilltrialError` where there is none."""

QUESTIONS: Mapping[str, Answer] = {
    "workspace": workspace.workspace,
    "overview": overview,
    "cases": cases,
    "case": case,
    "trial": trial,
    "text": text,
    "files": files,
    "file": file,
    "rendition": rendition,
    "difference": difference,
    "transcript": transcript,
    "transcript_text": transcript_text,
    "transcript_search": transcript_search,
    "comparisons": comparisons,
    "comparison": comparison,
    "triggers": triggers,
    "benchmark": benchmark,
    "assertions": assertions,
    "trials": trials,
    "history": history,
    "feedback": feedback,
    "labels": labels,
}
"""By name: `GET api/NAME?…`. A static page holds answers to the same."""

WHEN_BLIND = frozenset({"workspace", "labels"})
"""Those that tell nothing of arms and verdicts."""
