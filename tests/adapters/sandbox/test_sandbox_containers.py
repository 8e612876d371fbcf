"""Containers, against a stand-in for the engine: it notes what it is asked, and runs the program without any walls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import anyio
import pytest

from skilltrial import wiring
from skilltrial.adapters.harness.process import confined
from skilltrial.adapters.sandbox import container
from skilltrial.adapters.sandbox.container import Container
from skilltrial.adapters.sandbox.selection import without_network
from skilltrial.adapters.sandbox.self_test import Surroundings, prove_container
from skilltrial.errors import NotInstalled, SpecError
from skilltrial.processes.tree import Command, Ended, Head, run_tree

ENGINE = """#!{python}
import json, os, sys
verb, *words = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps([verb, *words]) + "\\n")
if verb == "version":
    print("99.1")
elif verb == "image":
    if words[-1] != "agents:1":
        sys.exit("Error: No such image: " + words[-1])
    print('sha256:0123456789abcdef ["PATH=/usr/bin:/bin"]')
elif verb == "run":
    flags = [word[2:].partition("=") for word in words if word.startswith("--")]
    env = [value.partition("=") for flag, _, value in flags if flag == "env"]
    made = {{name: value if given else os.environ[name] for name, given, value in env if given or name in os.environ}}
    at = next(number for number, word in enumerate(words) if word.startswith("sha256:"))
    (program,) = [value for flag, _, value in flags if flag == "entrypoint"]
    os.execvpe(program, [program, *words[at + 1:]], made)
"""


@dataclass(frozen=True, kw_only=True)
class Fake:
    """The stand-in, and the folders of a trial."""

    root: Path
    env: Mapping[str, str]

    @property
    def asked(self) -> list[list[str]]:
        """Every command line that it got."""
        log = self.root / "log"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def folders(self) -> list[Path]:
        """Those that a trial may write."""
        return [self.root / name for name in ("work", "home", "tmp")]

    def found(self) -> Container:
        """The container with the image that there is."""
        made = container.find("docker", "agents:1", self.env)
        assert isinstance(made, Container), made
        return made

    def run(self, script: str, **fields: object) -> tuple[Ended, str]:
        """How a shell command ended, and what it said."""
        env = {
            "PATH": "/nowhere",
            "HOME": str(self.root / "home"),
            "API_KEY": "sk-secret",
            "TMPDIR": str(self.root / "tmp"),
        }
        whole = Command(argv=("/bin/sh", "-c", script), cwd=self.root / "work", env=env, timeout_s=60.0)
        head = Head(10_000)

        async def once() -> Ended:
            command = confined(replace(whole, **fields), self.found(), writable=self.folders)
            return await run_tree(command, (head,))

        return anyio.run(once), head.text()


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    """A program `docker` first on PATH."""
    for name in ("work", "home", "tmp", "bin", "person"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin/docker"
    program.write_text(ENGINE.format(python=sys.executable, log=str(tmp_path / "log")))
    program.chmod(0o755)
    return Fake(root=tmp_path, env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "HOME": str(tmp_path / "person")})


def test_the_command_line(fake: Fake) -> None:
    """Walls, the trial's folders and no other, the image by its digest, the program by its name, and no secret."""
    env = {"API_KEY": "sk-secret", "HOME": "/home-of-the-trial", "PATH": f"{fake.root}/work/bin:/usr/bin"}
    argv = fake.found().wrap(("/opt/x/claude", "-p"), cwd=fake.root / "work", writable=fake.folders, env=env)
    run = argv[argv.index(f"{fake.root}/bin/docker") :]
    assert run[1] == "run"
    assert run[-2:] == ("sha256:0123456789abcdef", "-p")
    assert {"--rm", "--interactive", "--init", "--read-only", "--cap-drop=ALL", "--entrypoint=claude"} <= set(run)
    assert {"--security-opt=no-new-privileges", "--pull=never", "--network=host", "--env=API_KEY"} <= set(run)
    assert {
        f"--user={os.getuid()}:{os.getgid()}",
        f"--workdir={fake.root}/work",
        "--env=HOME=/home-of-the-trial",
    } <= set(run)
    assert [word for word in run if word.startswith("--mount")] == [
        f"--mount=type=bind,source={folder},target={folder}" for folder in fake.folders
    ]
    assert [word for word in run if word.startswith("--env=PATH")] == [f"--env=PATH={fake.root}/work/bin:/usr/bin:/bin"]
    assert "sk-secret" not in " ".join(argv)


def test_a_login_of_the_engines_is_on_no_command_line(fake: Fake) -> None:
    """The guard's has what the client needs to find its engine."""
    env = {**fake.env, "DOCKER_HOST": "unix:///run/docker.sock", "DOCKER_AUTH_CONFIG": "sk-login"}
    said = " ".join(replace(fake, env=env).found().wrap(("sh",), cwd=fake.root, writable=[], env={}))
    assert "unix:///run/docker.sock" in said
    assert "sk-login" not in said


def test_two_containers_have_two_names(fake: Fake) -> None:
    """By which each is removed, and which say nothing."""
    found = fake.found()
    names = {
        word
        for _ in range(2)
        for word in found.wrap(("sh",), cwd=fake.root, writable=[], env={})
        if word.startswith("--name=agent-")
    }
    assert len(names) == 2


def test_input_environment_and_exit_code_go_through(fake: Fake) -> None:
    """The agent has its key and its home, and the client the person's."""
    ended, said = fake.run('cat; echo "$API_KEY $HOME"; exit 7', stdin=b"hello ")
    assert (ended.exit_code, said) == (7, f"hello sk-secret {fake.root}/home\n")
    assert ended.n_strays == 0


def test_the_container_of_a_killed_client_is_removed(fake: Fake) -> None:
    """By its name, and by a process that the end of the trial's processes does not end."""
    for limit in (1.0, 30.0):  # the longer one where the machine is busy
        ended, _ = fake.run("sleep 60", timeout_s=limit, mark=f"container-{os.getpid()}-{fake.root.name}")
        assert ended.stopped == "timeout"
        if any(words[:1] == ["run"] for words in fake.asked):
            break
    (name,) = [word.removeprefix("--name=") for words in fake.asked for word in words if word.startswith("--name=")]
    for _ in range(1200):
        if ["rm", "--force", name] in fake.asked:
            break
        time.sleep(0.05)
    assert fake.asked[3:5] == [["kill", name], ["rm", "--force", name]]


def test_a_container_without_walls_does_not_pass(fake: Fake) -> None:
    """The stand-in has none: a file beside the folders is seen."""
    assert "a file beside its folders is there" in prove_container(fake.found(), has_network=True)


def test_a_network_that_is_there_does_not_pass_for_none(fake: Fake) -> None:
    """Where this machine has one."""
    if len(Path("/proc/net/dev").read_text().splitlines()) <= 3:
        pytest.skip("this machine has no network")
    said = without_network(fake.found(), Surroundings(home=fake.root))
    assert isinstance(said, str)
    assert "it has the network" in said


def test_without_a_network_is_another_level(fake: Fake) -> None:
    """Said in the record and on the command line."""
    shut = replace(fake.found(), network="none")
    assert shut.level == "docker:agents:1 0123456789ab, network: none"
    assert "the network is open" in fake.found().isolation
    assert "the network is open" not in shut.isolation
    assert "--network=none" in shut.wrap(("sh",), cwd=fake.root, writable=[], env={})


def test_an_image_that_is_not_there_is_not_fetched(fake: Fake) -> None:
    """In the engine's words, with what to do."""
    with pytest.raises(NotInstalled, match=r"no image .other.: Error: No such image: other\. Build or pull it first"):
        wiring.open_sandbox("docker:other", fake.env)


def test_an_engine_that_does_not_answer_is_said(fake: Fake) -> None:
    """As where only the client is installed."""
    (fake.root / "bin/docker").write_text("#!/bin/sh\necho 'Is the daemon running?' >&2\nexit 1\n")
    with pytest.raises(NotInstalled, match="does not answer: Is the daemon running"):
        wiring.open_sandbox("docker:agents:1", fake.env)


def test_a_container_needs_an_image() -> None:
    """Ours would not have the person's agent program."""
    with pytest.raises(SpecError, match=r"needs an image.*--sandbox podman:IMAGE"):
        wiring.open_sandbox("podman", {})


def test_a_container_cannot_limit_its_network() -> None:
    """Said before anything is started."""
    with pytest.raises(SpecError, match="cannot be limited"):
        wiring.open_sandbox("docker:agents:1", {}, reach=())


def test_the_guard_ends_where_its_client_cannot_be_started(fake: Fake) -> None:
    """With the exit code of sandboxes, and a word."""
    argv = fake.found().wrap(("sh",), cwd=fake.root, writable=[], env={})
    gone = tuple(word.replace("bin/docker", "bin/gone") for word in argv)
    done = subprocess.run(gone, env={"PATH": "/bin"}, capture_output=True, text=True, check=False)
    assert done.returncode == 125
    assert "No such file" in done.stderr
