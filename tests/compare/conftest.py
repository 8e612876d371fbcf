"""A workspace for comparisons."""

from __future__ import annotations

from pathlib import Path

import pytest
from comparison_bench import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty one."""
    return Bench(tmp_path / "w")
