"""The invented material of test workspaces: words, topics, criteria, a picture."""

from __future__ import annotations

import struct
import zlib
from random import Random

TOPICS = (
    "quarterly sales",
    "invoice batch",
    "survey answers",
    "sensor log",
    "patient intake",
    "stock take",
    "meeting minutes",
    "bug triage",
    "travel claims",
    "course grades",
    "web traffic",
    "shipping labels",
)
VERBS = ("summarise", "clean", "merge", "chart", "validate", "convert", "split", "redact", "rank", "reconcile")
CRITERIA = (
    "The output has a total row that equals the column sum",
    "Every input row appears exactly once in the output",
    "The date column is in ISO format",
    "The report names the three largest categories in order",
    "No cell that held a value in the input is empty in the output",
    "The chart has both axes labelled",
    "The summary states the number of rows that were dropped and why",
    "The file opens without a repair prompt",
    "Currency values have two decimals",
    "The header row is kept unchanged",
)
_WORDS = """
row column total value header sheet file input output step check read write parse date amount name
category chart axis label summary error warning retry result count sum mean list table
"""
WORDS = tuple(_WORDS.split())
FOREIGN = "Prüfbericht für Łódź: 合計 1 234 €, «готово» 👍"
"""Text outside ASCII, with a character outside the basic plane."""


def words(rng: Random, n: int) -> str:
    """`n` words by chance."""
    return " ".join(rng.choice(WORDS) for _ in range(n))


def picture(rng: Random, side: int = 32) -> bytes:
    """A small valid RGB picture in PNG."""
    rows = b"".join(b"\0" + bytes(rng.randrange(256) for _ in range(side * 3)) for _ in range(side))
    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    body = _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
