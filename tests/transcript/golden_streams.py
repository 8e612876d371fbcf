"""The recorded streams of agent programs, and how a test reads one."""

from __future__ import annotations

from pathlib import Path

from skilltrial.records.events import ToolCall, ToolResult
from skilltrial.transcript.agent_stream import AgentStream
from skilltrial.transcript.formats import FORMATS

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
PROMPT = "Write release notes"
BESIDE = {
    "copilot-cli": ("usage", ".usage.json"),
    "kimi-code": ("wire", ".wire_excerpt.jsonl"),
    "mistral-vibe": ("export", ".export.json"),
}
"""Format -> the file beside its stream: the reader's name for it, and the end of its name here."""


def recordings(name: str) -> list[Path]:
    """The streams recorded in a format."""
    folder = GOLDEN / name.replace("-", "_")
    return sorted(path for path in folder.iterdir() if _is_stream(path.name))


def read(path: Path, *, text: str | None = None) -> AgentStream:
    """Read a recording, or another text in its place, with the file beside it where there is one."""
    name = path.parent.name.replace("_", "-")
    beside: dict[str, str] = {}
    if name in BESIDE:
        key, ending = BESIDE[name]
        other = path.with_name(path.name.partition(".")[0] + ending)
        beside = {key: other.read_text()} if other.exists() else {}
    lines = (path.read_text() if text is None else text).splitlines(keepends=True)
    return FORMATS[name].read(lines, prompt=PROMPT, beside=beside)


def tools(stream: AgentStream) -> list[str]:
    """The tools called, in order: `!` failed, `?` never ended."""
    ended = {event.call_id: event.is_error for event in stream.events if isinstance(event, ToolResult)}
    calls = [event for event in stream.events if isinstance(event, ToolCall)]
    return [call.name + ("?" if call.call_id not in ended else "!" * bool(ended[call.call_id])) for call in calls]


def _is_stream(name: str) -> bool:
    return name.endswith((".jsonl", ".traj.json")) and "excerpt" not in name
