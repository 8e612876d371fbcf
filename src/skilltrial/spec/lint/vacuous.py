"""Checks that cannot fail, or that something else than the work satisfies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, cast

from skilltrial.records.document_checks import DocumentMatches, ImageMatches, TableCell, TableMatches
from skilltrial.records.json_value import Json
from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    Case,
    CaseFile,
    CommandCheck,
    FileExists,
    FileMatches,
    JsonMatches,
    Suite,
    TranscriptCheck,
)
from skilltrial.spec.globs import glob_pattern
from skilltrial.spec.lint.remark import Remark, finds, matches_anything

_MAX_BYTES = 1_000_000
_UNLIKE = 26
_NO_OP = re.compile(r"\s*(?:true|:|exit(?:\s+0)?|echo\b[^|&;<>]*)\s*;?\s*")
_SWALLOWS = re.compile(r"(?:\|\||;)\s*(?:true|:|exit\s+0|echo\b[^|&;<>]*)\s*;?\s*\Z")
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|.", re.DOTALL)
_GROUP = re.compile(r"(?:\(\?[a-zA-Z]+\))?\((?:\?:)?((?:\\.|[^()\\])*)\)", re.DOTALL)
_FLAGS = re.compile(r"\A\(\?[a-zA-Z]+\)")
_STARTS = re.compile(r"\d{1,2}(?=\s|\\s|%|\\b|\Z)")
_ENDS = re.compile(r"(?:[:=]|\b(?:code|count|is|of|status|total)\b)(?: |\\s[*+]?)?(\d{1,2})\Z")


class _Look(NamedTuple):
    case: Case
    assertion: Assertion
    skill_name: str | None


def about_checks(suite: Suite, *, skill_name: str | None) -> Iterator[Remark]:
    """Remarks on checks that code decides; at most one for each, the gravest."""
    for case in suite.cases:
        for assertion in case.assertions:
            look = _Look(case, assertion, skill_name)
            found = next((remark for remark in (check(look) for check in _CHECKS) if remark is not None), None)
            if found is not None:
                yield found._replace(key=(case.id, assertion.id))


def _pattern(assertion: Assertion) -> str | None:
    """The pattern of an assertion that has one."""
    match assertion:
        case AnswerMatches(pattern=pattern) | FileMatches(pattern=pattern) | TranscriptCheck(pattern=pattern):
            return pattern
        case DocumentMatches(pattern=pattern) | TableMatches(cell=TableCell(matches=pattern)):
            return pattern
        case CommandCheck(expect_stdout=pattern):
            return pattern
        case _:
            return None


def _is_negated(assertion: Assertion) -> bool:
    """Whether it wants its pattern not to be found."""
    return isinstance(assertion, AnswerMatches | DocumentMatches | FileMatches | TranscriptCheck) and assertion.negate


def _is_narrowed(assertion: Assertion) -> bool:
    """More than its pattern decides: how often, in what place, with what result."""
    if not isinstance(assertion, TranscriptCheck):
        return False
    conditions = {"min_count", "max_count", "arg", "result_matches", "succeeded", "before", "after"}
    return assertion.must_precede != "any" or any(
        value is not None for value in assertion.model_dump(include=conditions, by_alias=False).values()
    )


def _command(look: _Look) -> Remark | None:
    check = look.assertion
    if not isinstance(check, CommandCheck) or check.expect_exit_code != 0 or check.expect_stdout is not None:
        return None
    # Runs of spaces are made one: on 10,000 of them the patterns would not come to an end.
    command = " ".join(check.command.split())
    if not (_NO_OP.fullmatch(command) or _SWALLOWS.search(command)):
        return None
    message = f"the command always exits with 0: {check.command[-60:]!r}."
    hint = "Let the command fail where the work is not done, or give `expect_stdout`."
    return Remark("never-fails", message, value=check.command[:80], hint=hint)


def _matches_all(look: _Look) -> Remark | None:
    pattern = _pattern(look.assertion)
    if pattern is None or _is_narrowed(look.assertion) or not matches_anything(pattern):
        return None
    rule = "never-passes" if _is_negated(look.assertion) else "never-fails"
    message = f"the pattern {pattern[:60]!r} matches any text."
    return Remark(rule, message, value=pattern[:80], hint="Write words that only a good result has.")


def _looks_like_any(look: _Look) -> Remark | None:
    check = look.assertion
    if not isinstance(check, ImageMatches) or check.golden_file is None or check.max_distance < _UNLIKE:
        return None
    message = f"a `max_distance` of {check.max_distance} fits any image: those that have nothing in common differ by about 32."
    return Remark("never-fails", message, value=str(check.max_distance), hint="Leave it at 10, or try 5 to 20.")


def _before_work(look: _Look) -> Remark | None:
    case, check = look.case, look.assertion
    hint = "Check a file that the task makes, or what has to change in this one."
    match check:
        case FileExists(path=glob, any=True):
            holds = _inputs(case, glob)
        case FileMatches(path=glob, pattern=pattern, negate=False, any=True):
            holds = [file for file in _inputs(case, glob) if finds(pattern, _content(file))]
        case JsonMatches(path=str(glob), pointer=str(pointer), schema_=None, any=True):
            holds = [file for file in _inputs(case, glob) if _has(_content(file), pointer, check.equals)]
        case _:
            return None
    if not holds:
        return None
    message = f"it holds before any work: {holds[0].path!r} is among the files that the case starts with."
    return Remark("true-before-work", message, value=glob, hint=hint)


def _unbounded(look: _Look) -> Remark | None:
    pattern = _pattern(look.assertion)
    if pattern is None:
        return None
    for part in _alternatives(pattern):
        starts, ends = _STARTS.match(part), _ENDS.search(part)
        if starts is None and ends is None:
            continue
        right, wrong = (starts[0], f"1{starts[0]}") if starts else (ends[1], f"{ends[1]}0") if ends else ("", "")
        message = f"{part[:60]!r} looks for {right}, and also matches where it says {wrong}."
        hint = r"Bound the number with \b, like '\\b0 findings\\b' (in JSON, backslashes are doubled)."
        return Remark("number-unbounded", message, value=pattern[:80], hint=hint)
    return None


def _alternatives(pattern: str) -> list[str]:
    """The parts between the outermost `|`, without flags and without a group around all of it."""
    whole = _GROUP.fullmatch(pattern)
    parts, depth = [""], 0
    for piece in _TOKEN.findall(whole[1] if whole else _FLAGS.sub("", pattern)):
        depth += (piece == "(") - (piece == ")")
        if piece == "|" and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _load(look: _Look) -> Remark | None:
    check, name = look.assertion, look.skill_name
    if name is None or not isinstance(check, TranscriptCheck) or check.check != "tool_invocation_matches":
        return None
    if check.negate or check.pattern is None:
        return None
    if not any(finds(check.pattern, call) for call in load_calls(name)):
        return None
    message = "the call that loads the skill satisfies it; the arm without the skill can only fail."
    hint = (
        'Use {"type": "skill_invoked"}: it is asked only where the skill was offered. Or look for what the task needs.'
    )
    return Remark("load-passes", message, value=check.pattern[:80], hint=hint)


def load_calls(name: str) -> tuple[str, ...]:
    """How agents' calls that load a skill look to a transcript check."""
    return (
        f'Skill {{"skill":"{name}"}}',
        f'Skill {{"command":"{name}"}}',
        f'skill {{"name":"{name}"}}',
        f'activate_skill {{"name":"{name}"}}',
        f'Read {{"file_path":".claude/skills/{name}/SKILL.md"}}',
        f'read_file {{"path":".agents/skills/{name}/SKILL.md"}}',
    )


def _inputs(case: Case, glob: str) -> list[CaseFile]:
    pattern = glob_pattern(glob)
    return [file for file in case.files if file.path == glob or finds(pattern, file.path)]


def _content(file: CaseFile) -> str:
    if file.content is not None:
        return file.content
    try:
        path = Path(file.source or "")
        return path.read_text(encoding="utf-8") if path.stat().st_size <= _MAX_BYTES else ""
    except (OSError, ValueError):
        return ""


def _has(text: str, pointer: str, wanted: Json) -> bool:
    try:
        value: Json = json.loads(text)
        for step in pointer.split("/")[1:]:
            key = step.replace("~1", "/").replace("~0", "~")
            value = cast("list[Json]", value)[int(key)] if isinstance(value, list) else value[key]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        return False
    return value is not None and (wanted is None or bool(value == wanted))


_CHECKS: tuple[Callable[[_Look], Remark | None], ...] = (
    _command,
    _matches_all,
    _looks_like_any,
    _before_work,
    _load,
    _unbounded,
)
