"""Harness descriptors: what is right, what is wrong and how that is said, and whose names count."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial import wiring
from skilltrial.adapters.harness.described import read_catalogue, read_descriptor
from skilltrial.errors import SpecError

PLAIN = """schema = 1
name = "my-agent"
title = "My agent"
program = "my-agent"

[stream]
format = "text"
"""
NINE = {
    "codex",
    "copilot-cli",
    "gemini-cli",
    "kimi-code",
    "mini-swe-agent",
    "mistral-vibe",
    "opencode",
    "pi",
    "qwen-code",
}


def write(folder: Path, text: str, name: str = "my-agent.toml") -> Path:
    """A descriptor file."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    return path


def complaint(tmp_path: Path, text: str) -> str:
    """What is said of a file that is not right."""
    with pytest.raises(SpecError) as caught:
        read_descriptor(write(tmp_path, text))
    assert caught.value.exit_code == 2
    return str(caught.value)


def test_the_nine_that_come_with_it_are_right() -> None:
    """Each file is read, and is named as the harness that it describes."""
    entries = read_catalogue(user=None, project=None).entries
    assert {entry.name for entry in entries} == NINE
    assert all(entry.error is None and entry.path.stem == entry.name for entry in entries)
    assert all(entry.descriptor and entry.descriptor.checked_with for entry in entries)


def test_five_lines_are_enough(tmp_path: Path) -> None:
    """Everything but name, title, program and format has a default."""
    descriptor = read_descriptor(write(tmp_path, PLAIN))
    assert (descriptor.run.prompt, descriptor.skills.root) == ("stdin", ".agents/skills")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("schema = 1", "schema = 2", ":1: schema (line 1) = 2"),
        ('name = "my-agent"', 'name = "My agent"', ":2: name (line 2) = 'My agent'"),
        ('title = "My agent"', "", "title is missing"),
        ('program = "my-agent"', 'program = "./run.sh"', ":4: program (line 4) = './run.sh': must be a name on PATH"),
        ('format = "text"', 'format = "txt"', ":7: stream.format (line 7) = 'txt': no known format; there are codex"),
        ("[stream]", "[run]\npromt = 1\n[stream]", ":7: run.promt (line 7) is no key of a descriptor"),
        ("[stream]", '[run]\nargs = ["{hom}"]\n[stream]', "nothing can be filled in for {hom}"),
        ("[stream]", '[run]\nargs = ["{base_url}"]\n[stream]', "run.args: there is no {base_url} here"),
        ("[stream]", '[run]\nprompt = "argument"\n[stream]', "needs {prompt} in args or prompt_args"),
        ("[stream]", '[run]\nstderr_error = "("\n[stream]', "no regular expression"),
        ("[stream]", '[[files]]\npath = "/etc/x"\ncontent = ""\n[stream]', "must lie in {home}, {aside} or {tmp}"),
        ("[stream]", '[skills]\nroot = "../x"\n[stream]', "must be a relative path"),
        ('format = "text"', 'format = "codex"\nbeside = { usage = "{home}/u" }', "does not use a file 'usage'"),
        ("[stream]", "[stream", "is no TOML"),
        ("[stream]", '[run]\nexit_codes = { 3 = "bored" }\n[stream]', "run.exit_codes.3"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    """File, line where there is one, key, value, and why."""
    said = complaint(tmp_path, PLAIN.replace(old, new))
    assert said.startswith(str(tmp_path / "my-agent.toml"))
    assert words in said


def test_all_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    """Nobody mends a file one error at a time."""
    said = complaint(tmp_path, PLAIN.replace('"My agent"', "3").replace('"text"', '"txt"'))
    assert "title" in said
    assert "stream.format" in said


def test_a_person_adds_a_harness(tmp_path: Path) -> None:
    """Files of the person's folder and of the project's are found beside ours."""
    write(tmp_path / "user", PLAIN)
    write(tmp_path / "project", PLAIN.replace("my-agent", "our-agent"))
    catalogue = read_catalogue(user=tmp_path / "user", project=tmp_path / "project")
    sources = {entry.name: entry.source for entry in catalogue.entries}
    assert (sources["my-agent"], sources["our-agent"], sources["codex"]) == ("user", "project", "built-in")


@pytest.mark.parametrize("taken", ["codex", "claude-code", "my-agent"])
def test_a_name_is_taken_once(tmp_path: Path, taken: str) -> None:
    """A project cannot put another program in the place of a known name."""
    write(tmp_path / "user", PLAIN)
    path = write(tmp_path / "project", PLAIN.replace("my-agent", taken))
    catalogue = read_catalogue(user=tmp_path / "user", project=tmp_path / "project", reserved={"claude-code"})
    with pytest.raises(SpecError, match=f"the name '{taken}' is taken by") as caught:
        catalogue.find(taken)
    assert caught.value.where == str(path)


def test_a_broken_file_does_not_hide_the_others(tmp_path: Path) -> None:
    """It is an entry with an error, under the name of its file."""
    write(tmp_path, PLAIN.replace('"text"', '"txt"'), "broken.toml")
    catalogue = read_catalogue(user=tmp_path, project=None)
    assert catalogue.find("codex") is not None
    assert catalogue.find("nobody") is None
    with pytest.raises(SpecError, match="no known format"):
        catalogue.find("broken")


def test_files_above_a_project_are_not_the_projects(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies in /tmp is anybody's; in a repository its top counts."""
    inside = tmp_path / "project/folder"
    inside.mkdir(parents=True)
    write(tmp_path / ".skilltrial/harnesses", PLAIN)
    monkeypatch.chdir(inside)
    env = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    assert wiring.harness_catalogue(env).find("my-agent") is None
    write(tmp_path / "project/.skilltrial/harnesses", PLAIN)
    (tmp_path / "project/.git").mkdir()
    found = wiring.harness_catalogue(env).find("my-agent")
    assert found is not None
    assert found.path.is_relative_to(tmp_path / "project")
