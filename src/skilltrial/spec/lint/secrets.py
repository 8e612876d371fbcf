"""What looks like a key or a password in a file. The value itself is never part of a finding."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

MAX_BYTES = 4 * 1024 * 1024
"""Of a file; keys do not hide behind more."""

_MAX_FOUND = 100
_HEAD = 8192

_KEY = r"(?<![A-Za-z0-9_-])"
_PRIVATE_KEY = (
    r"-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY-----[\"' +,]{0,5}(?:\\[rn]|[\r\n])(?:\\[rn]|[\s\"'+,]){0,20}"
    r"(?:[A-Za-z0-9+/=]{20}|Proc-Type)"
)


class _Kind(NamedTuple):
    name: str
    markers: tuple[str, ...]
    """One of them is in every match; looking for them first is much faster than the pattern."""
    pattern: re.Pattern[str]


_KINDS: tuple[_Kind, ...] = tuple(
    _Kind(name, markers, re.compile(pattern))
    for name, markers, pattern in (
        ("an Anthropic key", ("sk-ant-",), _KEY + r"sk-ant-[A-Za-z0-9_-]{20,200}"),
        ("an OpenAI key", ("sk-",), _KEY + r"sk-(?!ant-)(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{32,200}"),
        ("an AWS access key", ("AKIA", "ASIA"), _KEY + r"(?:AKIA|ASIA)[0-9A-Z]{16}(?![A-Za-z0-9])"),
        (
            "a GitHub token",
            ("ghp_", "gho_", "ghu_", "ghr_", "ghs_", "github_pat_"),
            _KEY + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{40,255})",
        ),
        ("a GitLab token", ("glpat-",), _KEY + r"glpat-[A-Za-z0-9_-]{20,60}"),
        ("a Google key", ("AIza",), _KEY + r"AIza[0-9A-Za-z_-]{35}(?![A-Za-z0-9_-])"),
        ("a Slack token", ("xox",), _KEY + r"xox[abeoprs]-[0-9A-Za-z-]{20,250}"),
        (
            "a Slack webhook",
            ("hooks.slack.com",),
            r"hooks\.slack\.com/services/T[0-9A-Z]{6,20}/B[0-9A-Z]{6,20}/[0-9A-Za-z]{16,60}",
        ),
        ("a Stripe key", ("sk_live_", "rk_live_"), _KEY + r"(?:sk|rk)_live_[0-9A-Za-z]{20,250}"),
        ("an npm token", ("npm_",), _KEY + r"npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
        ("a PyPI token", ("pypi-",), _KEY + r"pypi-[A-Za-z0-9_-]{60,300}"),
        ("a Hugging Face token", ("hf_",), _KEY + r"hf_[A-Za-z0-9]{30,60}"),
        ("a private key", ("PRIVATE KEY",), _PRIVATE_KEY),
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
    """The secrets of a file, in order: at most one a line, and the first hundred. Placeholders and low-entropy texts do not count.

    In binary files only the forms of services are looked for.
    """
    text = data[:MAX_BYTES].decode("latin-1")
    starts = [match.end() for match in re.finditer("\n", text)]
    found: dict[int, Secret] = {}
    for at, kind, sure in chain(_of_services(text), () if b"\0" in data[:_HEAD] else _assigned(text)):
        line = bisect_right(starts, at) + 1
        found.setdefault(line, Secret(line, kind, sure))
    return [found[line] for line in sorted(found)[:_MAX_FOUND]]


def _of_services(text: str) -> Iterator[tuple[int, str, bool]]:
    for kind in _KINDS:
        if any(marker in text for marker in kind.markers):
            for match in kind.pattern.finditer(text):
                if kind.pattern.pattern == _PRIVATE_KEY or _is_random(match[0], _LEAST_BITS):
                    yield match.start(), kind.name, True


def _assigned(text: str) -> Iterator[tuple[int, str, bool]]:
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
