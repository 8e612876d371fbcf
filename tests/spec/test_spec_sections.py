"""The sections of a SKILL.md, and the file without one."""

from __future__ import annotations

from skilltrial.spec.sections import sections, without

TEXT = (
    "---\nname: x\n## no heading, a comment\n---\n# Title\n\nintro\n\n"
    "## One\n\na\n\n### Deeper\n\nb\n\n## Two ##\n\nc\n# End\n\nd\n"
)


def test_a_section_reaches_to_the_next_heading_of_its_level_or_above() -> None:
    """Deeper headings belong to it, `#` ends it, the front matter has none."""
    assert [(section.title, section.start, section.end) for section in sections(TEXT)] == [
        ("One", 8, 16),
        ("Two", 16, 19),
    ]


def test_the_rest_of_the_file_stays_as_it_is() -> None:
    """Only the lines of the section go."""
    one = sections(TEXT)[0]
    assert without(TEXT, one) == (
        "---\nname: x\n## no heading, a comment\n---\n# Title\n\nintro\n\n## Two ##\n\nc\n# End\n\nd\n"
    )


def test_what_looks_like_a_heading_in_code_is_none() -> None:
    """Fences end only with their own sign, at least as long, and nothing behind it."""
    text = "## A\n```sh\n## no\n~~~\n## no\n``` x\n## no\n````\n## B\n~~~\n```\n## no\n~~~\n#no\n##no\n    ## no\n"
    assert [section.title for section in sections(text)] == ["A", "B"]


def test_line_ends_of_another_system_are_kept() -> None:
    """CRLF is no part of a title, and the other lines keep it."""
    text = "## A\r\na\r\n## B\r\nb\r\n"
    first, second = sections(text)
    assert (first.title, second.title) == ("A", "B")
    assert without(text, second) == "## A\r\na\r\n"
    assert without(text, first) == "## B\r\nb\r\n"


def test_a_file_without_sections_has_none() -> None:
    """Titles and text alone are no sections."""
    assert sections("# Only a title\n\ntext\n") == ()


def test_code_within_a_line_opens_no_fence() -> None:
    """What follows backticks that open a fence holds none; such a line is inline code, and the next heading counts."""
    text = "## A\n```like this``` is a line\n## B\n"
    assert [section.title for section in sections(text)] == ["A", "B"]


def test_a_text_without_any_heading_has_no_sections() -> None:
    """Nor has an empty one, or one that is front matter only."""
    for text in ("no heading\n", "", "---\nname: x\n---\n"):
        assert sections(text) == ()
