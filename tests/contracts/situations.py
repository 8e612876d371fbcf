"""What may happen to an agent, and what has to follow: one table for all harnesses, and how each end is looked at.

A situation is a scenario of the scripted model server, by its name; `nobody` is a server that has stopped. A harness says
in `differs` where its program ends otherwise, with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Literal, NamedTuple

from skilltrial.execute.failure_policy import policy
from skilltrial.execute.unanswered import unanswered
from skilltrial.ports import Capabilities
from skilltrial.records.events import ToolCall
from skilltrial.records.trial import HarnessResult, Outcome, ReasonCode

Effect = Literal["graded", "excluded", "stops the rest"]


class End(NamedTuple):
    """How a trial ended."""

    outcome: Outcome
    code: ReasonCode | None
    effect: Effect
    """On the verdict: it counts, it does not, or no other trial is begun either."""
    tokens: tuple[int, int] | None = None
    """Input and output; None where nothing is known."""
    n_calls: int = 0
    """Calls of tools that were told."""
    message: str | None = None


TIMES_S: Mapping[str, float] = {"slow_tool": 9.0, "hang": 4.0}
"""Time limits of the situations that only these end. A program has to get as far as its tool; Codex hands a
command of ten seconds back to the model."""

LASTING = frozenset({"always_429", "server_500", "nobody"})
"""Situations in which a program may try again for long."""

ENDS: Mapping[str, End] = {
    "slow_tool": End("timed_out", "timeout", "graded", (400, 20), 1, "This takes a while."),
    "always_429": End("harness_error", "rate_limited", "excluded"),
    "server_500": End("harness_error", "api_error", "excluded"),
    "nobody": End("harness_error", "network_error", "excluded"),
    "hang": End("harness_error", "no_answer", "excluded"),
    "rate_limit_then_ok": End("completed", None, "graded", (300, 10), 0, "Third time lucky."),
    "cut_stream": End("completed", None, "graded", (300, 10), 0, "Now it is whole."),
    "auth_401": End("harness_error", "auth_failed", "stops the rest"),
    "unknown_model": End("harness_error", "model_not_found", "stops the rest"),
}
"""The longest first: they are run a few at a time."""

FAILING_TOOLS = {
    "name": "failing_tools",
    "description": "A file that is not there, a command that fails, a place that nobody may write to, root included.",
    "usage": {"input": 900, "output": 40},
    "rules": [
        {"when": {"step": 0}, "reply": {"calls": [{"tool": "$read", "input": {"path": "{{cwd}}/no-such-file.txt"}}]}},
        {"when": {"step": 1}, "reply": {"calls": [{"tool": "$run", "input": {"command": "echo oops >&2; exit 3"}}]}},
        {"when": {"step": 2}, "reply": {"calls": [{"tool": "$write", "input": {"path": "/sys/a.md", "content": "x"}}]}},
        {"reply": {"text": "All three failed, so I stop here."}},
    ],
}
ALWAYS_429 = {
    "name": "always_429",
    "rules": [{"reply": {"error": {"status": 429, "message": "Too many requests.", "headers": {"retry-after": "1"}}}}],
}


def end_of(result: HarnessResult, capabilities: Capabilities) -> End:
    """What a result amounts to."""
    result = unanswered(result, capabilities)
    follows = policy(result.outcome, result.reason)
    effect: Effect = "graded" if follows.grade and follows.counts else "stops the rest" if follows.halt else "excluded"
    read, written = result.usage.input_tokens, result.usage.output_tokens
    return End(
        outcome=result.outcome,
        code=result.reason.code if result.reason else None,
        effect=effect,
        tokens=None if read is None or written is None else (read, written),
        n_calls=sum(isinstance(event, ToolCall) for event in result.events),
        message=result.final_message,
    )


def litter(word: str) -> set[Path]:
    """What a program of this name has in the person's own folders and in the system's for temporary files."""
    home = Path.home()
    folders = (
        home,
        home / ".config",
        home / ".cache",
        home / ".local/share",
        home / ".local/state",
        Path(gettempdir()),
    )
    return {path for folder in folders if folder.is_dir() for path in folder.iterdir() if word and word in path.name}
