"""What a program inside a sandbox may read: the system's own folders, and the files that the program consists of."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/run/current-system")
_SETTINGS = (
    "alternatives bash.bashrc bashrc ca-certificates claude-code crypto-policies fonts gai.conf group host.conf hosts inputrc "
    "java-* ld.so.cache ld.so.conf ld.so.conf.d locale.alias localtime magic mime.types nsswitch.conf os-release passwd "
    "pki/ca-trust pki/tls/cert.pem pki/tls/certs pki/tls/openssl.cnf "
    "profile profile.d protocols python3 resolv.conf services ssl/certs ssl/cert.pem ssl/openssl.cnf terminfo timezone wgetrc zsh"
)
"""Of /etc, what names, certificates, time, libraries, fonts and shells need, and what an administrator allows agent programs."""
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
_MOST_LINKS = 40
_SHEBANG_BYTES = 512
_OF_NODE = ("node", "npm", "npx", "corepack")
_OF_PYTHON = ("bin", "lib", "lib64", "libexec", "ssl", "include")
_OF_A_PREFIX = 3
"""Names that the path of an installation has at least, with the root: /opt/node is one, / and /srv are none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposure:
    """Places that may be read, and links on the way to them. No readable place lies in another."""

    readable: tuple[Path, ...]
    """Real paths of files and folders that are there."""
    links: Mapping[Path, str]
    """Links outside of `readable`, with what they lead to."""


@cache
def system() -> Exposure:
    """The folders of the operating system, without anybody's data: of /etc only a few files."""
    return _exposure([*map(Path, _SYSTEM), *(place for name in _SETTINGS.split() for place in Path("/etc").glob(name))])


def located(argv0: str, env: Mapping[str, str]) -> Path:
    """The program's file as it is named, absolute and without `..`."""
    return Path(os.path.abspath(shutil.which(argv0, path=env.get("PATH")) or argv0))  # noqa: PTH100 - links stay


def of_program(program: Path, env: Mapping[str, str], *, hidden: Sequence[Path], needs: Sequence[str] = ()) -> Exposure:
    """What the program is made of: its file, the links that lead there, its interpreter, and the installation around them
    where it can be told (a `node_modules`, a Python or Node prefix); the same of the programs that it `needs` by name.
    Certificates that `env` names belong to it.

    No folder that holds one of `hidden` is ever a part of it.
    """
    places = [Path(env[name]) for name in _CERTIFICATES if env.get(name)]
    waiting = [program, *(Path(found) for name in needs if (found := shutil.which(name, path=env.get("PATH"))))]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        real, links = _follow(path)
        steps = [*links, path, real]
        places.append(path)
        for step in steps:
            for folder in _installations(step, hidden):
                if not any(place.is_relative_to(folder) for place in hidden):
                    places.append(folder)
                    waiting += [folder / "bin/python"] if (folder / "pyvenv.cfg").is_file() else []
        waiting += _interpreter(real, env)
    return _exposure(places)


def within(path: str, exposure: Exposure, *, own: Sequence[Path] = ()) -> str:
    """The search path without folders that cannot be read: what is found there by its name could not be started.

    `own` are the program's own folders. Folders of which a file can be read come last.
    """
    places = [(place, _follow(Path(place))[0]) for place in path.split(os.pathsep) if os.path.isabs(place)]  # noqa: PTH117
    readable = [*exposure.readable, *own]
    kept = [place for place, real in places if any(real.is_relative_to(folder) for folder in readable)]
    holding = {file.parent for file in (*exposure.readable, *exposure.links)}
    last = [place for place, real in places if real in holding and place not in kept]
    return os.pathsep.join([*kept, *last]) or os.defpath


def together(*exposures: Exposure) -> Exposure:
    """All of them as one."""
    links = {link: target for each in exposures for link, target in each.links.items()}
    return _outermost((path for each in exposures for path in each.readable), links)


def _exposure(places: Iterable[Path]) -> Exposure:
    readable: list[Path] = []
    links: dict[Path, str] = {}
    for place in places:
        real, passed = _follow(place)
        if real.exists():
            readable.append(real)
            links |= passed
    return _outermost(readable, links)


def _outermost(readable: Iterable[Path], links: Mapping[Path, str]) -> Exposure:
    kept: list[Path] = []
    for path in sorted(set(readable)):  # a folder comes before what lies in it
        if not any(path.is_relative_to(folder) for folder in kept):
            kept.append(path)
    needed = {link: to for link, to in links.items() if not any(link.is_relative_to(folder) for folder in kept)}
    return Exposure(readable=tuple(kept), links=needed)


def _follow(path: Path) -> tuple[Path, dict[Path, str]]:
    """The real path, and every link on the way with what it says."""
    links: dict[Path, str] = {}
    current = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would not tell the links
    for _ in range(_MOST_LINKS):
        link = next((part for part in (*reversed(current.parents), current) if part.is_symlink()), None)
        if link is None:
            break
        links[link] = str(link.readlink())
        target = link.parent / links[link] / current.relative_to(link)
        current = Path(os.path.normpath(target))
    return current, links


def _installations(path: Path, hidden: Sequence[Path]) -> list[Path]:
    """Folders around a program's file that belong to it as a whole."""
    parts = path.parts
    if "node_modules" in parts:
        return [Path(*parts[: parts.index("node_modules") + 1])]
    prefix = path.parent.parent if path.parent.name == "bin" else path.parent
    beside = [prefix / "node_modules"] if (prefix / "node_modules").is_dir() else []  # what a script in shell starts
    holds_hidden = any(place.is_relative_to(prefix) for place in hidden)
    if path.parent.name != "bin" or len(prefix.parts) < _OF_A_PREFIX or holds_hidden:
        return beside
    if (prefix / "pyvenv.cfg").is_file():
        return [prefix]
    node, python = prefix / "lib/node_modules", next(prefix.glob("lib/python3*/os.py"), None)
    # ~/.local can be such a prefix, with logins in its `share` and anybody's programs in its `bin`.
    found = [node, *(prefix / "bin" / name for name in _OF_NODE)] if node.is_dir() else []
    found += [prefix / name for name in _OF_PYTHON] if python else []
    return found or beside


def _interpreter(path: Path, env: Mapping[str, str]) -> list[Path]:
    """The program that a script's first line names."""
    try:
        with path.open("rb") as file:
            head = file.read(_SHEBANG_BYTES)
    except OSError:
        return []
    words = head.split(b"\n", 1)[0].removeprefix(b"#!").decode("utf-8", "replace").split() if head[:2] == b"#!" else []
    if not words:
        return []
    found = [Path(words[0])]
    if Path(words[0]).name == "env":
        name = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
        program = shutil.which(name, path=env.get("PATH")) if name else None
        found += [Path(program)] if program else []
    return found
