"""The rules of the agentskills.io specification for a SKILL.md, beyond what reading it needs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill
from skilltrial.spec.findings import Problem, shown
from skilltrial.spec.front_matter import FrontMatter
from skilltrial.spec.lint.host_keys import FIELDS, HOSTS, meant
from skilltrial.spec.lint.rules import advice

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_MAX_NAME = 64
_MAX_DESCRIPTION = 1024
_MAX_COMPATIBILITY = 500


class _Broken(NamedTuple):
    rule: str
    key: str
    message: str
    hint: str = ""


def broken_rules(skill: Skill, front: FrontMatter, *, file: str) -> list[Problem]:
    """What the specification asks for and this skill lacks, and keys that it does not have."""
    found = [*_name(skill, front), *_texts(skill, front), *_maps(front), *_keys(front)]
    return [
        advice(rule, message, file=file, line=front.lines.get(key), place=key, hint=hint)
        for rule, key, message, hint in found
    ]


def _name(skill: Skill, front: FrontMatter) -> Iterator[_Broken]:
    if len(skill.name) > _MAX_NAME:
        message = f"the name has {len(skill.name)} characters, more than {_MAX_NAME}."
        yield _Broken("name-long", "name", message, "Shorten it.")
    elif not _NAME.fullmatch(skill.name) and front.values.get("name") is not None:
        message = f"the name {shown(skill.name)} breaks the rule of the specification."
        hint = "Use lower-case letters a-z and digits, joined by single hyphens."
        yield _Broken("name-rule", "name", message, hint)


def _texts(skill: Skill, front: FrontMatter) -> Iterator[_Broken]:
    for key in ("name", "description", "license", "compatibility"):
        value = front.values.get(key)
        if value is not None and not isinstance(value, str):
            yield _Broken("field-not-text", key, f"{key} is not a text: {shown(value)}.", "Put it into quotes.")
    length = len(skill.description or "")
    if length > _MAX_DESCRIPTION:
        message = f"the description has {length} characters, more than {_MAX_DESCRIPTION}; agents may cut or refuse it."
        yield _Broken("description-long", "description", message, "Shorten it.")
    yield from _compatibility(front)
    if not front.body.strip():
        message = "nothing follows the front matter; there is nothing for the agent to load."
        yield _Broken("body-empty", "", message, "Write what the agent should do.")


def _compatibility(front: FrontMatter) -> Iterator[_Broken]:
    value = front.values.get("compatibility")
    if "compatibility" in front.values and (value is None or (isinstance(value, str) and not value.strip())):
        yield _Broken("compatibility-empty", "compatibility", "compatibility is empty.", "Leave it out.")
    if isinstance(value, str) and len(value) > _MAX_COMPATIBILITY:
        message = f"compatibility has {len(value)} characters, more than {_MAX_COMPATIBILITY}."
        yield _Broken("compatibility-long", "compatibility", message, "Shorten it.")


def _maps(front: FrontMatter) -> Iterator[_Broken]:
    if "metadata" in front.values and not _is_text_map(front.values["metadata"]):
        message = f"metadata is not a map of texts: {shown(front.values['metadata'])}."
        hint = 'Write `key: "value"` lines below it; numbers and true or false need quotes.'
        yield _Broken("metadata-rule", "metadata", message, hint)
    tools = front.values.get("allowed-tools", "")
    if not isinstance(tools, str):
        message = f"allowed-tools is not one text: {shown(tools)}."
        yield _Broken(
            "allowed-tools-rule", "allowed-tools", message, "Write the tools on one line, with spaces between."
        )


def _keys(front: FrontMatter) -> Iterator[_Broken]:
    for key in front.values:
        near = meant(key)
        if near is not None:
            message = f"{shown(key)} has no effect; did you mean {near!r}?"
            yield _Broken("field-slip", key, message, f"Rename it to {near!r}.")
        elif key in HOSTS:
            *others, last = HOSTS[key]
            agents = f"{', '.join(others)} and {last}" if others else last
            message = f"{key!r} is not in the specification; {agents} read{'' if others else 's'} it."
            yield _Broken("field-of-host", key, message)
        elif key not in FIELDS:
            message = f"{shown(key)} is neither in the specification nor known to an agent; it is kept."
            yield _Broken("field-unknown", key, message, "`metadata` is the place for keys of your own.")


def _is_text_map(value: Json) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in cast("dict[str, Json]", value).values())
