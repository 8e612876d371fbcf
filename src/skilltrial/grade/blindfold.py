"""Takes out of a trial's material what would tell the judge which arm it is from.

Left out: what the agent program says of itself and its skills, its reasoning, texts it put in the user's place, and calls
that only load or read a skill, with their results; results of other calls that hold the skill's own text. Reworded: paths into
a skill's folder (`resources/…`), and the skill's name where the word skill stands beside it. An agent that speaks of its skill in
words of its own is still heard, and a listing of its folder still shows `.claude` where skills were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult, UserMessage
from skilltrial.records.tool_calls import arguments, tool_name

SeenEvent = AssistantMessage | ToolCall | ToolResult | UserMessage

_SKILL_TOOLS = frozenset({"skill", "skills", "use_skill", "load_skill", "read_skill", "activate_skill", "get_skill"})
_READING_TOOLS = frozenset(
    {"read", "read_file", "readfile", "view", "view_file", "list", "ls", "list_directory", "glob", "grep", "search"}
)
_READING_COMMAND = re.compile(
    r"\s*(?:(?:cat|cd|echo|head|tail|less|sed -n|ls|find|grep|wc|file|stat|pwd|true)\b[^<>]*)?"
)
_HARMLESS = re.compile(r"[12]?>\s*/dev/null|2>&1")
_JOINTS = re.compile(r"[;&|\n]+")
_SKILL_ROOT = r"\.(?:claude|agents|codex|opencode|gemini)/+"
_LEFT_OUT = "(left out)"
_PATH_STOPS = frozenset(" \t\r\n\"'`(),;|<>=[]{}")
_SECTION = re.compile(r"^(?=diff --git )", re.MULTILINE)


def names_skill_path(text: str, names: Sequence[str]) -> bool:
    """The text has a path into the folder of one of these skills."""
    return bool(names) and _folder(names).search(text) is not None


def neutral_text(text: str, names: Sequence[str]) -> str:
    """The text with the ways to name a skill reworded."""
    if not names:
        return text
    quoted = rf"[\"'`*]{{0,3}}(?:{_any(names)})[\"'`*]{{0,3}}"
    text = _without_folders(text, names)
    text = re.sub(rf"(?<![\w/-]){quoted}[ -]{{1,3}}(?:agent )?skill(?!\w)", "guide", text, flags=re.IGNORECASE)
    return re.sub(rf"(?<!\w)skill[: ]{{1,3}}{quoted}(?![\w-])", "guide", text, flags=re.IGNORECASE)


def _without_folders(text: str, names: Sequence[str]) -> str:
    """Walks back from each match by hand: a pattern for the path before it would be slow on long lines."""
    pieces: list[str] = []
    done = 0
    for match in _folder(names).finditer(text):
        start = match.start()
        while start > done and text[start - 1] not in _PATH_STOPS:
            start -= 1
        pieces += [text[done:start], "resources"]
        done = match.end()
    return "".join([*pieces, text[done:]])


def neutral_events(events: Sequence[Event], names: Sequence[str], *, said: Collection[str] = ()) -> list[SeenEvent]:
    """What the main agent and its helpers said, called and got back, without the loading of skills.

    `said` is what the user said after the task's prompt: of all messages in the user's place, only those are shown.
    """
    hidden = {event.call_id for event in events if isinstance(event, ToolCall) and loads_skill(event, names)}
    seen: list[SeenEvent] = []
    for event in events:
        match event:
            case ToolResult() if event.call_id not in hidden:
                seen.append(event.model_copy(update={"text": _LEFT_OUT}) if is_skill_text(event.text, names) else event)
            case ToolCall() if event.call_id not in hidden:
                seen.append(event)
            case AssistantMessage():
                seen.append(event)
            case UserMessage() if event.text in said and not event.synthetic:
                seen.append(event)
            case _:
                pass
    return seen


def neutral_patch(patch: str, names: Sequence[str]) -> str:
    """The diff without files of skills, and without new files, which the judge sees whole."""
    sections = _SECTION.split(patch)
    return "".join(
        neutral_text(section, names)
        for section in sections
        if section.startswith("diff --git ")
        and not names_skill_path(section.partition("\n")[0], names)
        and "\nnew file mode " not in section.partition("\n@@")[0]
    )


def _folder(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?:{_SKILL_ROOT})?skills/+(?:{_any(names)})(?![\w.-])|{_SKILL_ROOT}skills(?![\w-])")


def _any(names: Sequence[str]) -> str:
    return "|".join(re.escape(name) for name in names)


def loads_skill(call: ToolCall, names: Sequence[str]) -> bool:
    """The call only loads or reads a skill."""
    tool = tool_name(call)
    if tool in _SKILL_TOOLS:
        return True
    if not names_skill_path(json.dumps(call.input, ensure_ascii=False), names):
        return False
    command = arguments(call).get("command")
    return tool in _READING_TOOLS or (isinstance(command, str) and _only_reads(command))


def _only_reads(command: str) -> bool:
    parts = _JOINTS.split(_HARMLESS.sub(" ", command))
    return all(_READING_COMMAND.fullmatch(part) for part in parts)


def is_skill_text(text: str, names: Sequence[str]) -> bool:
    """The text has the line of a SKILL.md that names the skill, plain or with line numbers before it."""
    if not names:
        return False
    line = rf"^[ \t]*(?:\d+[^\w\n]{{1,3}})?name:[ \t]*[\"']?(?:{_any(names)})[\"']?[ \t]*$"
    return re.search(line, text, flags=re.MULTILINE) is not None
