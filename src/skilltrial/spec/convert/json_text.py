"""A JSON value as the text of a file."""

from __future__ import annotations

import json
import re

from skilltrial.records.json_value import Json

_ACTING = re.compile(
    r"[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff\ud800-\udfff\U000e0000-\U000e0fff]"
)


def json_text(value: Json) -> str:
    """Two spaces deep, with a newline at the end; characters that are not seen but act on a screen stand as escapes."""
    return _ACTING.sub(_escape, json.dumps(value, indent=2, ensure_ascii=False)) + "\n"


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0])[1:-1]
