"""A program of a person's own, described by a file, is run like any other."""

from __future__ import annotations

import stat
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from harness_contract import make_request, run

from skilltrial.adapters.harness.described import create, read_catalogue, read_descriptor
from skilltrial.adapters.harness.described.launch import api_key
from skilltrial.adapters.harness.described.side_files import added_lines, read_files
from skilltrial.errors import NotInstalled
from skilltrial.ports import Harness, HarnessSettings, HarnessStatus, TrialRequest
from skilltrial.records.trial import HarnessResult

HEAD = """schema = 1
name = "my-agent"
title = "My agent"
program = "my-agent"
"""
CODEX = HEAD + '[stream]\nformat = "codex"\n'
TEXT = HEAD + '[stream]\nformat = "text"\n'
ENV = {"MY_KEY": "sk-my-0123456789", "OTHER_KEY": "sk-other-0123456789", "SECRET_WORD": "word", "LANG": "C.UTF-8"}


def make(tmp_path: Path, descriptor: str, script: str, **options: object) -> Harness:
    """A harness for a shell script."""
    folder = tmp_path / "bin"
    folder.mkdir(parents=True)
    program = folder / "my-agent"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    file = tmp_path / "my-agent.toml"
    file.write_text(descriptor)
    base_url = options.pop("base_url", None)
    settings = HarnessSettings(env={**ENV, "PATH": f"{folder}:/usr/bin:/bin"}, **options)
    return create(read_descriptor(file), settings, base_url=base_url)


def play(harness: Harness, request: TrialRequest) -> HarnessResult:
    """One run."""
    return run(harness, request)


def test_the_answer_of_a_plain_program(tmp_path: Path) -> None:
    """The prompt goes to stdin, the output is the final message, tokens are unknown."""
    harness = make(tmp_path, TEXT, "echo you said: $(cat)")
    result = play(harness, make_request(tmp_path / "t"))
    assert (result.outcome, result.final_message) == ("completed", "you said: Summarise data.csv")
    assert result.usage.total_tokens is None
    assert result.evidence.reached is None


def test_the_environment_is_an_allow_list(tmp_path: Path) -> None:
    """Keys by name, own folders, and nothing else of the person's."""
    descriptor = HEAD + '[environment]\nkeys = ["MY_KEY"]\nset = { WHERE = "{work}" }\n[stream]\nformat = "text"\n'
    request = make_request(tmp_path / "t")
    play(make(tmp_path, descriptor, "env > env.txt; echo done"), request)
    got = dict(line.split("=", 1) for line in (request.work / "env.txt").read_text().splitlines() if "=" in line)
    assert got["MY_KEY"] == ENV["MY_KEY"]
    assert {"OTHER_KEY", "SECRET_WORD"}.isdisjoint(got)
    assert (got["HOME"], got["TMPDIR"]) == (str(request.home), str(request.tmp))
    assert got["XDG_CONFIG_HOME"] == f"{request.home}/.config"
    assert got["WHERE"] == str(request.work)


def test_an_endpoint_gets_the_key_and_no_other(tmp_path: Path) -> None:
    """Files and variables have address, model and key; values go into JSON whole; the vendor's key stays out."""
    descriptor = (
        HEAD
        + """
[run]
model_args = ["-m", "{model}"]
[environment]
keys = ["MY_KEY"]
[endpoint]
wire = "openai-chat"
model = "local/{model}"
set = { ENDPOINT_KEY = "{api_key}" }
files = [{ path = "{home}/.my/config.json", content = '{"url": {base_url:json}, "model": {model:json}}' }]
[stream]
format = "text"
"""
    )
    script = 'cat > /dev/null; echo "$@ $ENDPOINT_KEY ${MY_KEY-none}" > said.txt; cat $HOME/.my/config.json; echo'
    harness = make(tmp_path, descriptor, script, model='m"1', base_url="http://127.0.0.1:9/v1/")
    request = make_request(tmp_path / "t")
    result = play(harness, request)
    assert result.final_message == '{"url": "http://127.0.0.1:9/v1", "model": "m\\"1"}'
    assert (request.work / "said.txt").read_text() == f'-m local/m"1 {ENV["MY_KEY"]} none\n'


def test_a_key_that_is_not_named_stays_out(tmp_path: Path) -> None:
    """Without an address, `{api_key}` is one of the program's own keys: OPENAI_API_KEY is not for every vendor."""
    descriptor = HEAD + '[environment]\nkeys = ["NO_KEY"]\nset = { X = "{api_key}" }\n[stream]\nformat = "text"\n'
    file = tmp_path / "my-agent.toml"
    file.write_text(descriptor)
    env = {"OPENAI_API_KEY": "sk-openai-0123456789"}
    assert api_key(read_descriptor(file), env, base_url=None) is None
    assert api_key(read_descriptor(file), env, base_url="http://127.0.0.1:9") == env["OPENAI_API_KEY"]


@pytest.mark.parametrize("name", ["copilot-cli", "opencode", "pi", "mini-swe-agent"])
def test_a_vendors_token_is_not_sent_to_another_address(name: str) -> None:
    """A token of GitHub's is no key for a gateway."""
    entry = read_catalogue(user=None, project=None).find(name)
    assert entry is not None
    assert entry.descriptor is not None
    env = dict.fromkeys(entry.descriptor.environment.keys, "of-the-vendor") | {"OPENAI_API_KEY": "of-the-gateway"}
    assert api_key(entry.descriptor, env, base_url="http://127.0.0.1:9") == "of-the-gateway"
    del env["OPENAI_API_KEY"]
    assert api_key(entry.descriptor, env, base_url="http://127.0.0.1:9") is None


def test_a_plain_program_that_is_stopped_did_not_complete(tmp_path: Path) -> None:
    """Half an answer looks like a whole one: only its own end says that it is one."""
    harness = make(tmp_path, TEXT, "echo half of it; exec sleep 60")
    for limit in (0.5, 30.0):  # the longer one where the machine is busy
        result = play(harness, replace(make_request(tmp_path / f"t{limit:g}"), timeout_s=limit))
        if result.final_message:
            break
    assert (result.outcome, result.final_message) == ("timed_out", "half of it")


@pytest.mark.parametrize(("prompt", "words"), [("x" * 3_000_000, "too long"), ("a\0b", "NUL")])
def test_a_task_that_no_command_line_can_hold(tmp_path: Path, prompt: str, words: str) -> None:
    """An error of the tool, in words that say what it is."""
    descriptor = TEXT.replace("[stream]", '[run]\nprompt = "argument"\nprompt_args = ["{prompt}"]\n[stream]')
    harness = make(tmp_path, descriptor, "echo done")
    result = play(harness, replace(make_request(tmp_path / "t"), prompt=prompt))
    assert result.outcome == "harness_error"
    assert result.reason is not None
    assert words in result.reason.message


def test_without_a_word_of_the_program_nothing_is_known_of_the_skill(tmp_path: Path) -> None:
    """The prompt, which we put in front, is no evidence: a trajectory that was never written tells nothing."""
    harness = make(tmp_path, CODEX, "exit 1")
    evidence = play(harness, make_request(tmp_path / "t", skill_root=".agents/skills")).evidence
    assert (evidence.attempted, evidence.loaded, evidence.read) == (None, None, None)


def test_keys_are_masked_everywhere(tmp_path: Path) -> None:
    """Also in files beside the stream."""
    descriptor = CODEX + 'beside = { session = "{home}/s/*.jsonl" }\n[environment]\nkeys = ["MY_KEY"]\n'
    script = 'mkdir $HOME/s; echo "{\\"k\\": \\"$MY_KEY\\"}" > $HOME/s/a.jsonl; echo $MY_KEY; echo $MY_KEY >&2'
    request = make_request(tmp_path / "t")
    result = play(make(tmp_path, descriptor, script), request)
    texts = [path.read_text() for path in request.capture.iterdir()]
    assert len(texts) == 3
    assert all("***" in text for text in texts)
    assert ENV["MY_KEY"] not in "".join(texts) + result.model_dump_json()


def test_the_skill_goes_to_the_home_where_the_folder_is_shown(tmp_path: Path) -> None:
    """The agent's folder is then as in the other arm."""
    descriptor = TEXT + '[skills]\nroot = ".my/skills"\nuser_root = "{home}/.my/skills"\n'
    harness = make(tmp_path, descriptor, "ls -A; cat $HOME/.my/skills/csv-report/SKILL.md | head -2")
    result = play(harness, make_request(tmp_path / "t", skill_root=harness.capabilities.skill_root))
    assert result.final_message == "data.csv\n---\nname: csv-report"


def test_a_program_without_skills_gets_a_listing(tmp_path: Path) -> None:
    """Name, description and path stand in front of the task, in the arm with the skill alone."""
    descriptor = CODEX + '[skills]\nlisting = "prompt"\n'
    harness = make(tmp_path, descriptor, "cat > task.txt")
    request, other = make_request(tmp_path / "t", skill_root=".agents/skills"), make_request(tmp_path / "o")
    result = play(harness, request)
    said = (request.work / "task.txt").read_text()
    assert "csv-report: Turns a CSV file into a report." in said
    assert str(request.work / ".agents/skills/csv-report/SKILL.md") in said
    assert said.endswith("Summarise data.csv")
    assert result.evidence.offered is True
    play(harness, other)
    assert (other.work / "task.txt").read_text() == "Summarise data.csv"


def test_an_explicit_call_of_the_skill_is_injected(tmp_path: Path) -> None:
    """The program loads it unseen: no statement on discovery follows."""
    descriptor = CODEX + '[skills]\nexplicit = "${skill}"\n'
    harness = make(tmp_path, descriptor, 'echo \'{"type":"turn.completed"}\'')
    request = make_request(tmp_path / "t", skill_root=".agents/skills")
    assert play(harness, replace(request, prompt="$csv-report for me")).evidence.injected is True
    assert play(harness, request).evidence.injected is False


def test_reading_the_file_loads_it_where_there_is_no_tool(tmp_path: Path) -> None:
    """Codex's way."""
    line = (
        '{"type":"item.completed","item":{"id":"1","type":"command_execution","command":"cat csv-report/SKILL.md",'
        '"exit_code":0,"status":"completed"}}'
    )
    harness = make(tmp_path, CODEX, f"cat <<'EOF'\n{line}\nEOF")
    evidence = play(harness, make_request(tmp_path / "t", skill_root=".agents/skills")).evidence
    assert (evidence.attempted, evidence.loaded, evidence.read, evidence.offered) == (True, True, True, None)


def test_a_missing_program_is_said(tmp_path: Path) -> None:
    """With the way to get it, and the variable that names another one."""
    harness = make(tmp_path, TEXT.replace('program = "my-agent"', 'program = "nowhere-here"'), "")
    with pytest.raises(NotInstalled, match="nowhere-here"):
        play(harness, make_request(tmp_path / "t"))
    status = run_probe(harness)
    assert (status.installed, status.ready) == (False, False)
    assert "SKILLTRIAL_MY_AGENT" in status.todo


def test_what_is_missing_for_a_trial(tmp_path: Path) -> None:
    """Keys, other programs, a model for an address."""
    keys = '[environment]\nkeys = ["NO_KEY"]\n'
    version = "echo my-agent 1.2.3"
    status = run_probe(make(tmp_path / "a", TEXT + keys, version))
    assert (status.version, status.ready, status.todo) == ("1.2.3", False, "Set NO_KEY.")
    status = run_probe(make(tmp_path / "b", TEXT.replace("[stream]", 'needs = ["nowhere-here"]\n[stream]'), version))
    assert "nowhere-here" in status.detail
    status = run_probe(make(tmp_path / "c", TEXT, version, base_url="http://127.0.0.1:9"))
    assert "cannot be pointed" in status.detail
    assert run_probe(make(tmp_path / "d", TEXT, version)).ready is True


def run_probe(harness: Harness) -> HarnessStatus:
    """What the harness says of itself."""
    return anyio.run(harness.probe)


def test_links_out_of_the_folders_are_not_followed(tmp_path: Path) -> None:
    """What an agent plants beside its stream is not read."""
    home, outside = tmp_path / "home", tmp_path / "outside"
    home.mkdir()
    outside.mkdir()
    (outside / "a.jsonl").write_text("secret")
    (home / "link.jsonl").symlink_to(outside / "a.jsonl")
    (home / "folder").symlink_to(outside)
    (home / "own.jsonl").write_text("mine")
    pattern = f"{home}/*.jsonl"
    assert read_files(pattern, within=(home,), redact=bytes) == "mine\n"
    assert read_files(f"{home}/folder/*.jsonl", within=(home,), redact=bytes) is None


def test_of_files_that_grow_the_new_lines_are_told() -> None:
    """Wherever they stand: a sub-agent's file lies behind the main one, which grew. The same line twice is two lines."""
    assert added_lines("a\nb\nc\nx\nx\ny\n", "a\nb\nx\n") == "c\nx\ny\n"
    assert added_lines("a\n", "") == "a\n"
