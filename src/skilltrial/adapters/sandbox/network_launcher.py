"""Leaves the network and becomes another program: `python -I -S network_launcher.py RULES PROGRAM ARGUMENT…`.

RULES is a JSON object: `addresses` (hosts and ports that can still be reached, under their own names), `relay` (the program that
serves them), `without` (names of variables that are taken out). The network name space is new and empty; what listens in it at the
addresses is handed to the relay, which stays outside. It needs no privilege, and stays no process of its own. A program of its own,
which imports nothing of ours. Exit code 125: the rules could not be put in force, and nothing was run.
"""

from __future__ import annotations

import ctypes
import fcntl
import ipaddress
import json
import os
import socket
import struct
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NOT_CONFINED = 125
_NEW_MOUNTS, _NEW_USER, _NEW_NETWORK = 0x00020000, 0x10000000, 0x40000000
_BIND, _DETACH = 4096, 2
_SET_ADDRESS, _SET_FLAGS = 0x8916, 0x8914
_UP_AND_RUNNING = 0x41
_HOSTS = "/etc/hosts"
_LIBC = ctypes.CDLL(None, use_errno=True)


def main(rules: str, *argv: str) -> None:
    """Leave the network, start the relay, and become the program."""
    try:
        told: Any = json.loads(rules)
        addresses = [(str(host), int(port)) for host, port in told["addresses"]]
        for name in told["without"]:
            os.environ.pop(name, None)
        ours, theirs = socket.socketpair()
        if addresses:
            _start_relay(told["relay"], theirs, addresses)
        _leave(hosts=any(_is_name(host) for host, _ in addresses))
        listeners = [each for number, address in enumerate(addresses) for each in _listen(number, *address)]
        _name({host: _place(number) for number, (host, _) in enumerate(addresses) if _is_name(host)})
        for number, listener in listeners:
            socket.send_fds(ours, [bytes([number])], [listener.fileno()])
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"network: {error}\n")
        sys.exit(NOT_CONFINED)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - a shell is what must not come between
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def _start_relay(program: str, channel: socket.socket, addresses: Sequence[tuple[str, int]]) -> None:
    """As nobody's child, without the agent's streams and environment: it is no part of the program, and no stray of it."""
    watched = os.getpid()
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    if os.fork():
        os._exit(0)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.set_inheritable(channel.fileno(), True)
    words = [str(watched), str(channel.fileno()), json.dumps(addresses)]
    os.execve(sys.executable, [sys.executable, "-I", "-S", program, *words], {})  # noqa: S606


def _leave(*, hosts: bool) -> None:
    user, group = os.geteuid(), os.getegid()
    _call(_LIBC.unshare(_NEW_USER | _NEW_NETWORK | (_NEW_MOUNTS if hosts else 0)), "a new name space")
    Path("/proc/self/setgroups").write_text("deny", "ascii")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1", "ascii")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1", "ascii")
    _control(_SET_FLAGS, struct.pack("16sH14x", b"lo", _UP_AND_RUNNING))


def _listen(number: int, host: str, port: int) -> list[tuple[int, socket.socket]]:
    """What takes connections in the place of an address. This machine has two: programs choose between them."""
    if host != "localhost" and _is_name(host):
        return [(number, socket.create_server((_place(number), port)))]
    if host == "localhost" or ipaddress.ip_address(host).is_loopback:
        found = [(number, socket.create_server(("127.0.0.1", port)))]
        if socket.has_ipv6:
            try:
                found.append((number, socket.create_server(("::1", port), family=socket.AF_INET6)))
            except OSError:
                return found  # switched off
        return found
    packed = struct.pack("16sHH4s8x", f"lo:{number + 1}".encode(), socket.AF_INET, 0, socket.inet_aton(host))
    _control(_SET_ADDRESS, packed)
    return [(number, socket.create_server((host, port)))]


def _is_name(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost"
    return False


def _place(number: int) -> str:
    """An address of this machine for one host alone."""
    return f"127.0.1.{number + 1}"


def _name(places: dict[str, str]) -> None:
    """Let the names lead to their places, for this process and what it starts."""
    if not places:
        return
    path = os.path.realpath(_HOSTS)
    before = Path(path).read_bytes() if Path(path).exists() else b""
    folder = tempfile.mkdtemp(dir="/tmp")
    # In a file system of its own: a file that was removed cannot be shown to another sandbox.
    _call(_LIBC.mount(b"tmpfs", folder.encode(), b"tmpfs", ctypes.c_ulong(0), None), folder)
    hosts = Path(folder, "hosts")
    hosts.write_bytes("".join(f"{place} {host}\n" for host, place in places.items()).encode() + before)
    _call(_LIBC.mount(bytes(hosts), os.fsencode(path), None, ctypes.c_ulong(_BIND), None), path)
    _call(_LIBC.umount2(folder.encode(), _DETACH), folder)
    Path(folder).rmdir()


def _call(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _control(request: int, asked: bytes) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, request, asked)


if __name__ == "__main__":
    main(*sys.argv[1:])
