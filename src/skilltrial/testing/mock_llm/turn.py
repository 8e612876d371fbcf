"""One scripted answer, and what every wire format needs to write it."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import Any, cast

from skilltrial.testing.mock_llm.request import Api, Request

Event = tuple[str | None, Any]
"""A server-sent event: its name and its data."""

_CHUNK = 40  # characters per text delta
_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_STATES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
_ids = itertools.count(1)


def new_id(prefix: str) -> str:
    """An id that this process has not given before."""
    return f"{prefix}{next(_ids):012d}"


def chunks(text: str) -> list[str]:
    """A text in the pieces in which it is streamed."""
    return [text[i : i + _CHUNK] for i in range(0, len(text), _CHUNK)]


def tokens(value: Any) -> int:
    """A rough, repeatable estimate: four characters a token."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return max(1, len(text) // 4)


def error_body(api: Api, error: dict[str, Any]) -> dict[str, Any]:
    """The body of a refused request."""
    if "body" in error:
        return dict(error["body"])
    status = int(error.get("status", 500))
    kind = error.get("type", _KINDS.get(status, "api_error"))
    message = error.get("message", f"mock error {status}")
    if api == "anthropic":
        return {"type": "error", "error": {"type": kind, "message": message}, "request_id": new_id("req_")}
    if api == "gemini":
        return {"error": {"code": status, "message": message, "status": _STATES.get(status, "INTERNAL")}}
    return {"error": {"message": message, "type": kind, "param": None, "code": error.get("code")}}


@dataclass
class ScriptedCall:
    """A tool call of the model, with the name and the parameters that the client offered."""

    name: str
    input: Any
    kind: str = "function"
    group: str = ""

    @property
    def arguments(self) -> str:
        """The input as JSON text; of `{"$raw": TEXT}` the text, which may be no JSON."""
        given = self.input
        if isinstance(given, dict) and "$raw" in given:
            return str(cast("dict[str, Any]", given)["$raw"])
        return json.dumps(self.input, ensure_ascii=False)


@dataclass
class Turn:
    """One scripted answer, ready to be written in any wire format."""

    text: str = ""
    thinking: str = ""
    calls: list[ScriptedCall] = field(default_factory=list[ScriptedCall])
    stop: str | None = None
    usage: dict[str, int] = field(default_factory=dict[str, int])
    delay: float = 0.0
    """Seconds before the first byte."""
    chunk_delay: float = 0.0
    """Seconds between the events of a stream."""
    error: dict[str, Any] | None = None
    fault: str | None = None
    rule: str = ""
    problems: list[str] = field(default_factory=list[str])

    def usage_for(self, request: Request) -> dict[str, int]:
        """Token counts: the scripted ones, estimates for the rest."""
        said = self.text + self.thinking + "".join(call.arguments for call in self.calls)
        estimate = {"input": tokens(request.body), "output": tokens(said), "cache_read": 0, "cache_write": 0}
        return {**estimate, **self.usage}
