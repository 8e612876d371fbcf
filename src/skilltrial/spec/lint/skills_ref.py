"""The verdict of the reference validator of agentskills.io (skills-ref 0.1.1), odd parts included.

For people whose CI compares with it. Our own rules differ on purpose: see docs/lint.md.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import yaml

from skilltrial.records.json_value import Json
from skilltrial.spec.findings import Findings, Invalid, shown
from skilltrial.spec.text_file import read_text

_NAMES = ("SKILL.md", "skill.md")
_FENCE = "---"
_N_PARTS = 3
_FIELDS = {"name", "description", "license", "compatibility", "metadata", "allowed-tools"}
_MAX_NAME = 64
_MAX_DESCRIPTION = 1024
_MAX_COMPATIBILITY = 500
_MAX_BYTES = 1024 * 1024
_REFUSED_TOKENS: Mapping[type[yaml.Token], str] = {
    yaml.FlowMappingStartToken: "a map in braces",
    yaml.FlowSequenceStartToken: "a list in brackets",
    yaml.AnchorToken: "an anchor",
    yaml.AliasToken: "an alias",
    yaml.TagToken: "a tag",
}


class _Refused(ValueError):
    """Front matter that the reference's subset of YAML does not take."""


def reference_complaints(path: Path) -> list[str]:
    """What skills-ref 0.1.1 holds against a skill folder (or its SKILL.md); empty where it says that the skill is valid.

    The words are ours; whether there are any is the verdict. `path` is absolute, since the folder's name counts.
    """
    folder = path.parent if path.is_file() and path.name.lower() == "skill.md" else path
    if not folder.exists():
        return ["there is no such folder"]
    if not folder.is_dir():
        return ["this is a file, not a skill's folder"]
    file = next((folder / name for name in _NAMES if (folder / name).exists()), None)
    if file is None:
        return ["there is no SKILL.md"]
    try:
        values = _front_matter(_text(file))
    except _Refused as reason:
        return [str(reason)]
    return list(_complaints(values, folder.name))


def _text(file: Path) -> str:
    findings = Findings()
    try:
        text = read_text(file, findings, max_bytes=_MAX_BYTES)
    except Invalid as error:
        raise _Refused(error.message) from None
    if findings.repairs:
        raise _Refused("the file starts with a byte-order mark, not with '---'")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _front_matter(text: str) -> dict[str, Json]:
    if not text.startswith(_FENCE):
        raise _Refused("the file does not start with '---'")
    parts = text.split(_FENCE, _N_PARTS - 1)
    if len(parts) < _N_PARTS:
        raise _Refused("the front matter is not closed by '---'")
    values = _plain(_compose(parts[1]))
    if not isinstance(values, dict):
        raise _Refused("the front matter is not a map")
    return cast("dict[str, Json]", values)


def _compose(source: str) -> yaml.Node | None:
    try:
        for token in yaml.scan(source, Loader=yaml.BaseLoader):
            refused = _REFUSED_TOKENS.get(type(token))
            if refused:
                raise _Refused(f"the front matter has {refused}")
        return yaml.compose(source, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if isinstance(error, _Refused):
            raise
        reason = error.problem if isinstance(error, yaml.MarkedYAMLError) else "characters or depth"
        raise _Refused(f"the front matter is not YAML: {reason}") from None


def _plain(node: yaml.Node | None) -> Json:
    """Texts, lists and maps; every scalar is a text there."""
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in cast("list[yaml.Node]", node.value)]
    if not isinstance(node, yaml.MappingNode):
        return "" if node is None else cast("str", node.value)
    values: dict[str, Json] = {}
    columns: set[int] = set()
    for key_node, value_node in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
        key = key_node.value
        if not isinstance(key, str):
            raise _Refused("the front matter has a key that is no text")
        if key in values:
            raise _Refused(f"the front matter has {shown(key)} twice")
        if isinstance(value_node, yaml.MappingNode):
            columns.add(value_node.start_mark.column)
        values[key] = _plain(value_node)
    if len(columns) > 1:
        raise _Refused("maps beside each other are indented differently")
    return values


def _complaints(values: Mapping[str, Json], folder: str) -> Iterator[str]:
    unknown = sorted(values.keys() - _FIELDS)
    if unknown:
        yield f"fields that are not in the specification: {', '.join(map(shown, unknown))}"
    name, description = values.get("name"), values.get("description")
    if not isinstance(name, str) or not name.strip():
        yield "there is no name in text"
    else:
        yield from _name_complaints(unicodedata.normalize("NFKC", name.strip()), folder)
    if not isinstance(description, str) or not description.strip():
        yield "there is no description in text"
    elif len(description) > _MAX_DESCRIPTION:
        yield f"the description has {len(description)} characters, more than {_MAX_DESCRIPTION}"
    compatibility = values.get("compatibility", "")
    if not isinstance(compatibility, str):
        yield "compatibility is no text"
    elif len(compatibility) > _MAX_COMPATIBILITY:
        yield f"compatibility has {len(compatibility)} characters, more than {_MAX_COMPATIBILITY}"


def _name_complaints(name: str, folder: str) -> Iterator[str]:
    if len(name) > _MAX_NAME:
        yield f"the name has {len(name)} characters, more than {_MAX_NAME}"
    if name != name.lower():
        yield f"the name {shown(name)} is not in lower case"
    if name.startswith("-") or name.endswith("-") or "--" in name:
        yield f"the name {shown(name)} has a hyphen at an end, or two in a row"
    if not all(character.isalnum() or character == "-" for character in name):
        yield f"the name {shown(name)} has other characters than letters, digits and hyphens"
    if unicodedata.normalize("NFKC", folder) != name:
        yield f"the name {shown(name)} is not the folder's name {shown(folder)}"
