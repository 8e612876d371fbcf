"""What the command line loads before it knows what is asked for."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"anthropic", "jinja2", "jsonschema", "numpy", "openai", "pydantic_ai", "starlette", "xllamacpp"}

HELP = """
import json, sys
sys.argv = ["skilltrial", "--help"]
from skilltrial.cli.app import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print()
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


def _loaded(program: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_help_loads_no_heavy_library() -> None:
    """`skilltrial --help` stays light."""
    loaded = _loaded(HELP)
    assert "skilltrial" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize("stage", ["records.plan", "records.benchmark", "spec", "plan", "execute"])
def test_stages_before_grading_load_no_numbers_and_no_model_clients(stage: str) -> None:
    """Reading, planning and executing work where neither numpy nor a model client is."""
    program = (
        "import importlib, json, pkgutil, sys\n"
        f"package = importlib.import_module('skilltrial.{stage}')\n"
        "for module in pkgutil.walk_packages(getattr(package, '__path__', ()), package.__name__ + '.'):\n"
        "    importlib.import_module(module.name)\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    assert _loaded(program) & {"anthropic", "numpy", "openai", "pydantic_ai", "xllamacpp"} == set()


def test_a_run_waits_for_no_numbers_and_no_page_before_its_trials() -> None:
    """What only the report needs is loaded while the first trials wait for their agents."""
    program = (
        "import json, sys\n"
        "import skilltrial.cli.trial_run\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    assert _loaded(program) & HEAVY == set()
