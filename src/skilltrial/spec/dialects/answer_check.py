"""Checks of other tools on words and tools, as assertions of ours."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from skilltrial.records.json_value import Json

_SPECIAL = re.compile(r"([\\.^$*+?{}\[\]|()])")
_ANCHOR = re.compile(r"(?<![\\[])\^|(?<!\\)\$|\\[AzZ]")
_SHOWN_CHARS = 100
_FINAL = "The final message "


def literal(text: str) -> str:
    """A regular expression that matches a text as it is."""
    return _SPECIAL.sub(r"\\\1", text)


def contains(texts: Iterable[str], *, ignore_case: bool = False, negate: bool = False) -> Mapping[str, Json]:
    """The final message holds one of some texts (negated: none of them)."""
    texts = list(texts)
    pattern = "|".join(map(literal, texts))
    named = " or ".join(f"'{text[:_SHOWN_CHARS]}'" for text in texts)
    return {
        "type": "answer_matches",
        "pattern": f"(?i){pattern}" if ignore_case and pattern else pattern,
        "negate": negate,
        "text": f"The final message {'does not contain' if negate else 'contains'} {named}",
    }


def matches(pattern: Json, *, negate: bool = False) -> Mapping[str, Json]:
    """The final message holds a regular expression (negated: does not)."""
    return {"type": "answer_matches", "pattern": pattern, "negate": negate}


def in_any_message(means: Mapping[str, Json]) -> Mapping[str, Json]:
    """The same check on every message of the agent, for tools that look at all that it said."""
    negate = means.get("negate", False)
    made = {"type": "transcript_check", "check": "assistant_message_matches"}
    made |= {"pattern": means["pattern"], "negate": negate}
    text = means.get("text")
    if isinstance(text, str) and text:
        verb = text.removeprefix(_FINAL).replace("does not contain", "contains", 1)
        made["text"] = f"{'No' if negate else 'A'} message of the agent {verb}" if text.startswith(_FINAL) else text
    return made


def is_anchored(pattern: Json) -> bool:
    """Whether a pattern is tied to the ends of a text; it means something else in each of several messages."""
    return isinstance(pattern, str) and "(?m" not in pattern and _ANCHOR.search(pattern) is not None


def tool_called(name: str, *, negate: bool = False, holding: str | None = None) -> Mapping[str, Json]:
    """The agent called the tool of this exact name (negated: did not), with arguments that hold a pattern."""
    what = f" with /{holding[:_SHOWN_CHARS]}/" if holding else ""
    return {
        "type": "transcript_check",
        "check": "tool_invocation_matches",
        "pattern": f"^{literal(name)}" + (rf" [\s\S]*(?:{holding})" if holding else "(?: |$)"),
        "negate": negate,
        "text": f"The agent {'does not call' if negate else 'calls'} the tool {name[:_SHOWN_CHARS]}{what}",
    }
