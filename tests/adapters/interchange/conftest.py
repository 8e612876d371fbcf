"""A workspace of somebody else's, planted in a temporary folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

Plant = Callable[[Mapping[str, Any]], Path]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Writes files by path: texts as they are, everything else as JSON. A path that ends in `/` is an empty folder."""

    def write(files: Mapping[str, Any]) -> Path:
        root = tmp_path / "planted"
        root.mkdir(exist_ok=True)
        for path, content in files.items():
            target = root / path
            if path.endswith("/"):
                target.mkdir(parents=True, exist_ok=True)
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return root

    return write
