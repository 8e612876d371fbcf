"""What the model was told and said in a session, from the raw streams of its messages."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter

_BETWEEN = "\n"


def session_with(session: str | None, stream: Path) -> str:
    """The name of a session that went on: the paths of its raw streams."""
    return str(stream) if session is None else f"{session}{_BETWEEN}{stream}"


def read_messages(session: str) -> list[ModelMessage]:
    """All messages of a session so far, in order. Raises `OSError` where a stream is gone."""
    rows: list[dict[str, Any]] = []
    for path in session.split(_BETWEEN):
        rows += map(json.loads, Path(path).read_bytes().splitlines())
    said = [row["message"] for row in rows if row["type"] in {"request", "response"}]
    return ModelMessagesTypeAdapter.validate_python(said)
