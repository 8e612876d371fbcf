"""Secrets, kept from everything that is written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

MASK = b"***"
_ENDINGS = ("KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIALS")
_SHORTEST = 8  # masking shorter values would eat ordinary words


def secrets_of(env: Mapping[str, str]) -> list[str]:
    """The values of variables that are named like keys, tokens or passwords."""
    return [value for name, value in env.items() if name.upper().endswith(_ENDINGS)]


def redactor(secrets: Iterable[str]) -> Callable[[bytes], bytes]:
    """A function that masks every secret of at least 8 characters, plain or as it stands in JSON."""
    found: set[bytes] = set()
    for secret in secrets:
        if len(secret) >= _SHORTEST:
            found |= {
                secret.encode(),
                json.dumps(secret)[1:-1].encode(),
                json.dumps(secret, ensure_ascii=False)[1:-1].encode(),
            }
    longest_first = sorted(found, key=len, reverse=True)

    def redact(data: bytes) -> bytes:
        for value in longest_first:
            data = data.replace(value, MASK)
        return data

    return redact
