"""Containers of Docker or Podman: the program comes from an image, and of this machine only the trial's own folders are there."""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from skilltrial.adapters.sandbox import container_guard

ENGINES = ("docker", "podman")
_WALLS = (
    "--rm",
    "--interactive",
    "--init",
    "--pull=never",
    "--read-only",
    "--cap-drop=ALL",
    "--security-opt=no-new-privileges",
    "--pids-limit=1024",
    "--memory=4g",
)
_PRIVATE = ("/tmp", "/var/tmp", "/run")  # noqa: S108 - empty folders of the container's own
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_ASK_S = 60.0
_EXPLANATION = 200
_OF_THE_IMAGE = ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE")
"""Variables that name places of this machine."""
_CLIENT = re.compile(
    r"PATH|HOME|XDG_RUNTIME_DIR|LANG|DOCKER_(HOST|CONTEXT|CONFIG|CERT_PATH|TLS|TLS_VERIFY|API_VERSION)"
    r"|CONTAINER_(HOST|CONNECTION|SSHKEY)|CONTAINERS_(CONF|CONF_OVERRIDE|STORAGE_CONF)|PODMAN_CONNECTIONS_CONF"
)
"""Places and versions, no secrets: the guard has them on its command line, which everybody can see."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """Satisfies `ports.Confinement`. The trial's folders are where they are outside; programs are found by name in the image."""

    engine: str
    program: str
    version: str
    image: str
    image_id: str
    path: str
    """The image's search path."""
    env: Mapping[str, str]
    """What the client needs to find its engine."""
    network: Literal["host", "none"] = "host"

    @property
    def level(self) -> str:
        """Engine and image with its digest, and the network where there is none."""
        name = f"{self.engine}:{self.image} {self.image_id.removeprefix('sha256:')[:12]}"
        return f"{name}, network: none" if self.network == "none" else name

    @property
    def isolation(self) -> str:
        """The level and what it leaves open."""
        open_ = "the network is open, also to services of this machine; " if self.network == "host" else ""
        return (
            f"{self.engine} {self.version} (image {self.image}, {self.image_id}): the agent lives in a container with the trial's "
            "own folders and nothing else of this machine, and has 4 GB of memory and 1,024 processes. Not protected: "
            f"{open_}processor and disk have no limit; the kernel is shared"
        )

    @property
    def depth(self) -> int:
        """The guard becomes the client, which hands signals on."""
        return 0

    def wrap(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        writable: Sequence[Path],
        env: Mapping[str, str],
        needs: Sequence[str] = (),  # noqa: ARG002 - the image has what it has
    ) -> tuple[str, ...]:
        """The guard, and `docker run … image argv`. Values of variables are handed on by name."""
        name = f"agent-{secrets.token_hex(8)}"
        own = [place for place in env.get("PATH", "").split(os.pathsep) if _is_within(place, writable)]
        flags = [*_WALLS, f"--name={name}", f"--network={self.network}", f"--workdir={cwd}"]
        flags += [f"--user={os.getuid()}:{os.getgid()}"]
        flags += ["--userns=keep-id"] if self.engine == "podman" and os.getuid() != 0 else []
        flags += [f"--tmpfs={place}" for place in _PRIVATE]
        flags += [f"--mount=type=bind,source={place},target={place}" for place in writable]
        flags += [f"--env=PATH={os.pathsep.join([*own, self.path])}"]
        # The client has its own of some; all others by name, since a command line can be seen by everybody.
        flags += [f"--env={each}={env[each]}" for each in env if each in self.env and each not in _OF_THE_IMAGE]
        flags += [f"--env={each}" for each in env if each not in self.env and each not in _OF_THE_IMAGE]
        rules = {"engine": self.program, "name": name, "environment": dict(self.env)}
        program = argv[0] if _is_within(argv[0], writable) else Path(argv[0]).name
        run = (self.program, "run", *flags, f"--entrypoint={program}", self.image_id, *argv[1:])
        return (sys.executable, "-I", "-S", container_guard.__file__, json.dumps(rules), *run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A program that starts containers, and whose engine answers."""

    name: str
    program: str
    version: str
    env: Mapping[str, str]


def find_engine(name: str, env: Mapping[str, str]) -> Engine | str:
    """The engine of this name, or why it cannot be used."""
    program = shutil.which(name, path=env.get("PATH"))
    if program is None:
        return f"there is no program {name!r}."
    own = {each: value for each, value in env.items() if _CLIENT.fullmatch(each)}
    asked = "{{.Server.Version}}" if name == "docker" else "{{.Client.Version}}"
    code, said = _ask(own, program, "version", "--format", asked)
    if code != 0:
        return f"the engine of {name!r} does not answer: {said}."
    return Engine(name=name, program=program, version=said, env=own)


def find(engine: str, image: str, env: Mapping[str, str]) -> Container | str:
    """The engine with the image, or why it cannot be used. An image is never fetched: that would run what nobody looked at."""
    found = find_engine(engine, env)
    if isinstance(found, str):
        return found
    code, said = _ask(found.env, found.program, "image", "inspect", "--format", "{{.Id}} {{json .Config.Env}}", image)
    if code != 0:
        return f"{engine} has no image {image!r}: {said}. Build or pull it first."
    image_id, _, variables = said.partition(" ")
    return Container(
        engine=engine,
        program=found.program,
        version=found.version,
        image=image,
        image_id=image_id,
        path=_search_path(variables),
        env=found.env,
    )


def _ask(env: Mapping[str, str], *argv: str) -> tuple[int, str]:
    """Exit code and what was said, on one line."""
    try:
        done = subprocess.run(
            argv, env=env, capture_output=True, text=True, errors="replace", check=False, timeout=_ASK_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, str(error)
    said = " ".join((done.stdout if done.returncode == 0 else done.stderr or done.stdout).split())
    return done.returncode, said if done.returncode == 0 else said[:_EXPLANATION].rstrip(".?!")


def _search_path(variables: str) -> str:
    """Of an image's environment, which is a list in JSON or null."""
    try:
        listed: list[str] = json.loads(variables) or []
    except ValueError:
        return _DEFAULT_PATH
    return next((each.removeprefix("PATH=") for each in listed if each.startswith("PATH=")), _DEFAULT_PATH)


def _is_within(place: str, folders: Sequence[Path]) -> bool:
    return os.path.isabs(place) and any(Path(place).is_relative_to(folder) for folder in folders)  # noqa: PTH117 - a text
