"""A sandbox whose programs reach a few addresses instead of the whole network."""

from __future__ import annotations

import ipaddress
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from skilltrial.adapters.sandbox import network_launcher, network_relay
from skilltrial.adapters.sandbox.bwrap import Bubblewrap
from skilltrial.adapters.sandbox.landlock import Landlock
from skilltrial.errors import SpecError

PROXIES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "https_proxy", "http_proxy", "all_proxy")
"""They lead everywhere."""
_MOST = 200


class Address(NamedTuple):
    """A service that is reached by TCP."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Secluded:
    """Satisfies `ports.Confinement`: another one, in a network of its own from which only `addresses` can be reached, and the
    local addresses that a program's own environment names (doubles of a case, a model on this machine).
    """

    inner: Bubblewrap | Landlock
    addresses: tuple[Address, ...]

    @property
    def level(self) -> str:
        """The other one's, and what can be reached."""
        return f"{self.inner.level}, network: {_listed(self.addresses)}"

    @property
    def isolation(self) -> str:
        """The other one's, with another word on the network."""
        reached = f"reaches of the network only {_listed(self.addresses)}" if self.addresses else "reaches no network"
        return self.inner.told(f", and {reached} and what its own environment names of this machine", "")

    @property
    def depth(self) -> int:
        """The launcher becomes the program of the other one."""
        return self.inner.depth

    def wrap(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        writable: Sequence[Path],
        env: Mapping[str, str],
        needs: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """The launcher with its rules, and what the other one makes of argv."""
        addresses = list(dict.fromkeys([*self.addresses, *_local(env)]))[:_MOST]
        rules = {"addresses": addresses, "relay": network_relay.__file__, "without": PROXIES}
        inside = self.inner.wrap(argv, cwd=cwd, writable=writable, env=env, needs=needs)
        return (sys.executable, "-I", "-S", network_launcher.__file__, json.dumps(rules), *inside)


def address(url: str) -> Address | None:
    """Host and port of an address; None where it has none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    return Address(host, port or (80 if parts.scheme == "http" else 443)) if host else None


def reachable(text: str) -> Address:
    """The address that a person writes as `HOST:PORT` or as a URL; `SpecError` for what cannot be let through."""
    found = address(text if "://" in text else f"//{text}")
    if found is None or ("://" not in text and not re.search(r":\d+$", text)):
        raise SpecError(f"{text!r} is no address.", hint="An address is HOST:PORT, like api.example.com:443.")
    if ":" in found.host and not _is_local(found.host):
        raise SpecError(f"{text!r} is an address of IPv6, which cannot be let through.", hint="Give a name or IPv4.")
    return found


def _local(env: Mapping[str, str]) -> list[Address]:
    """Services of this machine that the environment names."""
    found = [address(value) for name, value in env.items() if "://" in value and name not in PROXIES]
    return [each for each in found if each and _is_local(each.host)]


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listed(addresses: Sequence[Address]) -> str:
    return " and ".join(map(str, addresses)) or "none"
