"""The public surface."""

from __future__ import annotations

import subprocess
import sys

import skilltrial

RECORDS = {"Benchmark", "Grading", "Plan", "RunRequest", "RunResult", "Skill", "Suite", "Trial", "TriggerSuite"}
ERRORS = {"SkilltrialError"}
FUNCTIONS = {"load_skill", "load_suite", "load_triggers", "make_plan", "run"}


def test_the_public_surface_is_pinned() -> None:
    """A new public name is a decision, not an accident."""
    assert sorted(skilltrial.__all__) == sorted(RECORDS | ERRORS | FUNCTIONS)


def test_public_names_are_what_they_say_whatever_was_imported_before() -> None:
    """A stage's package of the same name does not stand in a function's place."""
    program = (
        "import importlib, inspect, pkgutil, skilltrial\n"
        "for module in pkgutil.iter_modules(skilltrial.__path__, 'skilltrial.'):\n"
        "    if module.name != 'skilltrial.__main__':\n"
        "        importlib.import_module(module.name)\n"
        "found = {name: getattr(skilltrial, name) for name in skilltrial.__all__}\n"
        "print(*sorted(name for name, value in found.items() if inspect.isfunction(value)))\n"
        "print(*sorted(name for name, value in found.items() if inspect.isclass(value)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    functions, classes = done.stdout.splitlines()
    assert functions.split() == sorted(FUNCTIONS)
    assert classes.split() == sorted(RECORDS | ERRORS)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Loading on first use does not hide misspelt names."""
    assert not hasattr(skilltrial, "compare_everything")
