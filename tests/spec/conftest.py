"""Skills and eval files, written for one test."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

SKILL_TEXT = "---\nname: pdf\ndescription: Reads PDF files. Use it for PDF files.\n---\n# How\n"


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill folder named `pdf` with nothing but a SKILL.md."""
    folder = tmp_path / "pdf"
    folder.mkdir()
    (folder / "SKILL.md").write_text(SKILL_TEXT)
    return folder


@pytest.fixture
def write_evals(skill: Path) -> Callable[[object], Path]:
    """Writes `evals/evals.json` of the skill: texts and bytes as they are, all else as indented JSON."""

    def write(content: object) -> Path:
        path = skill / "evals/evals.json"
        path.parent.mkdir(exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content)
        else:
            path.write_text(json.dumps(content, indent=2))
        return path

    return write


@pytest.fixture
def write_case(write_evals: Callable[[object], Path]) -> Callable[..., Path]:
    """Writes an eval file with one case made of the given keys."""

    def write(**keys: object) -> Path:
        return write_evals({"skill_name": "pdf", "evals": [{"id": "a", "prompt": "Do it", **keys}]})

    return write
