"""What a page may do: each action with the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skilltrial.records.json_value import Json
from skilltrial.review import labels, speaking
from skilltrial.review.subject import Subject

Act = Callable[[Subject, Mapping[str, Json]], object]
"""Does what the body says and returns plain JSON; raises `SkilltrialError` where it did not."""

ACTIONS: Mapping[str, Act] = {
    "comment": speaking.comment,
    "rate": speaking.rate,
    "review": speaking.review,
    "exclude": speaking.exclude,
    "note": speaking.general,
    "decide": speaking.decide,
    "finish": speaking.finish,
    "verdict": speaking.verdict,
    "label": labels.answer_label,
}
"""By name: `POST api/NAME`."""
