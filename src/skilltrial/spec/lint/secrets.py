"""What looks like a key or a password in a file. The value itself is never part of a finding."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

MAX_BYTES = 4 * 1024 * 1024
"""Of a file; keys do not hide behind more."""

_KEY = r"(?<![A-Za-z0-9_-])"
_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[\"' +,]{0,5}(?:\\[rn]|[\r\n])(?:\\[rn]|[\s\"'+,]){0,20}"
    r"(?:[A-Za-z0-9+/=]{20}|Proc-Type)"
)
_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("an Anthropic key", _KEY + r"sk-ant-[A-Za-z0-9_-]{20,200}"),
        ("an OpenAI key", _KEY + r"sk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}"),
        ("an AWS access key", _KEY + r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"),
        ("a GitHub token", _KEY + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255})"),
        ("a GitLab token", _KEY + r"glpat-[A-Za-z0-9_-]{20,60}"),
        ("a Google key", _KEY + r"AIza[0-9A-Za-z_-]{35}(?![A-Za-z0-9_-])"),
        ("a Slack token", _KEY + r"xox[abeoprs]-[0-9A-Za-z-]{20,250}"),
        ("a Slack webhook", r"hooks\.slack\.com/services/T[0-9A-Z]{6,}/B[0-9A-Z]{6,}/[0-9A-Za-z]{16,}"),
        ("a Stripe key", _KEY + r"(?:sk|rk)_live_[0-9A-Za-z]{20,250}"),
        ("an npm token", _KEY + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
        ("a PyPI token", _KEY + r"pypi-[A-Za-z0-9_-]{60,300}"),
        ("a Hugging Face token", _KEY + r"hf_[A-Za-z0-9]{30,60}"),
        (
            "a private key",
            _PRIVATE_KEY,
        ),
    )
)
_ASSIGNED = re.compile(
    r"(?i)(?:api[_-]?key|access[_-]?key|secret|token|passw(?:or)?d|pwd)[a-z0-9_-]{0,30}[\"']?\s{0,3}[:=]\s{0,3}"
    r"[\"']([^\"'\s]{16,200})[\"']"
)
_IN_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]{1,20}://[^/\s:@\"']{1,60}:([^/\s:@\"']{8,200})@")
_PLACEHOLDER = re.compile(
    r"(?i)example|placeholder|changeme|your|dummy|redacted|xxxx|\.\.\.|[<>${}*]|1234567|abcdefg|secret|passw|getenv"
)
_LEAST_BITS = 3.0
_LEAST_BITS_UNNAMED = 3.4


class Secret(NamedTuple):
    """Where something that looks like a secret stands, and what it looks like."""

    line: int
    kind: str
    sure: bool
    """Whether the form belongs to one service, rather than to anything that is assigned to a name like `token`."""


def find_secrets(data: bytes) -> list[Secret]:
    """All of a file's, in order; at most one kind a line. Placeholders and low-entropy texts do not count."""
    text = data[:MAX_BYTES].decode("latin-1")
    found: dict[int, Secret] = {}
    for at, kind, sure in sorted(_matches(text), key=lambda match: not match[2]):
        line = text.count("\n", 0, at) + 1
        found.setdefault(line, Secret(line, kind, sure))
    return [found[line] for line in sorted(found)]


def _matches(text: str) -> Iterator[tuple[int, str, bool]]:
    for kind, pattern in _KINDS:
        for match in pattern.finditer(text):
            if kind == "a private key" or _is_random(match[0], _LEAST_BITS):
                yield match.start(), kind, True
    for kind, pattern in (("a key or password", _ASSIGNED), ("a password in an address", _IN_ADDRESS)):
        for match in pattern.finditer(text):
            if _is_random(match[1], _LEAST_BITS_UNNAMED) and re.search(r"[0-9]", match[1]):
                yield match.start(), kind, False


def _is_random(text: str, least_bits: float) -> bool:
    if _PLACEHOLDER.search(text):
        return False
    counts = Counter(text)
    bits = -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())
    return bits >= least_bits
