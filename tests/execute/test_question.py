"""Whether a message asks."""

from __future__ import annotations

import pytest

from skilltrial.execute.question import asks


@pytest.mark.parametrize(
    "message",
    [
        "Which format do you want?",
        "I read it. **Shall I go on?**",
        'You said "all of it?"',
        "Should I use CSV or JSON? Tell me and I go on.",
        "Which format do you want?\n\n- CSV\n- JSON\n",
        "I need to know:\n1. Which format?\n2. From which year on",
        "Run this?\n```sh\nmake\n```\n",
        "\u3069\u306e\u5f62\u5f0f\u306b\u3057\u307e\u3059\u304b\uff1f\u304a\u77e5\u3089\u305b\u304f\u3060\u3055\u3044\u3002",
        "\u0623\u064a \u0635\u064a\u063a\u0629\u061f",
    ],
)
def test_a_question_in_the_last_line_asks(message: str) -> None:
    """In any script, before a list or code, inside emphasis or quotes, and with a sentence after it."""
    assert asks(message)


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Done.",
        "Why did it fail? The path was wrong.\n\nI mended it.",
        "See http://example.org/find?q=1 for more.",
        "The pattern is `colou?` now.",
        "Done:\n- a.csv\n- b.csv",
        "Done.\n```\nwhat?\n```",
    ],
)
def test_what_stands_elsewhere_asks_nothing(message: str) -> None:
    """Earlier paragraphs, addresses, code."""
    assert not asks(message)
