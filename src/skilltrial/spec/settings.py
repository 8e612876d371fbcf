"""`skilltrial.toml` -> `Settings`."""

from __future__ import annotations

import difflib
import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from skilltrial.records.json_value import Json
from skilltrial.records.settings import ArmSettings, GateSettings, JudgeSettings, RunSettings, Settings, TriggerGate
from skilltrial.spec.arm_variables import check_variables
from skilltrial.spec.findings import Findings, Invalid, invalid, shown
from skilltrial.spec.text_file import read_text
from skilltrial.spec.toml_lines import line_of_key

SETTINGS = "skilltrial.toml"
SCHEMES = ("git:", "iteration:")
NO_SKILL = "none"

_MAX_BYTES = 256 * 1024
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_OF_THE_RUN = ("runs", "timeout", "sandbox", "base_url", "judge", "seed", "concurrency")
_WITHOUT = "without_skill"


def settings_of(skill: Path, path: Path | None) -> Settings:
    """The settings in `path`, or in the nearest file of the skill; empty where there is none."""
    found = path or find_settings(skill)
    return load_settings(found) if found else Settings()


def find_settings(skill: Path) -> Path | None:
    """The nearest `skilltrial.toml` of a skill: in its `evals/`, beside it, or above, up to the project's root.

    A project is what a `.git` marks; outside of one only the folder beside the skill counts. Raises `SpecError` where the
    file lies inside the skill, so that agents would get it.
    """
    skill = Path(os.path.abspath(skill))  # noqa: PTH100 - `..` goes away while links stay
    if skill.is_file():
        skill = skill.parent
    if (skill / SETTINGS).is_file():
        message = f"{SETTINGS} lies inside the skill, where agents would get it."
        raise invalid(
            "settings-in-skill", message, file=str(skill / SETTINGS), hint="Move it to evals/, or beside the skill."
        )
    places = [skill / "evals", *_above(skill)]
    return next((place / SETTINGS for place in places if (place / SETTINGS).is_file()), None)


def load_settings(path: Path) -> Settings:
    """Read the file; paths in it are taken from its folder. Raises `SpecError` naming the file, key and value."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - see above
    text = read_text(path, Findings(), max_bytes=_MAX_BYTES)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        message = f"this is no TOML: {error}." if line else "this is no TOML that can be read."
        raise invalid("bad-toml", message, file=str(path), line=int(line[1]) if line else None) from None
    try:
        # As JSON, since a list of TOML is no strict tuple.
        settings = Settings.model_validate_json(json.dumps(data, default=str), strict=True)
    except ValidationError as error:
        raise _told(error.errors(include_url=False)[0], str(path), text) from None
    _check_gate(settings, path, text)
    for name, arm in settings.arms.items():
        _check_arm(name, arm, str(path))
    arms = {name: _placed(arm, path.parent) for name, arm in settings.arms.items()}
    judge = _judge(settings, path)
    run = settings.run.model_copy(update={"judge": judge.names or settings.run.judge})
    return settings.model_copy(update={"run": run, "judge": judge, "arms": arms})


def setting_places(path: Path, table: str) -> Callable[[str], str]:
    """Where a key of a table is written, as `FILE:LINE`; the table's own line where the key is not. For files that are right."""
    text = read_text(path, Findings(), max_bytes=_MAX_BYTES)

    def place(key: str) -> str:
        line = line_of_key(text, [table, *key.split(".")])
        return str(path) if line is None else f"{path}:{line}"

    return place


def require_named(settings: Settings, file: Path) -> None:
    """Raise `SpecError` where arms have what only a file that the person names may give them.

    A file that comes with somebody's repository must not hand variables of the person's to an agent, or loosen its rules.
    """
    for name, arm in settings.arms.items():
        for key, value in (("args", arm.args), ("env", arm.env)):
            if value:
                message = f"arms.{name}.{key} is only taken from a file that you name."
                hint = f"Read it; if you trust it, add --config {file}."
                raise invalid("unnamed-settings", message, file=str(file), hint=hint)


def is_folder(source: str) -> bool:
    """Whether the text that says which skill an arm has names a folder."""
    return source != NO_SKILL and not source.startswith(SCHEMES)


def _above(skill: Path) -> list[Path]:
    if (skill / ".git").exists():
        return []
    parents = list(skill.parents)
    root = next((place for place, parent in enumerate(parents) if (parent / ".git").exists()), 0)
    return parents[: root + 1]


def _check_arm(name: str, arm: ArmSettings, file: str) -> None:
    key = f"arms.{name}"
    if not _NAME.fullmatch(name):
        hint = "Use up to 60 letters, digits, '_', '-' and '.'."
        raise invalid("bad-arm-name", f"the arm's name {shown(name)} cannot be used.", file=file, hint=hint)
    if name == _WITHOUT and arm.skill not in {None, NO_SKILL}:
        hint = "Leave `skill` out, or give the arm another name."
        raise invalid(
            "bad-setting", f"{key}.skill is {shown(arm.skill)}, but this arm has no skill.", file=file, hint=hint
        )
    if name == "old_skill" and arm.skill is None:
        hint = 'Say which: skill = "git:REF", "iteration:N" or a folder.'
        raise invalid("bad-setting", f"{key} has no `skill`.", file=file, hint=hint)
    check_variables(arm.env, key=f"{key}.env", file=file)


def _check_gate(settings: Settings, path: Path, text: str) -> None:
    gate = settings.gate
    if gate is not None and "margin" in gate.model_fields_set and gate.primary != "non-inferiority":
        message = f'gate.margin is {gate.margin!r}, but it has no meaning where gate.primary is "{gate.primary}".'
        hint = 'Leave it out, or say primary = "non-inferiority".'
        raise invalid("bad-setting", message, file=str(path), line=line_of_key(text, ("gate", "margin")), hint=hint)


def _judge(settings: Settings, path: Path) -> JudgeSettings:
    judge = settings.judge
    if judge.models and settings.run.judge:
        message = f"run.judge is {shown(settings.run.judge)}, but judge.models says who judges, too."
        raise invalid("bad-setting", message, file=str(path), hint="Leave one of them out.")
    return judge.model_copy(update={"prompt": judge.prompt and _from(path.parent, judge.prompt)})


def _placed(arm: ArmSettings, folder: Path) -> ArmSettings:
    own = arm.skill
    if own is not None and is_folder(own):
        own = _from(folder, own)
    beside = tuple(_from(folder, place) for place in arm.beside)
    return arm.model_copy(update={"skill": own, "beside": beside, "prompt_prefix": arm.prompt_prefix.strip()})


def _from(folder: Path, place: str) -> str:
    return os.path.abspath(folder / Path(place).expanduser())  # noqa: PTH100 - see above


def _told(error: ErrorDetails, file: str, text: str) -> Invalid:
    key = ".".join(str(part) for part in error["loc"])
    value: Any = error["input"]
    at = line_of_key(text, [str(part) for part in error["loc"]])
    if error["type"] == "extra_forbidden":
        return _unknown(error["loc"], key, value, file, at)
    if isinstance(value, Mapping) and len(error["loc"]) <= 2:  # noqa: PLR2004 - a table
        value = "a table"
    message = error["msg"][:1].lower() + error["msg"][1:]
    return invalid("bad-setting", f"{key} is {shown(value)}: {message}.", file=file, line=at)


def _unknown(place: tuple[int | str, ...], key: str, value: Json, file: str, at: int | None) -> Invalid:
    *above, name = (str(part) for part in place)
    tables: Mapping[str, type[BaseModel]] = {
        "": Settings,
        "run": RunSettings,
        "judge": JudgeSettings,
        "arms": ArmSettings,
        "gate": GateSettings,
        "gate.trigger": TriggerGate,
    }
    table = tables.get(".".join(above)) or tables[above[0]]
    known = list(table.model_fields)
    if table is ArmSettings and name in _OF_THE_RUN:
        message = f"{key} is {shown(value)}, but that is the same in all arms."
        hint = f"Leave it out; it is an option of the run. Known in an arm: {', '.join(known)}."
        return invalid("arm-differs", message, file=file, line=at, hint=hint)
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"Did you mean {near[0]!r}? " if near else ""
    where = f"[{'.'.join(above)}]" if above else "the file"
    return invalid(
        "unknown-setting",
        f"the key {key!r} (value {shown(value)}) is not known.",
        file=file,
        line=at,
        hint=f"{meant}Known in {where}: {', '.join(known)}.",
    )
