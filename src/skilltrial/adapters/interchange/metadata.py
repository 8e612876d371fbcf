"""What the files say of a case: id, name, prompt, and the criteria it would be graded on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from skilltrial.adapters.interchange.values import first_text, words
from skilltrial.records.foreign import Criterion
from skilltrial.records.json_value import Json, is_list, is_object

_IDS = ("eval_id", "id", "evalId", "case_id", "task_id")
_NAMES = ("eval_name", "name", "evalName", "title", "scenario", "task_name")
_PROMPTS = ("prompt", "task_prompt", "task", "user_prompt", "query", "input")
_CRITERIA = ("assertions", "expectations", "criteria", "rubric")
_BY_KIND = ("behavioral_checks", "required_substrings", "forbidden_substrings", "expected_output_tables_exempt")
_TEXTS = ("text", "description", "assertion", "expectation", "criterion", "rubric", "check", "statement", "name", "id")


@dataclass(frozen=True, slots=True)
class CaseFacts:
    """One case's entry, with the place that it was read from."""

    place: str
    id: str | int | None = None
    name: str | None = None
    prompt: str | None = None
    expected_output: str | None = None
    criteria: tuple[Criterion, ...] | None = None
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])


def read_facts(value: Json, place: str) -> CaseFacts | None:
    """One case's object; None where the value is none."""
    if not is_object(value):
        return None
    rest = dict(value)
    identity = take_id(rest)
    name = take_text(rest, _NAMES)
    prompt = take_text(rest, _PROMPTS)
    expected = take_text(rest, ("expected_output", "expected"))
    criteria = _take_criteria(rest)
    return CaseFacts(
        place=place, id=identity, name=name, prompt=prompt, expected_output=expected, criteria=criteria, extra=rest
    )


def read_all_facts(value: Json, place: str) -> list[CaseFacts]:
    """The cases of a file that holds several: a list, `evals`, or an object by id. One case's file gives one."""
    if is_object(value):
        for key in ("evals", "cases", "eval_metadata"):
            if is_list(value.get(key)):
                return _listed(value[key], f"{place}#{key}")
        if not any(key in value for key in (*_IDS, *_NAMES, *_PROMPTS, *_CRITERIA, *_BY_KIND)) and all(
            is_object(each) for each in value.values()
        ):
            found = [read_facts({"eval_id": key, **each}, f"{place}#{key}") for key, each in value.items()]
            return [facts for facts in found if facts is not None]
        facts = read_facts(value, place)
        return [] if facts is None else [facts]
    return _listed(value, f"{place}#") if is_list(value) else []


def take_id(rest: dict[str, Json]) -> str | int | None:
    """The id of a case, taken out of its object."""
    for key in _IDS:
        found = rest.get(key)
        if (isinstance(found, int) and not isinstance(found, bool)) or (isinstance(found, str) and found):
            del rest[key]
            return found
    return None


def take_text(rest: dict[str, Json], keys: tuple[str, ...]) -> str | None:
    """The first text under these keys, taken out of an object."""
    for key in keys:
        found = rest.get(key)
        if isinstance(found, str) and found:
            del rest[key]
            return found
    return None


def name_of(value: Mapping[str, Json]) -> str | None:
    """The name of a case in an object."""
    return first_text(value, *_NAMES)


def _listed(value: list[Json], place: str) -> list[CaseFacts]:
    found = [read_facts(each, f"{place}[{index}]") for index, each in enumerate(value)]
    return [facts for facts in found if facts is not None]


def _take_criteria(rest: dict[str, Json]) -> tuple[Criterion, ...] | None:
    found: list[Criterion] | None = None
    for key in (*_CRITERIA, *_BY_KIND):
        value = rest.get(key)
        if is_list(value):
            kind = key if key in _BY_KIND else None
            found = [*(found or []), *(_criterion(each, kind) for each in value)]
            del rest[key]
        elif is_object(value) and value and all(is_list(each) for each in value.values()):
            found = [*(found or []), *(_criterion(each, kind) for kind, group in value.items() for each in group)]
            del rest[key]
    return None if found is None else tuple(found)


def _criterion(value: Json, kind: str | None) -> Criterion:
    if not is_object(value):
        return Criterion(text=words(value), type=kind)
    rest = dict(value)
    identity = rest.pop("id", None)
    said = ""
    for key in _TEXTS:
        if rest.get(key) not in (None, ""):
            said = words(rest.pop(key))
            break
    if identity is None and isinstance(rest.get("name"), str):
        identity = rest.pop("name")
    written = rest.pop("type") if isinstance(rest.get("type"), str) else kind
    name = None if identity is None else words(identity)
    return Criterion(id=name, text=said or name or "", type=written, extra=rest)
