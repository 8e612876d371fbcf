"""Standard output that lacks characters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SKILL = "---\nname: größe\ndescription: Misst 字 „Größen“. Use when asked … for sizes.\n---\nMiss.\n"


def run(*arguments: str | Path, charset: str = "ascii") -> subprocess.CompletedProcess[bytes]:
    """`skilltrial` where standard output is not UTF-8."""
    env = {"PATH": os.environ["PATH"], "PYTHONIOENCODING": charset}
    return subprocess.run([sys.executable, "-m", "skilltrial", *arguments], env=env, capture_output=True, check=False)


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """With letters outside of ASCII everywhere."""
    folder = tmp_path / "größe"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL, encoding="utf-8")
    (folder / "evals/evals.json").write_text('{"evals": [{"prompt": "Wie groß?", "assertions": ["Größe ist gut"]}]}')
    return folder


def test_texts_have_escapes_for_what_cannot_be_shown(skill: Path) -> None:
    """Ours are never a reason to fail."""
    done = run("validate", skill)
    assert (done.returncode, done.stderr) == (2, b"")
    assert b"name-rule" in done.stdout
    assert rb"gr\xf6\xdfe" in done.stdout


@pytest.mark.parametrize("option", ["--json", "--sarif"])
@pytest.mark.parametrize("charset", ["ascii", "latin-1", "utf-16"])
def test_findings_are_json_in_any_charset(skill: Path, option: str, charset: str) -> None:
    """With the letters as they are once it is read."""
    done = run("validate", skill, option, charset=charset)
    assert "größe" in json.dumps(json.loads(done.stdout.decode(charset)), ensure_ascii=False)


def test_schemas_are_ascii() -> None:
    """All of them."""
    assert json.loads(run("schema", "--json").stdout.decode("ascii"))


def test_a_package_of_any_name_is_told_as_json(tmp_path: Path) -> None:
    """Bytes that are no text are escapes in JSON."""
    (tmp_path / "tidy").mkdir()
    text = SKILL.replace("größe", "tidy").replace("字 „Größen“", "sizes")
    (tmp_path / "tidy/SKILL.md").write_text(text, encoding="utf-8")
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.skill")
    done = run("package", tmp_path / "tidy", "--out", name, "--json", charset="utf-8:surrogateescape")
    assert json.loads(done.stdout.decode("utf-8"))["path"] == name
