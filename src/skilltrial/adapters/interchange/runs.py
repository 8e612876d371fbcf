"""One run out of its files, and one run out of its entry in a shared file."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from skilltrial.adapters.interchange.gradings import NoGradingError, read_grading
from skilltrial.adapters.interchange.harbor import is_harbor, read_harbor
from skilltrial.adapters.interchange.json_files import ForeignFiles, Loaded
from skilltrial.adapters.interchange.layout import Slot
from skilltrial.adapters.interchange.results import Entry
from skilltrial.adapters.interchange.statements import criteria_key
from skilltrial.adapters.interchange.timings import has_figures, merged, read_timing
from skilltrial.adapters.interchange.tree import OUTPUTS, Folder
from skilltrial.adapters.interchange.values import child, first_text
from skilltrial.records.foreign import ForeignGrading, ForeignTiming
from skilltrial.records.json_value import Json, is_object

_CHECKED = frozenset({"command-checks", "judge-responses", "verifier"})
"""Sub-folders of a run in which graders leave JSON files."""
_OWN = frozenset({
    "grading.json", "timing.json", "metrics.json", "eval_metadata.json", "expectations.json", "run.json", "result.json",
    "summary.json", "config.json", "run_config.json", "transcript.jsonl", "transcript.md", "transcript.json",
    "transcript.txt", "conversation.json", "final-message.md", "stderr.txt", "diff.patch", "user_notes.md",
})  # fmt: skip
_JUDGED = ("result", "eval", "verdict", "assert", "check", "score", "judge")
_RECORDS = ("config.json", "run.json", "summary.json")
_TRANSCRIPTS = ("transcript.jsonl", "transcript.md", "transcript.json", "transcript.txt")


def read_fields(slot: Slot, files: ForeignFiles, *, grading: Loaded | None) -> dict[str, Any]:
    """Of a `ForeignRun`, all but its case, arm and number: out of a folder, or of the files that share a stem.

    `grading` is what the file of `slot.parts["grading"]` holds.
    """
    builder = _Builder(slot, files)
    if grading is not None:
        builder.read_grading(slot.parts["grading"], grading)
    builder.read_outputs()
    builder.read_parts()
    if slot.alone:
        builder.read_rest()
    return builder.fields()


def fields_of_entry(entry: Entry, place: str, files: ForeignFiles) -> dict[str, Any]:
    """The same out of an entry in a shared file; `place` is of the entry."""
    body = entry.body
    result = child(body, "result")
    grading = None
    with suppress(NoGradingError):
        grading = read_grading(body, place, files)
    timing = merged(_figures(body.get("timing"), place), merged(_figures(result, place), _figures(body, place)))
    if timing is not None and timing.extra:
        timing = replace(timing, extra={})
    return {
        "place": place,
        "grading": grading,
        "timing": timing,
        "model": first_text(body, "model"),
        "extra": {} if grading is not None else dict(body),
    }


def _figures(value: Json, place: str) -> ForeignTiming | None:
    timing = read_timing(value, place) if value else None
    return timing if has_figures(timing) else None


class _Builder:
    """Collects the fields of one run; later files add what the earlier ones lack."""

    def __init__(self, slot: Slot, files: ForeignFiles) -> None:
        self.slot = slot
        self.files = files
        self.parts = slot.parts
        self.grading: ForeignGrading | None = None
        self.timing: ForeignTiming | None = None
        self.metrics: Json = None
        self.model: str | None = None
        self.final_message: str | None = None
        self.transcript = slot.parts.get("transcript")
        self.outputs = slot.parts.get("outputs")
        self.left: tuple[str, ...] | None = None
        self.extra: dict[str, Json] = {}

    def fields(self) -> dict[str, Any]:
        """Of `ForeignRun`."""
        return {
            "place": self.slot.place,
            "grading": self.grading,
            "timing": self.timing,
            "metrics": self.metrics,
            "model": self.model,
            "outputs": self.outputs,
            "left": self.left,
            "transcript": self.transcript or self.parts.get("conversation"),
            "final_message": self.final_message,
            "extra": self.extra,
        }

    def read_outputs(self) -> None:
        """What belongs to the run and was left among its outputs."""
        folder = self.slot.folder.child(OUTPUTS) if self.slot.alone else None
        if folder is None:
            return
        self.left = (*(f"{below.name}/" for below in folder.folders), *folder.files)
        for name, part in (("grading.json", "grading"), ("timing.json", "timing"), ("metrics.json", "metrics")):
            if name in folder.files:
                self._claim(part, name, folder.at(name))
        if self.transcript is None:
            self.transcript = next((folder.at(name) for name in _TRANSCRIPTS if name in folder.files), None)
        self.files.stray += [below.place for below in folder.folders if below.name == OUTPUTS]

    def _claim(self, part: str, name: str, place: str) -> None:
        """Take a file for the run's own, where it has none."""
        if part in self.parts:
            if part != "metrics":
                self.extra[f"{OUTPUTS}/{name}"] = self.files.load(place).value
            return
        self.parts[part] = place
        if part == "grading":
            self.read_grading(place, self.files.load(place))
        if part != "metrics":
            self.files.repair(f"{part}-in-outputs", f"{name} lay among the outputs", place)

    def read_parts(self) -> None:
        """The files with known names."""
        parts = self.parts
        if "timing" in parts:
            self._read_timing(parts["timing"])
        if "metrics" in parts and not self._has_metrics():
            self.metrics = self._load(parts["metrics"])
        if self.grading is not None and self.grading.timing is not None:
            beside = read_timing(self.grading.timing, f"{self.grading.place}#timing")
            if has_figures(beside):
                self.timing = merged(self.timing, beside)
        self._read_records()

    def _has_metrics(self) -> bool:
        """Whether the grader copied the figures of `metrics.json`, as skill-creator's does; then the file says no more."""
        metrics = self.grading.execution_metrics if self.grading is not None else None
        return is_object(metrics) and "output_chars" in metrics and "tool_calls" in metrics

    def _read_records(self) -> None:
        for part in ("run", "result", "summary", "config", "expectations", "metadata"):
            if part in self.parts:
                self._read_record(part, self.parts[part])

    def _read_record(self, part: str, place: str) -> None:
        value = self._load(place)
        if not is_object(value):
            if value is not None:
                self._keep(place, value)
            return
        self.model = self.model or first_text(value, "model", "agent_model", "executor_model")
        if part in {"metadata", "expectations"}:
            self._keep(place, value)
            return
        if is_harbor(value):
            self._take_harbor(value, place)
            return
        if part in {"result", "summary"} and self.grading is None:
            self._try_grading(value, place)
        self.final_message = self.final_message or first_text(value, "final_message")
        if part != "run" or not has_figures(self.timing):
            figures = merged(_figures(value, place), _figures(value.get("agent"), place))
            if figures is not None:
                self.timing = merged(self.timing, replace(figures, extra={}))
        self._keep(place, value)

    def _take_harbor(self, value: dict[str, Json], place: str) -> None:
        found = read_harbor(value, place, self.slot.folder, self.files)
        self.grading = self.grading or found.grading
        self.timing = merged(self.timing, found.timing)
        self.model = self.model or found.model
        self.extra.update(found.extra)

    def read_rest(self) -> None:
        """Files of the run's own folder that have no known name, and those that graders left below it."""
        folder = self.slot.folder
        known = set(self.parts.values())
        others: list[str] = []
        for name in folder.files:
            if name in _OWN or (place := folder.at(name)) in known:
                continue
            if name.endswith(".json"):
                self._read_unnamed(name, place)
            else:
                others.append(place)
        if self.outputs is None and others:
            self.outputs = others[0] if len(others) == 1 else folder.place or "."
        for below in folder.folders:
            if below.name in _CHECKED:
                self._read_checks(below)
        if "message" in self.parts and self.final_message is None:
            self.final_message = self.files.text(self.parts["message"])

    def _read_unnamed(self, name: str, place: str) -> None:
        value = self._load(place)
        if value is None:
            return
        if self.grading is None and _is_verdicts(value, name):
            self._try_grading(value, place)
        self._keep(place, value)

    def _read_checks(self, folder: Folder) -> None:
        for name in folder.files:
            place = folder.at(name)
            if name.endswith(".json") and self._key(place) not in self.extra:
                value = self._load(place)
                if value is not None:
                    self._keep(place, value)

    def read_grading(self, place: str, loaded: Loaded) -> None:
        """The verdicts of its own file."""
        value, fault = loaded
        if fault:
            self.grading = ForeignGrading(place=place, statements=None, fault=fault)
            return
        try:
            self.grading = read_grading(value, place, self.files)
        except NoGradingError as error:
            self.files.refuse(place, str(error))

    def _try_grading(self, value: Json, place: str) -> None:
        with suppress(NoGradingError):
            self.grading = read_grading(value, place, self.files)

    def _read_timing(self, place: str) -> None:
        value, fault = self.files.load(place)
        self.timing = None if fault else read_timing(value, place)
        if self.timing is None:
            self.files.refuse(place, fault or "holds no object with figures")

    def _load(self, place: str) -> Json:
        value, fault = self.files.load(place)
        if fault:
            self.files.refuse(place, fault)
        return value

    def _keep(self, place: str, value: Json) -> None:
        self.extra[self._key(place)] = value

    def _key(self, place: str) -> str:
        start = f"{self.slot.folder.place}/" if self.slot.folder.place else ""
        return place.removeprefix(start)


def _is_verdicts(value: Json, name: str) -> bool:
    """Whether a file of any name holds a run's verdicts: by what is in it, and a name that does not contradict."""
    if "grad" in name.lower():
        return True
    if not is_object(value) or not any(part in name.lower() for part in _JUDGED):
        return False
    return criteria_key(value) is not None


def identity(run_extra: Mapping[str, Json], grading: ForeignGrading | None) -> Mapping[str, Json]:
    """What a run's own files say of case and arm, its metadata first."""
    for name in ("eval_metadata.json", "expectations.json"):
        found = run_extra.get(name)
        if is_object(found):
            return found
    if grading is not None and ("eval_id" in grading.extra or "eval_name" in grading.extra):
        return grading.extra
    for name, found in run_extra.items():
        if name.endswith(_RECORDS) and is_object(found):
            return found
    return grading.extra if grading is not None else {}
