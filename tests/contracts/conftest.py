"""Contract suites are plain modules; their assertions are to explain themselves like those of tests."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("harness_contract")
