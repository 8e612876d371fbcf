"""Typed assertions as sentences for people."""

from __future__ import annotations

from typing import assert_never

from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    CommandCheck,
    DoubleCalled,
    FileExists,
    FileMatches,
    Foreign,
    JsonMatches,
    LlmJudge,
    SkillInvoked,
    TranscriptCheck,
)

_BEFORE = {
    "any": "",
    "completion_claim": " before the final message",
    "first_write": " before the first write to a file",
}


def describe(assertion: Assertion) -> str:  # noqa: C901, PLR0911 - one line for each kind
    """One sentence that says what has to hold."""
    match assertion:
        case LlmJudge(rubric=rubric):
            return rubric
        case TranscriptCheck():
            return _transcript(assertion)
        case SkillInvoked():
            return "The agent loads the skill"
        case FileExists(path=path):
            return f"There is a file {path}"
        case FileMatches(path=path, pattern=pattern, negate=negate):
            return f"The text of {path} {_matches(negate=negate)} /{pattern}/"
        case AnswerMatches(pattern=pattern, negate=negate):
            return f"The final message {_matches(negate=negate)} /{pattern}/"
        case JsonMatches():
            return _json(assertion)
        case CommandCheck(command=command, expect_exit_code=code, expect_stdout=stdout):
            printed = f" and prints /{stdout}/" if stdout is not None else ""
            return f"`{command}` exits with {code}{printed}"
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
    subject = f"No {what}" if check.negate else f"A {what}"
    return f"{subject} matches /{check.pattern}/{_BEFORE[check.must_precede]}"


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
    if check.pointer is not None:
        at = check.pointer or "its root"
        parts.append(f"has {check.equals!r} at {at}" if check.equals is not None else f"has a value at {at}")
    return f"{subject} {' and '.join(parts)}"
