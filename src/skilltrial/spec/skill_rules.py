"""The rules of the agentskills.io specification for a SKILL.md, beyond what reading it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, cast

from skilltrial.records.record import Json
from skilltrial.records.skill import Skill
from skilltrial.spec.findings import Problem, shown
from skilltrial.spec.front_matter import FrontMatter

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MAX_NAME = 64
_MAX_DESCRIPTION = 1024
_MAX_COMPATIBILITY = 500
_FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}

Severity = Literal["error", "warning", "note"]


def broken_rules(skill: Skill, front: FrontMatter, *, file: str) -> list[Problem]:
    """What the specification asks for and this skill lacks: warnings, and notes where agents do not care."""

    def problem(severity: Severity, code: str, key: str, message: str, hint: str = "") -> Problem:
        return Problem(
            severity=severity, code=code, message=message, file=file, line=front.lines.get(key), place=key, hint=hint
        )

    return [problem(*rule) for rule in [*_name(skill), *_texts(skill, front), *_fields(front)]]


Rule = tuple[Severity, str, str, str, str]


def _name(skill: Skill) -> Iterator[Rule]:
    if len(skill.name) > _MAX_NAME:
        message = f"the name has {len(skill.name)} characters, more than {_MAX_NAME}."
        yield "warning", "name-long", "name", message, "Shorten it."
    elif not _NAME.fullmatch(skill.name):
        message = f"the name {shown(skill.name)} breaks the rule."
        yield "warning", "name-rule", "name", message, "Use lower-case letters and digits, joined by single hyphens."


def _texts(skill: Skill, front: FrontMatter) -> Iterator[Rule]:
    length = len(skill.description or "")
    if length > _MAX_DESCRIPTION:
        message = f"the description has {length} characters, more than {_MAX_DESCRIPTION}; agents may cut or refuse it."
        yield "warning", "description-long", "description", message, "Shorten it."
    compatibility = front.values.get("compatibility")
    if isinstance(compatibility, str) and len(compatibility) > _MAX_COMPATIBILITY:
        message = f"compatibility has {len(compatibility)} characters, more than {_MAX_COMPATIBILITY}."
        yield "warning", "compatibility-long", "compatibility", message, "Shorten it."
    if not front.body.strip():
        yield (
            "warning",
            "body-empty",
            "",
            "nothing follows the front matter; there is nothing for the agent to load.",
            "",
        )


def _fields(front: FrontMatter) -> Iterator[Rule]:
    metadata = front.values.get("metadata")
    if metadata is not None and not _is_text_map(metadata):
        message = f"metadata is not a map of texts: {shown(metadata)}."
        yield "note", "metadata-rule", "metadata", message, ""
    tools = front.values.get("allowed-tools")
    if tools is not None and not isinstance(tools, str):
        message = f"allowed-tools is not one text with spaces: {shown(tools)}."
        yield "note", "allowed-tools-rule", "allowed-tools", message, ""
    for key in front.values:
        if key not in _FIELDS:
            yield "note", "field-unknown", key, f"{shown(key)} is not a field of the specification; it is kept.", ""


def _is_text_map(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in cast("dict[str, Json]", value).values())
