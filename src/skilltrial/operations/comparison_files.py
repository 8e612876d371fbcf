"""The files below `comparisons/`: read, written, and put aside where they are of something that has changed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import TypeVar

from pydantic import ValidationError

from skilltrial.errors import StoreError
from skilltrial.execute.resume import read_trial
from skilltrial.grade.material import Material
from skilltrial.grade.run import read_material
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.analysis import Analysis
from skilltrial.records.comparison import (
    COMPARISON_KEY,
    COMPARISON_RUBRICS,
    COMPARISON_SUMMARY,
    BlindComparison,
    ComparisonKey,
    Label,
    Rubric,
)
from skilltrial.records.plan import Plan
from skilltrial.records.preference import PreferenceSummary
from skilltrial.records.record import Record
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import TrialKey
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import line
from skilltrial.report.preference import preference_sentence

Labels = Mapping[Label, TrialKey]
RecordT = TypeVar("RecordT", bound=Record)
_TOLD = 3
_NUMBER = re.compile(r"(?:comparison|analysis)-(\d{1,9})(?:\.json)?")


class ComparisonFolder:
    """`comparisons/` of one iteration."""

    def __init__(self, store: Store, iteration: int) -> None:
        self._store = store
        self.iteration = iteration

    def key(self) -> dict[str, Labels]:
        """Which trial is which, by the comparison's name; empty where there is no key of ours."""
        found = self._read(COMPARISON_KEY, ComparisonKey)
        return dict(found.labels) if found else {}

    def write_key(self, labels: Mapping[str, Labels]) -> None:
        """All of it."""
        self._write(COMPARISON_KEY, ComparisonKey(labels=labels))

    def next_number(self) -> int:
        """After all that are there, whoever wrote them, and all that the key names."""
        places = self._store.find(layout.comparison_path(self.iteration, "*.json"))
        names = [*(PurePosixPath(place).name for place in places), *self.key()]
        return max((int(match[1]) for name in names if (match := _NUMBER.fullmatch(name))), default=0) + 1

    def comparison(self, name: str) -> BlindComparison | None:
        """None where there is none of ours."""
        found = self._read(f"{name}.json", BlindComparison)
        return found if found and found.skilltrial else None

    def write_comparison(self, name: str, comparison: BlindComparison) -> None:
        """In skill-creator's shape: without `expectation_results` where there are none."""
        empty = set[str]() if comparison.expectation_results else {"expectation_results"}
        self._write(f"{name}.json", comparison, leave_out=empty)

    def analysis(self, name: str) -> Analysis | None:
        """None where there is none of ours."""
        found = self._read(f"{name}.json", Analysis)
        return found if found and found.skilltrial else None

    def write_analysis(self, name: str, analysis: Analysis) -> None:
        """In skill-creator's shape."""
        self._write(f"{name}.json", analysis)

    def rubric(self, case_id: str) -> Rubric | None:
        """None where there is none."""
        found = self._read(_rubric(case_id), Rubric)
        return found if found and found.case_id == case_id else None

    def write_rubric(self, rubric: Rubric) -> None:
        """For all comparisons of its case."""
        self._write(_rubric(rubric.case_id), rubric)

    def summary(self) -> PreferenceSummary | None:
        """None where there is none of ours."""
        return self._read(COMPARISON_SUMMARY, PreferenceSummary)

    def write_summary(self, summary: PreferenceSummary) -> None:
        """In place of the one before."""
        self._write(COMPARISON_SUMMARY, summary)

    def put_aside(self, name: str) -> None:
        """A comparison or an analysis of what has changed: kept in `superseded/`, where nobody reads it."""
        path = layout.comparison_path(self.iteration, f"{name}.json")
        data = self._store.read(path)
        if data is None:
            return
        kept = f"{layout.iteration_dir(self.iteration)}/superseded/{name}"
        self._store.write(f"{kept}-{len(self._store.find(f'{kept}-*.json')) + 1}.json", data)
        self._store.path(path).unlink(missing_ok=True)

    def _read(self, name: str, kind: type[RecordT]) -> RecordT | None:
        """What cannot be read, or is another tool's, is as if it were not there."""
        data = self._store.read(layout.comparison_path(self.iteration, name))
        try:
            return None if data is None else kind.model_validate_json(data)
        except ValidationError:
            return None

    def _write(self, name: str, record: Record, *, leave_out: set[str] | None = None) -> None:
        value = record.model_dump(mode="json", exclude=leave_out)
        text = json.dumps(value, indent=2, ensure_ascii=False)
        path = layout.comparison_path(self.iteration, name)
        self._store.write(path, f"{text}\n".encode("utf-8", "backslashreplace"))


def material_of(
    store: Store, plan: Plan, iteration: int, key: TrialKey, code: Mapping[str, tuple[CaseFile, ...]]
) -> Material:
    """What a finished trial left. Raises `StoreError` where it has gone, or its transcript cannot be understood."""
    trial, folder = read_trial(store, iteration, key), layout.trial_dir(iteration, key)
    if trial is None:
        raise StoreError(f"the trial {key} has gone.", where=str(store.path(folder)))
    transcript = store.read(f"{folder}/{layout.TRANSCRIPT}") or b""
    files = code.get(key.case_id, ())
    return read_material(plan, iteration, store, trial=trial, transcript=transcript, code=files)


def last_preferences(store: Store, iteration: int) -> str:
    """What the last `compare` came to, for a report; empty where there was none."""
    found = ComparisonFolder(store, iteration).summary()
    if found is None or not found.n_comparisons:
        return ""
    told = " ".join(preference_sentence(each) for each in found.arms[:_TOLD] if each.win_rate is not None)
    more = f" And {plural(len(found.arms) - _TOLD, 'more pair')} of arms." if len(found.arms) > _TOLD else ""
    return f"Outputs compared blind by {line(found.judge, 60)}, when `skilltrial compare` last ran: {told}{more}"


def analysis_name(comparison: str) -> str:
    """`analysis-3` of `comparison-3`."""
    return comparison.replace("comparison", "analysis", 1)


def _rubric(case_id: str) -> str:
    return f"{COMPARISON_RUBRICS}/eval-{layout.slug(case_id)}.json"
