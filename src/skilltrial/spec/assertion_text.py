"""Typed assertions as sentences for people."""

from __future__ import annotations

from typing import assert_never

from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableMatches
from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    CommandCheck,
    DiffScope,
    DoubleCalled,
    FileAbsent,
    FileExists,
    FileMatches,
    Foreign,
    JsonMatches,
    Limit,
    LlmJudge,
    Similar,
    SkillInvoked,
    SkillNotInvoked,
    TranscriptCheck,
)
from skilltrial.spec.document_text import describe_document

_BEFORE = {
    "any": "",
    "completion_claim": " before the final message",
    "first_write": " before the first write to a file",
}


def describe(assertion: Assertion) -> str:  # noqa: C901, PLR0911, PLR0912 - one line for each kind
    """One sentence that says what has to hold."""
    match assertion:
        case LlmJudge(rubric=rubric):
            return rubric
        case TranscriptCheck():
            return _transcript(assertion)
        case SkillInvoked():
            return "The agent loads the skill"
        case SkillNotInvoked():
            return "The agent does not load the skill"
        case FileExists(path=path):
            return f"There is a file {path}"
        case FileAbsent(path=path):
            return f"There is no file {path}"
        case FileMatches(path=path, pattern=pattern, negate=negate):
            return f"The text of {path} {_matches(negate=negate)} /{pattern}/"
        case AnswerMatches(pattern=pattern, negate=negate):
            return f"The final message {_matches(negate=negate)} /{pattern}/"
        case JsonMatches():
            return _json(assertion)
        case TableMatches() | DocumentMatches() | ImageMatches() | PythonCheck():
            return describe_document(assertion)
        case CommandCheck():
            return _command(assertion)
        case DiffScope():
            return _scope(assertion)
        case Limit():
            return _limit(assertion)
        case Similar(path=path, min_ratio=ratio):
            return f"{path or 'The final message'} is like the golden text, to {ratio:g} or more"
        case DoubleCalled():
            return _double(assertion)
        case Foreign(text=text):
            return text
        case _:
            assert_never(assertion)


def _matches(*, negate: bool) -> str:
    return "does not match" if negate else "matches"


def _transcript(check: TranscriptCheck) -> str:
    what = "message of the agent" if check.check == "assistant_message_matches" else "tool call"
    return (
        f"{_counted(check, what)} /{check.pattern}/{_in_call(check)}{_BEFORE[check.must_precede]}"
        f"{'' if check.before is None else f' before /{check.before}/'}"
        f"{'' if check.after is None else f' after /{check.after}/'}"
    )


def _counted(check: TranscriptCheck, what: str) -> str:
    least, most = check.min_count, check.max_count
    if least is None and most is None:
        return f"{'No' if check.negate else 'A'} {what} matches"
    plural = what.replace("message", "messages").replace("call", "calls")
    if most is None:
        return f"At least {least} {plural} match"
    return f"At most {most} {plural} match" if least is None else f"{least} to {most} {plural} match"


def _in_call(check: TranscriptCheck) -> str:
    parts = [
        "" if check.arg is None else f" in its {check.arg!r}",
        "" if check.result_matches is None else f" with /{check.result_matches}/ in its result",
        "" if check.succeeded is None else f" and {'succeeds' if check.succeeded else 'fails'}",
    ]
    return "".join(parts)


def _command(check: CommandCheck) -> str:
    printed = f" and prints /{check.expect_stdout}/" if check.expect_stdout is not None else ""
    names = " and ".join(check.matrix)
    return f"`{check.command}` exits with {check.expect_exit_code}{printed}{names and f', for every {names}'}"


def _scope(check: DiffScope) -> str:
    files, lines = check.max_files_touched, check.max_lines_changed
    parts = ["" if files is None else f"{files} files", "" if lines is None else f"{lines} lines"]
    return f"The agent changes at most {' and '.join(filter(None, parts))}"


def _limit(check: Limit) -> str:
    parts = [
        "" if check.tokens is None else f"{check.tokens:,} tokens",
        "" if check.cost_usd is None else f"{check.cost_usd:g} USD",
        "" if check.seconds is None else f"{check.seconds:g} s",
        "" if check.tool_calls is None else f"{check.tool_calls} tool calls",
        "" if check.turns is None else f"{check.turns} turns",
    ]
    return f"The agent takes at most {', '.join(filter(None, parts))}"


def _double(check: DoubleCalled) -> str:
    most, least = check.max_count, check.min_count
    what = f" with /{check.matches}/" if check.matches is not None else ""
    if most == 0:
        return f"{check.double} is not called{what}"
    if most is None:
        often = "" if least == 1 else f" at least {least} times"
    else:
        often = f" {_times(most)}" if least == most else f" {least} to {_times(most)}"
    return f"{check.double} is called{what}{often}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _json(check: JsonMatches) -> str:
    subject = check.path or "The final message"
    parts: list[str] = []
    if check.schema_ is not None:
        parts.append("fits the schema")
    if check.pointer is not None or check.jsonpath is not None:
        at = check.pointer or check.jsonpath or "its root"
        parts.append(f"has {check.equals!r} at {at}" if check.equals is not None else f"has a value at {at}")
    return f"{subject} {' and '.join(parts)}"
