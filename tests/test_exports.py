"""The public surface."""

from __future__ import annotations

import subprocess
import sys

import pytest

import skilltrial

EXPECTED = [
    "Benchmark",
    "Grading",
    "Plan",
    "RunRequest",
    "RunResult",
    "Skill",
    "SkilltrialError",
    "Suite",
    "Trial",
    "load_skill",
    "load_suite",
    "make_plan",
    "run",
]


def test_the_public_surface_is_pinned() -> None:
    """A new public name is a decision, not an accident."""
    assert skilltrial.__all__ == EXPECTED


def test_public_names_are_what_they_say_whatever_was_imported_before() -> None:
    """A package or module of the same name does not stand in a function's place."""
    program = (
        "import importlib, pkgutil, skilltrial\n"
        "for module in pkgutil.iter_modules(skilltrial.__path__, 'skilltrial.'):\n"
        "    importlib.import_module(module.name)\n"
        "print([name for name in skilltrial.__all__ if not callable(getattr(skilltrial, name))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As in any module."""
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = skilltrial.nope
