"""What is taken as a description."""

from __future__ import annotations

import pytest

from skilltrial.trigger.description import fault_of

GOOD = "Turns CSV files into reports. Use when the user asks to summarise a table; not for workbooks."


def test_a_description_is_taken() -> None:
    """Colons, quotes, hashes and 1,024 characters are all right."""
    assert fault_of(GOOD, ["Something else that is here."]) == ""
    assert fault_of('Reports: "tables" & totals # all of them', []) == ""
    assert fault_of("a bcd ef " + "x" * 1015, []) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("  ", "is empty"),
        ("word " * 312 + "four", "has 1564 characters; at most 1024"),
        ("a b c " + "x" * 1019, "has 1025 characters"),
        ("Use it for <report> files and tables.", "angle brackets"),
        ("```\nTurns CSV files into reports.\n```", "fenced"),
        ("--- name: x and more words ---", "fenced"),
        ("Turns CSV files\ninto short reports.", "'\\n'"),
        ("Turns CSV files\x1b[31m into short reports.", "'\\x1b'"),
        ("I'm sorry, but I can't help with that request.", "no description"),
        ("I apologise for the mistake. Sorry about that.", "no description"),
        ("Sorry, there was nothing to improve here.", "no description"),
        ("As an AI language model I cannot write this.", "no description"),
        ("Here is an improved description: Turns CSV files into reports.", "no description"),
        ("description: Turns CSV files into reports.", "begins with its key"),
        ("Reports.", "fewer than 4 words"),
        (GOOD.upper().replace(" ", "  "), "was tried before"),
    ],
)
def test_what_is_no_description_is_refused_with_the_reason(text: str, says: str) -> None:
    """L5, L6: apologies, fences, too long, brackets, several lines, what was tried before."""
    assert says in fault_of(text, [GOOD])
