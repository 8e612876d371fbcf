"""What a person sees when something is wrong: one paragraph, an exit code, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import SKILL, Person, write_skill

CASES = [{"id": "a", "prompt": "hi", "assertions": [{"id": "x", "type": "answer_matches", "pattern": "y"}]}]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    """Somebody without any agent, key or model."""
    home = tmp_path / "home"
    home.mkdir()
    return Person(home=home, variables={"SKILLTRIAL_EMBEDDED_MODEL": "", "SKILLTRIAL_CLAUDE": ""})


def assert_one_paragraph(text: str, *parts: str) -> None:
    """No traceback, no more than one paragraph, and each part is in it (line breaks aside)."""
    assert "Traceback" not in text
    assert "\n\n" not in text.strip()
    flat = " ".join(text.split())
    for part in parts:
        assert part in flat


def test_a_wrong_path(person: Person) -> None:
    """The path and the fact."""
    done = person.run("run", "/no/such")
    assert done.returncode == 2
    assert_one_paragraph(done.stderr, "skilltrial: /no/such", "no such")


def test_an_error_that_nobody_reads_keeps_its_exit_code(person: Person) -> None:
    """`2>&1 | true`: Python's own code for output that cannot be written, 120, is not ours."""
    process = person.start("run", "/no/such")
    assert process.stderr is not None
    process.stderr.close()
    process.stderr = None
    process.communicate(timeout=120)
    assert process.returncode == 2


def test_an_empty_eval_file(person: Person, tmp_path: Path) -> None:
    """An empty file is named as empty."""
    skill = write_skill(tmp_path / "s", CASES)
    (skill / "evals/evals.json").write_text("")
    done = person.run("run", skill)
    assert done.returncode == 2
    assert_one_paragraph(done.stderr, "evals.json", "empty")


def test_a_file_cut_at_byte_100(person: Person, tmp_path: Path) -> None:
    """The line where it ends."""
    skill = write_skill(tmp_path / "s", CASES)
    evals = skill / "evals/evals.json"
    evals.write_bytes(json.dumps({"skill_name": "s", "evals": CASES}, indent=2).encode()[:100])
    done = person.run("run", skill)
    assert done.returncode == 2
    assert_one_paragraph(done.stderr, "evals.json:", "ends in the middle")


def test_ids_twice(person: Person, tmp_path: Path) -> None:
    """Both places are named."""
    skill = write_skill(tmp_path / "s", [*CASES, *CASES])
    lines = (skill / "evals/evals.json").read_text().splitlines()
    first, second = (number for number, line in enumerate(lines, 1) if '"id": "a"' in line)
    done = person.run("run", skill)
    assert done.returncode == 2
    assert_one_paragraph(done.stderr, "evals[1].id 'a' is used twice", f"in lines {first} and {second}")


def test_a_file_outside_the_skill(person: Person, tmp_path: Path) -> None:
    """Case files never come from elsewhere."""
    (tmp_path / "secret.txt").write_text("x")
    skill = write_skill(tmp_path / "s", [{**CASES[0], "files": ["../secret.txt"]}])
    done = person.run("run", skill)
    assert done.returncode == 2
    assert_one_paragraph(done.stderr, "evals[0].files[0]", "'../secret.txt'", "outside")


def test_no_harness(person: Person, tmp_path: Path) -> None:
    """What was looked for, what each lacks, and what works without."""
    skill = write_skill(tmp_path / "s", CASES, text=SKILL)
    person.variables.update(
        PATH="/usr/bin:/bin", XDG_CACHE_HOME=str(tmp_path / "cache"), SKILLTRIAL_EMBEDDED_MODEL=str(skill)
    )
    done = person.run("run", skill, "--harness", "claude-code")
    assert done.returncode == 3
    assert_one_paragraph(done.stderr, "claude-code", "npm install")


def test_an_unknown_harness(person: Person, tmp_path: Path) -> None:
    """The known ones are listed."""
    done = person.run("run", write_skill(tmp_path / "s", CASES), "--harness", "nobody")
    assert done.returncode == 2
    assert_one_paragraph(done.stderr, "no harness named 'nobody'", "builtin, claude-code")


def test_the_embedded_model_is_no_judge(person: Person, tmp_path: Path) -> None:
    """Said before anything runs."""
    done = person.run("run", write_skill(tmp_path / "s", CASES), "--judge", "embedded")
    assert done.returncode == 2
    assert_one_paragraph(done.stderr, "cannot be the judge")


def test_a_judge_without_its_key(person: Person, tmp_path: Path) -> None:
    """Which variable to set."""
    done = person.run("run", write_skill(tmp_path / "s", CASES), "--judge", "openai:m")
    assert done.returncode == 3
    assert_one_paragraph(done.stderr, "OPENAI_API_KEY is not set")


def test_reports_of_what_is_no_workspace(person: Person, tmp_path: Path) -> None:
    """A missing folder and an empty one."""
    missing, empty = person.run("report", tmp_path / "none"), person.run("report", tmp_path)
    assert missing.returncode == 2
    assert_one_paragraph(missing.stderr, "there is no such folder")
    assert empty.returncode == 2
    assert_one_paragraph(empty.stderr, "no iteration with a plan.json", "skilltrial run", "skilltrial import")


def test_validate_says_everything_at_once(person: Person, tmp_path: Path) -> None:
    """All problems, not the first; exit code 2; JSON for programs."""
    skill = write_skill(tmp_path / "s", [*CASES, *CASES])
    done = person.run("validate", skill, "--json")
    assert done.returncode == 2
    found = json.loads(done.stdout)
    assert any(problem["severity"] == "error" and problem["line"] for problem in found["problems"])
    fine = person.run("validate", write_skill(tmp_path / "csv-report", CASES))
    assert fine.returncode == 0, fine.stdout
    assert "1 case, 1 assertion\n" in fine.stdout


def test_the_version_and_a_wrong_option(person: Person) -> None:
    """The two quick answers."""
    assert person.run("--version").stdout.startswith("skilltrial 0.")
    wrong = person.run("run", "--nope")
    assert wrong.returncode == 2
    assert "--nope" in wrong.stderr


@pytest.mark.parametrize("option", ["--only", "--arms"])
@pytest.mark.parametrize("value", ["", " , "])
def test_an_empty_list_is_not_everything(person: Person, tmp_path: Path, option: str, value: str) -> None:
    """An unset variable in a script must not start every case."""
    done = person.run("run", write_skill(tmp_path / "s", CASES), option, value)
    assert done.returncode == 2
    assert f"{option}: {value!r} names nothing" in done.stderr
