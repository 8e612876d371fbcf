"""The table of everything that an audit can find."""

from __future__ import annotations

import re
from pathlib import Path

from skilltrial.audit.rules import RULES

PAGE = Path(__file__).resolve().parents[2] / "docs/audit.md"
ROW = re.compile(r"^\| (SA\d{3}) \| ([a-z-]+) \| (.+) \|$", re.MULTILINE)


def test_codes_and_names_are_unique() -> None:
    """They are stable, so that people can filter by them."""
    assert len({rule.code for rule in RULES}) == len({rule.name for rule in RULES}) == len(RULES)


def test_the_first_digit_of_a_code_is_its_severity() -> None:
    """1 changes a number, 2 hides something, 3 is a trap."""
    severities = {"1": "error", "2": "warning", "3": "note"}
    assert all(rule.severity == severities[rule.code[2]] for rule in RULES)


def test_the_page_lists_every_rule_in_the_same_words() -> None:
    """Codes, names and summaries."""
    listed = ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert listed == [(rule.code, rule.name, rule.summary) for rule in RULES]
