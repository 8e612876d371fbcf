"""Gives up its own rights and becomes another program: `python -I -S landlock_launcher.py RULES PROGRAM ARGUMENT…`.

RULES is a JSON object: lists of paths `read` (and run), `write`, `devices`, and `environment`, what is set beside what there is.
A program of its own, which imports nothing of ours: the kernel's Landlock holds for the process that asks for it and for
everything that it starts, and cannot be undone. Exit code 125: the rules could not be put in force, and nothing was run.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import signal
import stat
import struct
import sys
from collections.abc import Mapping
from typing import Any

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
"""Numbers of the system calls, the same on all processors but one (alpha)."""
NEEDED_ABI = 3
"""Before it, files anywhere could be made empty."""
NOT_CONFINED = 125
_VERSION_FLAG = 1
_NO_NEW_PRIVILEGES, _DROP_FROM_BOUND = 38, 24
_CAPABILITIES = range(64)
_CAPABILITY_HEADER = struct.pack("Ii", 0x20080522, 0)

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEVICE = 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_SINCE = {1: (1 << 13) - 1, 2: 1 << 13, 3: _TRUNCATE, 5: _IOCTL_DEVICE}
"""Rights over files that each version of the interface knows."""
_SCOPE_SINCE = 6
_SCOPES = 1 | 2
"""Sockets without a path, and signals: none to processes outside."""


def version() -> int:
    """The version of the kernel's interface; 0 where there is none."""
    try:
        return max(0, int(ctypes.CDLL(None).syscall(CREATE_RULESET, None, ctypes.c_size_t(0), _VERSION_FLAG)))
    except (AttributeError, OSError, TypeError):  # no such call here: no Linux
        return 0


def main(rules: str, *argv: str) -> None:
    """Put the rules in force and become the program."""
    try:
        told: Any = json.loads(rules)
        os.environ.update(told["environment"])
        _confine(told, version())
    except (OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"landlock: {error}\n")
        sys.exit(NOT_CONFINED)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)  # Python ignores these, and the program would go on doing so
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - a shell is what must not come between
    except OSError as error:
        sys.stderr.write(f"{argv[0]}: {error.strerror}\n")
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


def _confine(rules: Mapping[str, list[str]], abi: int) -> None:
    if abi < NEEDED_ABI:
        raise OSError(0, f"the kernel has version {abi} of it, and {NEEDED_ABI} is needed")
    handled = sum(rights for since, rights in _SINCE.items() if since <= abi)
    scoped = _SCOPES if abi >= _SCOPE_SINCE else 0
    attributes = struct.pack("QQQ", handled, 0, scoped) if scoped else struct.pack("Q", handled)
    ruleset = _call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    granted = {
        "read": _EXECUTE | _READ_FILE | _READ_DIR,
        "write": handled,
        "devices": _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEVICE | _READ_DIR,
    }
    for kind, rights in granted.items():
        for path in rules.get(kind, []):
            _allow(ruleset, path, rights & handled)
    _drop_privileges()
    _call(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def _drop_privileges() -> None:
    """For ever: as root it could load a kernel module else, or read the environment of other processes."""
    libc = ctypes.CDLL(None, use_errno=True)
    kept = [number for number in _CAPABILITIES if _control(libc, _DROP_FROM_BOUND, number) == errno.EPERM]
    if kept and os.geteuid() == 0:
        raise OSError(errno.EPERM, "root cannot give up its privileges")
    if libc.capset(_CAPABILITY_HEADER, bytes(24)) != 0 or _control(libc, _NO_NEW_PRIVILEGES, 1) != 0:
        raise OSError(ctypes.get_errno(), "privileges cannot be given up")


def _control(libc: ctypes.CDLL, *arguments: int) -> int:
    """`prctl`; its error, or 0."""
    words = [*arguments, 0, 0, 0, 0][:5]
    failed = libc.prctl(*[ctypes.c_ulong(word) for word in words]) != 0
    return ctypes.get_errno() if failed else 0


def _allow(ruleset: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(place).st_mode):
            rights &= _OF_FILES
        _call(ADD_RULE, ruleset, 1, struct.pack("=Qi", rights, place), 0)
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    result = ctypes.CDLL(None, use_errno=True).syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


if __name__ == "__main__":
    main(*sys.argv[1:])
