"""`prose.json` of an iteration: what a model says of the figures, and what of it code left out."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.record import Record


class LeftOut(Record):
    """A sentence with numbers that the figures do not have."""

    text: str
    numbers: tuple[str, ...]
    """Those, as the model wrote them."""


class Prose(Record):
    """Sentences of a model about one state of the figures. No verdict, and no word of a report, comes of it."""

    schema_version: Literal[1] = 1
    model: str
    seen: str
    """Digest of the text that the model was shown; of other figures it says nothing."""
    sentences: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    """None: the model does not tell."""
