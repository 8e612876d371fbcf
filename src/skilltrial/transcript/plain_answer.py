"""The output of a program that prints its answer and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from skilltrial.records.usage import Usage
from skilltrial.transcript.agent_stream import AgentStream, Recorder
from skilltrial.transcript.foreign_json import printable


def read(lines: Iterable[str], *, prompt: str | None, beside: Mapping[str, str]) -> AgentStream:  # noqa: ARG001 - all readers are called alike
    """All of the output is the final message; that it came to its end only the exit code can tell."""
    recorder = Recorder(prompt=prompt)
    text = printable("".join(lines)).strip()
    if text:
        recorder.say(text)
    recorder.finished = True
    return recorder.stream(Usage())
