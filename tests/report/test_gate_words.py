"""A gate's outcome as Markdown and as commands to GitHub."""

from __future__ import annotations

from typing import Any

from skilltrial.records.gate import Gate, Rule
from skilltrial.report.gate import commands, headline, markdown


def _rule(**fields: Any) -> Rule:
    values: dict[str, Any] = {
        "name": "golden",
        "about": "a",
        "outcome": "fail",
        "unit": "share",
        "figure": 0.5,
        "threshold": 1.0,
        "said": "1 of 2 trials failed.",
        "place": "/repo/skills/a/skilltrial.toml:3",
    }
    return Rule(**(values | fields))


def _gate(*rules: Rule, **fields: Any) -> Gate:
    values: dict[str, Any] = {
        "skill": "tidy",
        "iteration": 1,
        "against": "without_skill",
        "settings": "",
        "outcome": "regression",
        "exit_code": 1,
        "rules": rules,
    }
    return Gate(**(values | fields))


def test_places_below_the_checkout_are_shown_beside_the_code() -> None:
    """With file and line; per cent, colons and commas are escaped as GitHub asks."""
    first = next(commands(_gate(_rule(about="a, b:c", said="50 % of 2")), root="/repo"))
    assert first == "::error file=skills/a/skilltrial.toml,line=3,title=tidy%3A golden%3A a%2C b%3Ac::50 %25 of 2"


def test_a_place_elsewhere_is_not() -> None:
    """A file that is not in the checkout has no line there."""
    assert "file=" not in next(commands(_gate(_rule()), root="/other"))
    assert "file=" not in next(commands(_gate(_rule(place="")), root="/repo"))
    assert "file=g.toml,line=2," in next(commands(_gate(_rule(place="g.toml:2")), root="/repo"))


def test_a_text_cannot_give_a_command_of_its_own() -> None:
    """It stays in its line, whatever it holds."""
    found = list(commands(_gate(_rule(about="x\n::error::owned\r\n::set-output name=a::b"))))
    assert len(found) == 2
    assert not any("\n" in each or "\r" in each for each in found)


def test_what_is_undecided_is_a_warning_and_what_holds_is_said_once() -> None:
    """One command a rule that does not hold, and one of the whole."""
    rules = (_rule(outcome="undecided"), _rule(outcome="pass"))
    kinds = [each.split(" ")[0] for each in commands(_gate(*rules, outcome="cannot tell", exit_code=4))]
    assert kinds == ["::warning", "::warning"]
    assert next(commands(_gate(_rule(outcome="pass"), outcome="pass", exit_code=0))).startswith("::notice")


def test_markdown_is_a_table_and_hostile_text_stays_text(hostile_text: str) -> None:
    """What failed stands first; one line a rule."""
    text = markdown(_gate(_rule(outcome="pass"), _rule(about=hostile_text, said=hostile_text), skill=hostile_text))
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    assert len(rows) == 3
    assert rows[1].startswith("| ❌ fail |")
    assert "<script" not in text
    assert "\x1b" not in text


def test_one_sentence_says_the_outcome() -> None:
    """With how many rules."""
    assert headline(_gate(_rule(), _rule(outcome="pass"))) == "REGRESSION: 1 of 2 rules does not hold."
    assert headline(_gate(_rule(outcome="pass"), outcome="pass", exit_code=0)) == "PASS: The only rule holds."
    lost = _gate(outcome="incomplete", exit_code=3, n_lost=2)
    assert headline(lost) == "INCOMPLETE: 2 trials have no result, so nothing final can be said."
