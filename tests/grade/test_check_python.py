"""`python`: functions of authors in a process of their own."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from skilltrial import wiring
from skilltrial.grade.checks.python_function import check_function
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.ports import Confinement
from skilltrial.records.document_checks import PythonCheck

Make = Callable[..., Material]
ENV = {"PATH": os.environ.get("PATH", os.defpath), "OPENAI_API_KEY": "sk-123-456-789"}


def _run(made: Material, body: str, *, walls: Confinement | None = None, **fields: Any) -> CheckResult:
    code = "import os, subprocess, sys\n\n\ndef holds(trial):\n" + "".join(
        f"    {line}\n" for line in body.splitlines()
    )
    assertion = PythonCheck(id="p", text="p", function="evals/checks.py:holds", code=code, **fields)
    return anyio.run(lambda: check_function(assertion, made, env=ENV, walls=walls))


@pytest.mark.parametrize(
    ("body", "verdict", "evidence"),
    [
        ("return True", "PASS", "evals/checks.py:holds returned True"),
        ("return False", "FAIL", "evals/checks.py:holds returned False"),
        ("return {'passed': False, 'evidence': 'total is 3'}", "FAIL", "total is 3"),
        ("print('hello', flush=True)\nreturn {'passed': True, 'evidence': 'fine'}", "PASS", "fine"),
        ("subprocess.run(['echo', '{}'])\nreturn True", "PASS", "evals/checks.py:holds returned True"),
        ("import numpy\nreturn numpy.all([True, False])", "FAIL", "evals/checks.py:holds returned False"),
    ],
)
def test_what_it_returns_decides(material: Make, body: str, verdict: str, evidence: str) -> None:
    """Whatever it prints."""
    assert _run(material(), body) == CheckResult(verdict, evidence)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return 1 / 0", r"ZeroDivisionError: division by zero \(evals/checks\.py, line 5\)"),
        ("import no_such_thing", "ModuleNotFoundError"),
        ("return 1", "it returned 1, and has to return true, false"),
        ("return None", "it returned None"),
        ("return {'evidence': 'x'}", "no 'passed'"),
        ("return {'passed': None, 'evidence': 'no scale'}", "cannot tell: no scale"),
        ("sys.exit(0)", "SystemExit: 0"),
        ("os.abort()", "ended with -6 and no answer"),
        ("raise KeyError('sk-123-456-789')", r"KeyError: '\*\*\*'"),
    ],
)
def test_everything_else_is_no_verdict(material: Make, body: str, said: str) -> None:
    """An error of the author's is nothing that the agent did."""
    with pytest.raises(Undecided, match=said):
        _run(material(), body)


def test_it_is_ended_in_time(material: Make) -> None:
    """With the programs that it started."""
    with pytest.raises(Undecided, match=r"did not end within 0\.3 s"):
        _run(material(), "subprocess.run(['sleep', '30'])", timeout_s=0.3)


def test_it_gets_the_trial_and_works_on_a_copy(material: Make) -> None:
    """Files lie in its folder; what it breaks there is not what the agent left; nothing names the arm."""
    made = material({"out/a.txt": b"made"}, kept={"in.txt": "kept"}, final_message="Here it is.")
    body = (
        "assert trial['final_message'] == 'Here it is.' and trial['prompt'] == 'Add the numbers.'\n"
        "assert [f['path'] for f in trial['files']] == ['in.txt', 'out/a.txt']\n"
        "assert 'with_skill' not in str(trial)\n"
        "found = open('out/a.txt').read() + open('in.txt').read()\n"
        "os.remove('out/a.txt')\n"
        "return found == 'madekept'"
    )
    assert _run(made, body).verdict == "PASS"
    assert (made.outputs / "out/a.txt").read_bytes() == b"made"


def test_modules_that_the_agent_left_are_not_imported(material: Make) -> None:
    """Its folder is on no path; the person's keys are in no variable."""
    made = material({"statistics.py": b"raise SystemExit", "sitecustomize.py": b"raise SystemExit"})
    body = "import statistics\nreturn statistics.mean([1, 3]) == 2 and 'OPENAI_API_KEY' not in os.environ"
    assert _run(made, body).verdict == "PASS"


@pytest.mark.sandbox
@pytest.mark.bwrap
def test_in_a_sandbox_the_persons_files_are_out_of_reach(material: Make, tmp_path: Any) -> None:
    """And its evidence says where it ran."""
    secret = tmp_path / "person" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text("mine")
    env = {"PATH": os.environ["PATH"], "HOME": str(secret.parent)}
    (found,) = [each for each in wiring.sandboxes(env) if each.level == "bwrap"]
    if found.confinement is None:
        pytest.skip(found.detail)
    made = material({"a.txt": b"1"})
    body = f"return {{'passed': open('a.txt').read() == '1' and not os.path.exists({str(secret)!r}), 'evidence': 'so'}}"
    assert _run(made, body, walls=found.confinement) == CheckResult("PASS", "so (in the sandbox bwrap)")
