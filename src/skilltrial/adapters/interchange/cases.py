"""The cases of a round, gathered from folders, metadata files and entries of shared files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from skilltrial.adapters.interchange.json_files import ForeignFiles
from skilltrial.adapters.interchange.layout import Slot, eval_id
from skilltrial.adapters.interchange.metadata import CaseFacts, read_all_facts, read_facts, take_id
from skilltrial.adapters.interchange.results import Entry
from skilltrial.adapters.interchange.tree import Folder, natural
from skilltrial.adapters.interchange.values import text
from skilltrial.records.foreign import ForeignCase, ForeignRun
from skilltrial.records.json_value import Json


class CaseBook:
    """Which cases there are, and what is known of each."""

    def __init__(self, place: str, files: ForeignFiles) -> None:
        self._place = place
        self._files = files
        self._found: list[tuple[Folder, CaseFacts]] = []
        self._said: dict[str, list[CaseFacts]] = {}
        self._places: dict[str, str] = {}
        self._met: dict[str, str] = {}
        """Keys by the ids and names in entries."""

    def add(self, value: Json, place: str, folder: Folder) -> None:
        """The facts of a metadata file, which lies in a folder."""
        facts = read_all_facts(value, place)
        if not facts:
            self._files.refuse(place, "holds no object with a case's id, prompt or criteria")
        self._found += [(folder, each) for each in facts]

    def key_of_slot(self, slot: Slot, said: Mapping[str, Json]) -> str:
        """The case of a run with files of its own; what they say of it is kept."""
        key = slot.case
        if key not in self._places:
            self._places[key] = _case_place(slot)
        for part in ("metadata", "expectations"):
            if part in slot.parts:
                facts = read_facts(self._files.load(slot.parts[part]).value, slot.parts[part])
                if facts is not None:
                    self._said.setdefault(key, []).append(facts)
        identity, name = take_id({"id": said.get("eval_id")}), text(said.get("eval_name"))
        prompt = text(said.get("prompt"))
        if identity is not None or name is not None or prompt is not None:
            self._said.setdefault(key, []).append(CaseFacts(place="", id=identity, name=name, prompt=prompt))
        return key

    def key_below(self, folder: Folder) -> str:
        """The case that a folder above several runs is of."""
        return folder.name

    def key_of_entry(self, entry: Entry, place: str, *, default: str | None = None) -> str:
        """The case of an entry: one that is known, or a new one."""
        wanted = {str(each) for each in (entry.case, entry.name) if each is not None}
        if not wanted and default is not None:
            self._places.setdefault(default, place)
            return default
        for said in wanted:
            if said in self._met:
                return self._met[said]
        for key in self._places:
            if not wanted.isdisjoint(self._names_of(key)):
                self._met.update(dict.fromkeys(wanted, key))
                return key
        key = str(entry.case if entry.case is not None else entry.name or default or "case")
        self._met.update(dict.fromkeys(wanted, key))
        self._places.setdefault(key, f"{place}#{entry.path}")
        facts = CaseFacts(place="", id=entry.case, name=entry.name)
        self._said.setdefault(key, []).append(facts)
        described = read_facts(entry.body, f"{place}#{entry.path}")
        if described is not None and described.prompt is not None:
            self._said[key].append(replace(described, criteria=None, extra={}))
        return key

    def cases(self, slots: Iterable[Slot], runs: Iterable[ForeignRun]) -> tuple[ForeignCase, ...]:
        """All cases in natural order, those without runs included."""
        for slot in slots:
            if slot.case not in self._places:
                self._places[slot.case] = _case_place(slot)
        used = {run.case for run in runs}
        keys = [key for key in self._places if key in used]
        made = {key: self._case(key) for key in keys}
        places = {case.metadata for case in made.values()}
        for folder, facts in self._found:
            if not facts.place or facts.place in places or any(self._belongs(folder, facts, key) for key in keys):
                continue
            key = _key_of_facts(folder, facts, self._place)
            if key not in made:
                self._places[key] = folder.place or "."
                made[key] = self._case(key, facts)
        return tuple(sorted(made.values(), key=lambda case: natural(case.key)))

    def _case(self, key: str, own: CaseFacts | None = None) -> ForeignCase:
        facts = [facts for folder, facts in self._found if self._belongs(folder, facts, key)]
        facts = ([own] if own is not None else facts) + self._said.get(key, [])
        merged = CaseFacts(place="")
        for each in facts:
            merged = _filled(merged, each)
        return ForeignCase(
            key=key,
            id=merged.id if merged.id is not None else eval_id(key.rpartition("/")[2]),
            name=merged.name,
            prompt=merged.prompt,
            expected_output=merged.expected_output,
            criteria=merged.criteria,
            place=self._places[key],
            metadata=merged.place or None,
            extra=merged.extra,
        )

    def _belongs(self, folder: Folder, facts: CaseFacts, key: str) -> bool:
        """Whether a metadata file is of this case: by its folder, or where that holds several by its id."""
        place = self._places[key]
        if folder.place == place or folder.place.startswith(f"{place}/"):
            return "#" not in facts.place
        inside = place.startswith(f"{folder.place}/") if folder.place else True
        return inside and not {str(facts.id), str(facts.name)}.isdisjoint(self._names_of(key))

    def _names_of(self, key: str) -> set[str]:
        last = key.rpartition("/")[2]
        names = {key, last}
        identity = eval_id(last)
        if identity is not None:
            names.add(str(identity))
        for facts in self._said.get(key, ()):
            names |= {str(each) for each in (facts.id, facts.name) if each is not None}
        for folder, facts in self._found:
            place = self._places[key]
            if folder.place == place or folder.place.startswith(f"{place}/"):
                names |= {str(each) for each in (facts.id, facts.name) if each is not None}
        return names


def _filled(first: CaseFacts, second: CaseFacts) -> CaseFacts:
    """The first, with what it lacks from the second."""
    return CaseFacts(
        place=first.place or second.place,
        id=second.id if first.id is None else first.id,
        name=first.name or second.name,
        prompt=first.prompt or second.prompt,
        expected_output=first.expected_output or second.expected_output,
        criteria=second.criteria if first.criteria is None else first.criteria,
        extra={**second.extra, **first.extra},
    )


def _key_of_facts(folder: Folder, facts: CaseFacts, place: str) -> str:
    if (folder.place or ".") != place:
        return folder.name
    return str(facts.id if facts.id is not None else facts.name or folder.name)


def _case_place(slot: Slot) -> str:
    """The case's folder: the part of the run's place that ends in the case's name."""
    parts = slot.folder.place.split("/")
    last = slot.case.rpartition("/")[2]
    for index in range(len(parts), 0, -1):
        if parts[index - 1] == last:
            return "/".join(parts[:index])
    return slot.place
