"""Sandboxes with a network of their own, and real connections out of it."""

from __future__ import annotations

import os
import select
import socket
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from skilltrial import wiring
from skilltrial.adapters.sandbox.bwrap import Bubblewrap
from skilltrial.adapters.sandbox.network import Address, Secluded, address, reachable
from skilltrial.adapters.sandbox.selection import LEVELS, examine
from skilltrial.adapters.sandbox.self_test import Surroundings, prove
from skilltrial.errors import SpecError

PATH = "/usr/local/bin:/usr/bin:/bin"
EACH_LEVEL = [pytest.param(level, marks=[getattr(pytest.mark, level), pytest.mark.sandbox]) for level in LEVELS]
TRY = """
import socket, sys
for place in sys.argv[1:]:
    host, _, port = place.rpartition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=20) as it:
            print(place, it.recv(100).decode() or "nothing")
    except OSError as error:
        print(place, "closed")
"""


@contextmanager
def greeter(word: str) -> Generator[int]:
    """The port of a service of this machine that says a word."""

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.sendall(word.encode())

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join(10)


def made(level: str, tmp_path: Path, *reach: Address) -> Secluded:
    """A sandbox of this level with these addresses; skipped where it does not hold here."""
    around = Surroundings(home=tmp_path)
    found = examine(level, around, env={"PATH": os.environ["PATH"]}, hidden=(), reach=())
    if found.confinement is None:
        pytest.skip(f"the sandbox {level} does not hold here: {found.detail}")
    assert isinstance(found.confinement, Secluded)
    return replace(found.confinement, addresses=reach)


def tried(walls: Secluded, folder: Path, *places: str, **env: str) -> list[str]:
    """What a program inside gets from each place."""
    whole = {"PATH": PATH, "TMPDIR": str(folder), **env}
    argv = walls.wrap(("python3", "-c", TRY, *places), cwd=folder, writable=[folder], env=whole)
    done = subprocess.run(argv, cwd=folder, env=whole, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("level", EACH_LEVEL)
def test_only_what_is_allowed_is_reached(level: str, tmp_path: Path) -> None:
    """The one port by both names of this machine, and no other one, and nothing beyond this machine."""
    with greeter("model") as model, greeter("diary") as other:
        walls = made(level, tmp_path, Address("127.0.0.1", model))
        asked = (f"127.0.0.1:{model}", f"localhost:{model}", f"127.0.0.1:{other}", "192.0.2.1:80")
        said = tried(walls, tmp_path, *asked)
    assert said == [f"{asked[0]} model", f"{asked[1]} model", f"{asked[2]} closed", f"{asked[3]} closed"]


@pytest.mark.parametrize("level", EACH_LEVEL)
def test_a_host_is_reached_under_its_name(level: str, tmp_path: Path) -> None:
    """A program needs no proxy: the name leads to the way out, and where that ends nowhere, the connection ends."""
    walls = made(level, tmp_path, Address("model.invalid", 443))
    assert tried(walls, tmp_path, "model.invalid:443", "other.invalid:443") == [
        "model.invalid:443 nothing",
        "other.invalid:443 closed",
    ]


@pytest.mark.parametrize("level", EACH_LEVEL)
def test_what_the_environment_names_of_this_machine_is_reached(level: str, tmp_path: Path) -> None:
    """Doubles of a case listen there; a proxy is left out, since it leads everywhere."""
    with greeter("double") as double, greeter("proxy") as proxy:
        walls = made(level, tmp_path)
        env = {"SHOP_API": f"http://127.0.0.1:{double}/v1", "HTTPS_PROXY": f"http://127.0.0.1:{proxy}"}
        said = tried(walls, tmp_path, f"127.0.0.1:{double}", f"127.0.0.1:{proxy}", **env)
    assert said == [f"127.0.0.1:{double} double", f"127.0.0.1:{proxy} closed"]


@pytest.mark.parametrize("level", EACH_LEVEL)
def test_nothing_of_it_stays(level: str, tmp_path: Path) -> None:
    """The exit code is the program's, and the relay ends with it."""
    walls = made(level, tmp_path, Address("127.0.0.1", 9))
    env = {"PATH": PATH}
    argv = walls.wrap(("sh", "-c", "exit 7"), cwd=tmp_path, writable=[tmp_path], env=env)
    with subprocess.Popen(argv, cwd=tmp_path, env=env) as process:
        assert process.wait(60) == 7
        relays = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _is_relay_of(path, process.pid)]
    assert not relays or not _lives_on(relays)


def _is_relay_of(cmdline: Path, pid: int) -> bool:
    try:
        words = cmdline.read_bytes().split(b"\0")
    except OSError:
        return False
    return any(word.endswith(b"network_relay.py") for word in words) and str(pid).encode() in words


def _lives_on(relays: list[Path]) -> bool:
    for path in relays:
        try:
            handle = os.pidfd_open(int(path.parent.name))
        except ProcessLookupError:
            continue
        try:
            if not select.select([handle], [], [], 60)[0]:
                return True
        finally:
            os.close(handle)
    return False


@pytest.mark.bwrap
@pytest.mark.sandbox
def test_an_open_network_does_not_pass_as_a_limited_one(tmp_path: Path) -> None:
    """The proof tries a port of this machine that must be closed."""
    (found,) = [
        each for each in wiring.sandboxes({"PATH": os.environ["PATH"], "HOME": str(tmp_path)}) if each.level == "bwrap"
    ]
    if found.confinement is None:
        pytest.skip("bwrap does not hold here")
    assert "can be reached" in prove(found.confinement, Surroundings(home=tmp_path), reach=())


@pytest.mark.parametrize(
    ("text", "expected"),
    [("api.example.com:443", ("api.example.com", 443)), ("http://127.0.0.1:8080/v1", ("127.0.0.1", 8080)),
     ("[::1]:80", ("::1", 80))],
)  # fmt: skip
def test_addresses_as_a_person_writes_them(text: str, expected: tuple[str, int]) -> None:
    """With a port, or as a URL."""
    assert reachable(text) == expected


@pytest.mark.parametrize("text", ["", "api.example.com", "http://host:no", ":443", "[2001:db8::1]:443"])
def test_what_is_no_address_is_refused(text: str) -> None:
    """In one sentence with the value."""
    with pytest.raises(SpecError, match=r"is no address|IPv6"):
        reachable(text)


@pytest.mark.parametrize(
    ("harness", "env", "base_url", "expected"),
    [
        ("claude-code", {}, None, [("api.anthropic.com", 443)]),
        (None, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8080"}, None, [("127.0.0.1", 8080)]),
        ("codex", {"ANTHROPIC_BASE_URL": "http://127.0.0.1:8080"}, None, [("api.openai.com", 443)]),
        ("pi", {}, "https://models.example/v1", [("models.example", 443)]),
        ("builtin", {}, "https://models.example/v1", []),
    ],
)
def test_where_the_model_is(
    harness: str | None, env: dict[str, str], base_url: str | None, expected: list[tuple[str, int]]
) -> None:
    """The base URL, the program's own variable, or its vendor; the built-in agent asks from outside."""
    assert wiring.network_reach("model", [(harness, base_url)], env) == tuple(expected)


def test_a_model_whose_place_is_unknown_has_to_be_named() -> None:
    """Not guessed."""
    with pytest.raises(SpecError, match=r"'pi'.*--network HOST:PORT"):
        wiring.network_reach("model", [("pi", None)], {})


def test_a_proxy_and_a_limited_network_exclude_each_other() -> None:
    """It leads everywhere."""
    with pytest.raises(SpecError, match="https_proxy is set"):
        wiring.network_reach("model", [("claude-code", None)], {"https_proxy": "http://proxy:3128"})


def test_a_limited_network_needs_a_sandbox() -> None:
    """Said, and not left out."""
    with pytest.raises(SpecError, match="--network needs a sandbox"):
        wiring.open_sandbox("none", {}, reach=())


def test_the_level_says_what_is_reached() -> None:
    """It is a part of every result, and another reach is another level."""
    inner = Bubblewrap(program="/opt/bwrap", version="9", hidden=())
    walls = Secluded(inner=inner, addresses=(Address("api.example.com", 443),))
    assert walls.level == "bwrap, network: api.example.com:443"
    assert "reaches of the network only api.example.com:443" in walls.isolation
    assert "the network is open" not in walls.isolation
    assert "the network is open" in inner.isolation


def test_an_address_without_a_scheme_is_none() -> None:
    """Paths and words of an environment are no services."""
    assert address("/usr/bin") is None
