"""One round of runs: its cases, arms, runs and documents, out of what lies in its folder."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from skilltrial.adapters.interchange.cases import CaseBook
from skilltrial.adapters.interchange.documents import kind_of
from skilltrial.adapters.interchange.json_files import ForeignFiles
from skilltrial.adapters.interchange.layout import Round, Slot, is_stamp, parts_of, run_number, slots_below
from skilltrial.adapters.interchange.results import Entry, arm_of, entries, is_graded
from skilltrial.adapters.interchange.roles import UNSAID, Casting, Conditions, plain, read_conditions, read_plan
from skilltrial.adapters.interchange.runs import fields_of_entry, identity, read_fields
from skilltrial.adapters.interchange.statements import criteria_key
from skilltrial.adapters.interchange.tree import OUTPUTS, Folder, natural
from skilltrial.adapters.interchange.twins import with_copies
from skilltrial.records.foreign import Document, DocumentKind, ForeignIteration, ForeignRun
from skilltrial.records.json_value import Json, is_list, is_object

_METADATA = ("eval_metadata.json", "expectations.json")
_TEXTS = (".md", ".txt", ".html", ".csv")
_NO_RESULTS = frozenset({"trigger_result", "loop_result", "history", "feedback", "comparison", "analysis", "conditions",
                         "suite", "notes"})  # fmt: skip


def read_round(
    found: Round, folders: Iterable[Folder], files: ForeignFiles, casting: Casting
) -> ForeignIteration | None:
    """The round; None where there is nothing in it. `folders` are those in it that are no run's."""
    reader = _RoundReader(found, list(folders), files)
    reader.read_documents()
    reader.read_slots()
    reader.read_above()
    reader.read_shared()
    reader.read_benchmarks()
    reader.read_outputs()
    return reader.finish(casting)


class _RoundReader:
    """Collects what a round's files hold; later sources add what earlier ones lack."""

    def __init__(self, found: Round, folders: list[Folder], files: ForeignFiles) -> None:
        self.round = found
        self.folders = folders
        self.files = files
        self.book = CaseBook(found.place, files)
        self.runs: list[ForeignRun] = []
        self.documents: list[Document] = []
        self.shared: list[tuple[str, list[Entry]]] = []
        """Files with the gradings of several runs, by place."""
        self.benchmarks: list[tuple[str, list[Entry]]] = []
        self.metadata: dict[str, Json] = {}
        """Of cases, by place."""
        self.conditions = Conditions()
        self.taken: dict[tuple[str, str], set[int]] = defaultdict(set)

    def read_documents(self) -> None:
        """Everything that is no run's: metadata of cases, results in shared files, documents, texts."""
        parts = {place for slot in self.round.slots for place in slot.parts.values()}
        above = {folder.place for folder in self.round.above}
        for folder in self.folders:
            self._read_folder(folder, parts.union(parts_of(folder).values()) if folder.place in above else parts)

    def _read_folder(self, folder: Folder, claimed: AbstractSet[str]) -> None:
        """The files of a folder that is no run's."""
        for name in folder.files:
            place = folder.at(name)
            if name in _METADATA:
                self._read_metadata(folder, place)
            elif place not in claimed:
                self._read_document(name, place)

    def _read_metadata(self, folder: Folder, place: str) -> None:
        value, fault = self.files.load(place)
        if fault:
            self.files.refuse(place, fault)
            return
        self.book.add(value, place, folder)
        self.metadata[place] = value

    def _read_document(self, name: str, place: str) -> None:
        if not name.endswith(".json"):
            self._note_text(name, place)
            return
        value, fault = self.files.load(place)
        if fault:
            self.files.refuse(place, fault)
            return
        kind = kind_of(value, name)
        if kind == "conditions":
            self.conditions = read_conditions(value)
        elif name == "plan.json":
            self.conditions = read_plan(value)
        found = [] if kind in _NO_RESULTS else entries(value)
        if kind == "benchmark":
            self.benchmarks.append((place, found))
        elif any(is_graded(entry) for entry in found):
            self.shared.append((place, found))
            kind = "report" if kind == "other" else kind
        self.documents.append(Document(place=place, kind=kind, value=value))

    def _note_text(self, name: str, place: str) -> None:
        if name.startswith("eval-") and any(each.case for each in self.round.slots):
            self.files.stray.append(place)
        elif name.endswith(_TEXTS):
            kind: DocumentKind = "notes" if "note" in name.lower() else "report"
            self.documents.append(Document(place=place, kind=kind))
        elif not name.startswith("."):
            self.files.stray.append(place)

    def read_slots(self) -> None:
        """The runs that have a folder or files of their own."""
        grouped: dict[tuple[str, str], list[Slot]] = defaultdict(list)
        for slot in self.round.slots:
            grouped[slot.case, slot.arm].append(slot)
        for slots in grouped.values():
            slots.sort(key=lambda slot: natural(slot.run or ""))
            plainly = [slot for slot in slots if slot.run is None or _number(slot.run) is not None]
            for slot in plainly:
                self._read_slot(slot, _number(slot.run) if slot.run is not None else None)
            for slot in slots:
                if slot not in plainly:
                    self._read_odd(slot)

    def _read_slot(self, slot: Slot, number: int | None, *, written_as: str | None = None) -> None:
        loaded = self.files.load(slot.parts["grading"]) if "grading" in slot.parts else None
        if loaded is not None and self._expand(slot, loaded.value):
            return
        fields = read_fields(slot, self.files, grading=loaded)
        arm = slot.arm
        if arm == UNSAID and _is_nothing(fields):
            return
        said = identity(fields["extra"], fields["grading"])
        if arm == UNSAID:
            arm = arm_of(said) or UNSAID
        key = self.book.key_of_slot(slot, said)
        self._add(fields, case=key, arm=arm, number=number, written_as=written_as)

    def _read_odd(self, slot: Slot) -> None:
        """A run whose name is no number, like `run-retry`: where nothing was graded, it is none."""
        if is_stamp(slot.run or "") or not slot.parts.keys().isdisjoint({"grading", "summary", "result"}):
            self._read_slot(slot, None, written_as=slot.run)
        else:
            self.files.stray.append(slot.place)

    def _expand(self, slot: Slot, value: Json) -> bool:
        """Whether the grading holds several runs: both arms, or a whole round."""
        place = slot.parts["grading"]
        if is_object(value) and criteria_key(value) is not None:
            return False
        found = entries(value) if is_object(value) or is_list(value) else []
        for entry in found:
            self._add_entry(entry, place, default=slot)
        if found:
            self.documents.append(Document(place=place, kind="report", value=value))
            if slot.alone:
                self._read_folder(slot.folder, {place})
        return bool(found)

    def _add(
        self, fields: dict[str, Any], *, case: str, arm: str, number: int | None, written_as: str | None = None
    ) -> None:
        taken = self.taken[case, arm]
        if number is None or number in taken:
            number = max(taken, default=0) + 1
        taken.add(number)
        self.runs.append(ForeignRun(case=case, arm=arm, run_number=number, written_as=written_as, **fields))

    def read_above(self) -> None:
        """A run's files that were left in the folder above it: they are its own where there is only one run below."""
        for folder in self.round.above:
            below = {slot.place for slot in slots_below(self.round.slots, folder)}
            runs = [index for index, run in enumerate(self.runs) if run.place in below]
            parts = parts_of(folder)
            if len(runs) == 1:
                self._attach(runs[0], folder, parts)
                continue
            self._keep_above({name: place for name, place in parts.items() if name != "grading"})
            if "grading" in parts:
                slot = Slot(
                    folder=folder, place=folder.place, case=self.book.key_below(folder), parts=parts, alone=False
                )
                self.files.repair(
                    "grading-above-runs",
                    "a grading above several runs that does not say of which it is",
                    parts["grading"],
                )
                self._read_slot(slot, None)

    def _keep_above(self, parts: Mapping[str, str]) -> None:
        """Files above runs that have their own, or that may be of any of them: documents, so that nothing is lost."""
        for name, place in parts.items():
            if name in {"outputs", "metadata", "expectations"}:
                continue
            value = self.files.load(place).value if place.endswith(".json") else None
            self.documents.append(Document(place=place, kind="report", value=value))

    def _attach(self, index: int, folder: Folder, parts: dict[str, str]) -> None:
        run = self.runs[index]
        slot = Slot(folder=folder, place=run.place, case=run.case, arm=run.arm, parts=parts, alone=False)
        loaded = self.files.load(parts["grading"]) if "grading" in parts else None
        found = read_fields(slot, self.files, grading=loaded)
        update: dict[str, Json] = {"extra": {**found["extra"], **run.extra}}
        for name in ("grading", "timing", "metrics", "outputs", "transcript", "model", "final_message"):
            if found[name] is not None and getattr(run, name) is not None and name in parts:
                self._keep_above({name: parts[name]})
            elif found[name] is not None:
                update[name] = found[name]
                if name in {"grading", "timing"}:
                    self.files.repair(f"{name}-too-high", "lay one folder above its run", found[name].place)
        self.runs[index] = replace(run, **update)

    def read_shared(self) -> None:
        """Gradings of a whole round in one file."""
        for place, found in self.shared:
            for entry in found:
                self._add_entry(entry, place)

    def read_benchmarks(self) -> None:
        """Where nothing else is graded, what the benchmark says of single runs."""
        if any(run.grading is not None for run in self.runs):
            return
        for place, found in self.benchmarks:
            for entry in found:
                self._add_entry(entry, place)
            if found:
                return

    def read_outputs(self) -> None:
        """Folders of outputs that are no run's own: by case below, or of nobody."""
        own = {run.outputs for run in self.runs}
        for folder in self.folders:
            outputs = folder.child(OUTPUTS)
            if outputs is None or outputs.place in own:
                continue
            below = {each.name: each.place for each in outputs.folders}
            lacking = {
                run.case: index for index, run in enumerate(self.runs) if run.outputs is None and run.arm == UNSAID
            }
            matched = sorted(below.keys() & lacking.keys())
            for case in matched:
                index = lacking[case]
                self.runs[index] = replace(self.runs[index], outputs=below[case])
            if len(matched) < len(below) or outputs.files or not below:
                self.files.stray.append(outputs.place)

    def _add_entry(self, entry: Entry, place: str, *, default: Slot | None = None) -> None:
        case = self.book.key_of_entry(entry, place, default=default.case if default else None)
        arm = entry.arm or (default.arm if default else UNSAID)
        at = f"{place}#{entry.path}" if entry.path else place
        fields = fields_of_entry(entry, at, self.files)
        for index, known in enumerate(self.runs):
            same = known.case == case and plain(known.arm) == plain(arm) and known.grading is None
            if same and (entry.number is None or known.run_number == entry.number):
                self._fill(index, fields)
                return
        self._add(fields, case=case, arm=arm, number=entry.number)

    def _fill(self, index: int, fields: dict[str, Any]) -> None:
        known = self.runs[index]
        update = {
            name: fields[name]
            for name in ("grading", "timing", "model")
            if getattr(known, name) is None and fields[name] is not None
        }
        self.runs[index] = replace(known, **update)

    def finish(self, casting: Casting) -> ForeignIteration | None:
        """The record."""
        names = sorted({run.arm for run in self.runs}, key=natural)
        arms = casting.arms(names, self.conditions)
        order = {arm.name: index for index, arm in enumerate(arms)}
        cases = self.book.cases(self.round.slots, self.runs)
        whole = {case.metadata for case in cases}
        self.documents += [
            Document(place=place, kind="eval_metadata", value=value)
            for place, value in self.metadata.items()
            if place not in whole
        ]
        place_of = {case.key: index for index, case in enumerate(cases)}
        self.runs.sort(key=lambda run: (place_of[run.case], order[run.arm], run.run_number))
        self.runs = with_copies(self.runs, cases)
        if not self.runs and not self.documents:
            return None
        return ForeignIteration(
            number=self.round.number,
            place=self.round.place,
            cases=cases,
            arms=arms,
            runs=tuple(self.runs),
            documents=tuple(self.documents),
        )


def _is_nothing(fields: dict[str, Any]) -> bool:
    """A folder that looked like a run, with nothing in it that could be read as one's."""
    return not any(fields[name] for name in ("grading", "timing", "metrics", "outputs", "transcript", "extra"))


def _number(name: str) -> int | None:
    return int(name) if name.isdecimal() else run_number(name)
