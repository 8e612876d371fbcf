"""What reading had to interpret."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """Something that reading had to interpret, carry along or put right, for people and programs."""

    code: str
    """Stable, kebab-case: `unknown-key`, `id-made-text`."""
    message: str
    file: str = ""
    line: int | None = None
    """1-based."""
    path: str = ""
    """Place inside the file, like `evals[2].files[0]`."""
    value: str = ""
    """The value found, shortened."""
