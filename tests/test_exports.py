"""The public surface."""

from __future__ import annotations

import subprocess
import sys

import pytest

import skilltrial

EXPECTED = ["grade", "load_skill", "load_suite", "plan", "run"]


def test_the_public_surface_is_pinned() -> None:
    """A new public name is a decision, not an accident."""
    assert sorted(skilltrial.__all__) == EXPECTED


@pytest.mark.parametrize("name", EXPECTED)
def test_public_names_are_functions_whatever_was_imported_before(name: str) -> None:
    """A stage's package of the same name does not stand in the function's place."""
    program = (
        "import importlib, pkgutil, skilltrial\n"
        "for module in pkgutil.iter_modules(skilltrial.__path__, 'skilltrial.'):\n"
        "    importlib.import_module(module.name)\n"
        f"from skilltrial import {name}\n"
        f"print(callable({name}))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"
