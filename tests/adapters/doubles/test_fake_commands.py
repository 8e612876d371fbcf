"""Fake commands, called by a shell as an agent calls them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from doubles_bench import Visit, shell

from skilltrial.adapters.doubles import playbook
from skilltrial.ports import StandIns, TrialFolders

Said = list[subprocess.CompletedProcess[str]]


def kubectl(*replies: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Doubles with one command."""
    return {"commands": [{"name": "kubectl", "replies": list(replies), **more}]}


def calling(*commands: str) -> tuple[Said, Any]:
    """An agent that runs commands, and what they came to."""
    said: Said = []

    def act(stand_ins: StandIns, folders: TrialFolders) -> None:
        said.extend(shell(command, stand_ins, folders) for command in commands)

    return said, act


def test_the_first_reply_that_fits_is_given(visit: Visit) -> None:
    """Arguments are searched as one text; both streams and the exit code come through."""
    said, act = calling("kubectl get pods", "kubectl get 'all the' things")
    replies = ({"args_match": "^get pods$", "stdout": "none\n"}, {"stdout": "a\n", "stderr": "b\n", "exit_code": 7})
    calls = visit(kubectl(*replies), act)
    assert [(one.stdout, one.stderr, one.returncode) for one in said] == [("none\n", "", 0), ("a\n", "b\n", 7)]
    assert [(call.input, call.output, call.exit_code) for call in calls] == [
        ("get pods", "none\n", 0),
        ("get all the things", "a\nb\n", 7),
    ]


def test_a_call_without_a_fitting_reply_is_unexpected(visit: Visit) -> None:
    """It ends with 1 and says so, without a word of what would have fitted."""
    said, act = calling("kubectl delete ns")
    calls = visit(kubectl({"args_match": "^secret-expected$"}), act)
    assert (said[0].returncode, said[0].stderr) == (1, "kubectl: not available here: delete ns\n")
    assert [(call.expected, call.state) for call in calls] == [(False, "start")]


def test_replies_hang_on_the_state(visit: Visit) -> None:
    """After `apply` there are pods."""
    said, act = calling("kubectl get", "kubectl apply", "kubectl get")
    replies = (
        {"args_match": "get", "when_state": "start", "stdout": "none"},
        {"args_match": "get", "when_state": "up", "stdout": "web"},
        {"args_match": "apply", "next_state": "up"},
    )
    calls = visit(kubectl(*replies), act)
    assert [one.stdout for one in said] == ["none", "", "web"]
    assert [call.state for call in calls] == ["start", "start", "up"]


def test_calls_at_the_same_time_are_all_answered(visit: Visit) -> None:
    """Twelve at once, each with its own arguments, and only one sees the first state."""
    said, act = calling("for i in 1 2 3 4 5 6 7 8 9 10 11 12; do kubectl $i & done; wait")
    calls = visit(
        kubectl({"when_state": "start", "next_state": "used", "stdout": "first\n"}, {"stdout": "later\n"}), act
    )
    assert sorted(said[0].stdout.split()) == ["first"] + ["later"] * 11
    assert sorted(int(call.input) for call in calls) == list(range(1, 13))


def test_long_outputs_come_whole_and_are_recorded_cut(visit: Visit) -> None:
    """More than a pipe holds, on both streams."""
    said, act = calling("kubectl")
    calls = visit(kubectl({"stdout": "x" * 200_000, "stderr": "y" * 200_000}), act)
    assert (len(said[0].stdout), len(said[0].stderr)) == (200_000, 200_000)
    assert calls[0].output == "x" * 4_000 + "\n[… 396000 characters left out …]"


def test_standard_input_is_read_where_the_double_says_so(visit: Visit) -> None:
    """It stands below the arguments; without it a program in a pipe does not wait."""
    _, act = calling("echo manifest | kubectl apply -f -")
    assert [call.input for call in visit(kubectl({}, reads_stdin=True), act)] == ["apply -f -\nmanifest\n"]


def test_a_command_that_does_not_read_does_not_wait_for_its_input(visit: Visit) -> None:
    """An agent's shell may leave standard input open for ever."""
    read, write = os.pipe()

    def act(stand_ins: StandIns, folders: TrialFolders) -> None:
        assert shell("kubectl", stand_ins, folders, stdin=read).returncode == 0

    try:
        visit(kubectl({}), act)
    finally:
        os.close(read)
        os.close(write)


def test_files_are_written_where_the_command_is_called(visit: Visit, folders: TrialFolders) -> None:
    """Below the current folder, folders made."""
    _, act = calling("mkdir deep && cd deep && kubectl")
    visit(kubectl({"writes": {"out/web.yaml": "kind: Service\n"}}), act)
    assert (folders.work / "deep/out/web.yaml").read_text() == "kind: Service\n"


@pytest.mark.parametrize("trap", ["ln -s {outside} out", "ln -s {outside}/precious.txt web.yaml"])
def test_links_do_not_lead_a_write_outside(trap: str, visit: Visit, folders: TrialFolders, tmp_path: Path) -> None:
    """We write with the person's rights, which an agent in a sandbox has not."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious.txt").write_text("mine")
    _, act = calling(trap.format(outside=outside) + "; kubectl")
    visit(kubectl({"writes": {"out/precious.txt": "gone", "web.yaml": "gone"}}), act)
    assert [file.name for file in outside.iterdir()] == ["precious.txt"]
    assert (outside / "precious.txt").read_text() == "mine"


def test_nothing_is_written_in_another_folder(visit: Visit, tmp_path: Path) -> None:
    """A caller that says that it is elsewhere gets an error."""
    (tmp_path / "elsewhere").mkdir()
    said, act = calling(f"cd {tmp_path}/elsewhere && kubectl")
    visit(kubectl({"writes": {"a": "b"}}), act)
    assert said[0].returncode == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_the_agent_finds_neither_replies_nor_us_in_its_folders(visit: Visit, folders: TrialFolders) -> None:
    """Programs only pass on what they get."""
    texts: list[str] = []

    def act(_stand_ins: StandIns, _folders: TrialFolders) -> None:
        texts.extend(file.read_text() for file in folders.root.rglob("*") if file.is_file())

    visit(kubectl({"args_match": "wanted-args", "stdout": "the-reply"}), act)
    together = "\n".join(texts).lower()
    assert "mkfifo" in together
    assert not [word for word in ("wanted-args", "the-reply", "skilltrial", "double", "fake") if word in together]


def test_junk_at_the_door_harms_nobody(visit: Visit) -> None:
    """Names of folders that are none, links to elsewhere, and a call cut short."""
    junk = """cd ~/.local/run; printf '../../../etc\\nnothere1\\n\\377\\n' >door
    mkdir cutshort && cd cutshort && mkfifo in out err && exec 3<>in 4<>out 5<>err && printf cutshort'\\n' >../door
    printf half >&3"""
    said, act = calling(junk, "kubectl")
    calls = visit(kubectl({"stdout": "fine"}), act)
    assert said[1].stdout == "fine"
    assert len(calls) == 1


def test_keys_are_masked_in_the_record(visit: Visit) -> None:
    """The bench masks the word sesame."""
    _, act = calling("kubectl --token sesame")
    assert [call.input for call in visit(kubectl({}), act)] == ["--token ***"]


def test_there_is_an_end_to_calls(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    """An agent in a loop does not fill the memory."""
    monkeypatch.setattr(playbook, "MAX_CALLS", 2)
    said, act = calling("kubectl; kubectl; kubectl")
    calls = visit(kubectl({}), act)
    assert said[0].stderr == "kubectl: too many calls\n"
    assert len(calls) == 2


def test_a_login_shell_finds_the_fake_first(visit: Visit) -> None:
    """It begins with the system's search path, and reads the files of the home."""
    said, act = calling("bash -lc 'command -v kubectl'")
    visit(kubectl({}), act)
    assert said[0].stdout.endswith("/home/.local/bin/kubectl\n")


def test_an_error_inside_comes_out_as_it_is(visit: Visit) -> None:
    """Not in a group, so that whoever runs the trial knows it again."""

    def act(_stand_ins: StandIns, _folders: TrialFolders) -> None:
        raise PermissionError(13, "no")

    with pytest.raises(PermissionError):
        visit(kubectl({}), act)
