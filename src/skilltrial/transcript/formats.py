"""The formats in which agent programs tell what they do, by the name that a harness descriptor gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from skilltrial.transcript import (
    codex,
    copilot_cli,
    gemini_cli,
    kimi_code,
    mini_swe_agent,
    mistral_vibe,
    opencode,
    pi,
    plain_answer,
    qwen_code,
)
from skilltrial.transcript.agent_stream import AgentStream


class Reader(Protocol):
    """Reads a stream line by line, and never fails.

    `prompt`, where given, is the first event: most streams do not have it. `beside` holds the texts of other files of the
    program by the names that `StreamFormat.beside` lists; each may be missing. Of a session that goes on they hold what is
    new, and where a file is written anew each time, `NAME:before` is its text before.
    """

    def __call__(self, lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFormat:
    """A format and what is to be known to follow it while it is written."""

    read: Reader
    last: frozenset[str] = frozenset()
    """Values of the field `type` after which the program has nothing more to do."""
    beside: frozenset[str] = frozenset()
    """Names of the other files that the reader can use."""
    tells_cost: bool = False
    tells_tokens: bool = True
    tells_denials: bool = False
    """Whether every call that the program refused is told as such."""
    shows_answers: bool = True
    """Whether each answer of the model is in the stream as soon as it is whole, also one that is nothing but a call."""
    tells_end: bool = True
    """False: a run that was stopped looks like one that came to its end."""


FORMATS: Mapping[str, StreamFormat] = {
    "codex": StreamFormat(
        read=codex.read, last=frozenset({"turn.completed", "turn.failed"}), beside=frozenset({"session"})
    ),
    "copilot-cli": StreamFormat(read=copilot_cli.read, last=frozenset({"result"}), beside=frozenset({"usage"})),
    "gemini-cli": StreamFormat(read=gemini_cli.read, last=frozenset({"result"}), beside=frozenset({"session"})),
    "kimi-code": StreamFormat(read=kimi_code.read, last=frozenset({"session.resume_hint"}), beside=frozenset({"wire"})),
    "mini-swe-agent": StreamFormat(read=mini_swe_agent.read, tells_cost=True, shows_answers=False),
    "mistral-vibe": StreamFormat(read=mistral_vibe.read, beside=frozenset({"export"}), tells_cost=True),
    "opencode": StreamFormat(read=opencode.read, tells_cost=True, tells_denials=True, shows_answers=False),
    "pi": StreamFormat(read=pi.read, last=frozenset({"agent_settled"}), tells_cost=True),
    "qwen-code": StreamFormat(read=qwen_code.read, last=frozenset({"result"}), beside=frozenset({"session"})),
    "text": StreamFormat(read=plain_answer.read, tells_tokens=False, tells_end=False, shows_answers=False),
}
