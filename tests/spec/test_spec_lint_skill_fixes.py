"""What is put right without a person."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.spec.findings import Findings, Invalid
from skilltrial.spec.front_matter import read_front_matter
from skilltrial.spec.lint.fixes import fix_skill, fixed
from skilltrial.spec.lint.rules import RULES
from skilltrial.spec.validate import validate_skill

FRONTS = [
    "name: my-skill\ndescription: Use this: when asked\n",
    "name: My_Skill  # mine\ndescription: d\n",
    "name: my-skill\ndescription: >\n  d: e\nallowed-tools:\n- Bash(git:*)\n- Read\n\n# end\n",
    "name: my-skill\nmetadata: {a: 1, b: [x], c: 2.50}\nallowed-tools: [Bash, 'Read']  # two\n",
    "description: d\nmetadata:\n  v: 1.0\n  ok: true\n  no: null\n  t: 'x'\n",
]


def _changed(front: str, *, folder: str = "my-skill") -> tuple[str, list[tuple[str, int]]]:
    """The front matter afterwards, and the rules and lines of the changes."""
    done = fixed(f"---\n{front}---\nBody: x\n", folder)
    assert done.text.endswith("\n---\nBody: x\n")
    return done.text[4 : -len("---\nBody: x\n")], [(change.rule, change.line) for change in done.changes]


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("description: it's: x\n", "description: 'it''s: x'\n", [("bare-colon", 2)]),
        ("description: a: b\n  c: d\n", "description: 'a: b\n  c: d'\n", [("bare-colon", 2)]),
        ("a: b\nname: My Skill # c\n", "a: b\nname: my-skill # c\n", [("name-rule", 3)]),
        ("allowed-tools: [Bash, Read] # c\n", "allowed-tools: Bash Read # c\n", [("allowed-tools-rule", 2)]),
        ("allowed-tools:\n  - A\n  - B\n# c\nx: y\n", "allowed-tools: A B\n# c\nx: y\n", [("allowed-tools-rule", 2)]),
        ("metadata:\n  v: 1.0 # c\n", 'metadata:\n  v: "1.0" # c\n', [("metadata-rule", 3)]),
        ("metadata: {v: 007, w: yes}\n", 'metadata: {v: "007", w: "yes"}\n', [("metadata-rule", 2)] * 2),
    ],
)
def test_mechanical_changes(before: str, after: str, changes: list[tuple[str, int]]) -> None:
    """Only the value changes; comments stay."""
    assert _changed(before) == (after, changes)


@pytest.mark.parametrize(
    "front",
    [
        "name: other\n",
        "name: my--skill-2\n",
        "allowed-tools: [Bash(git add:*), Read]\n",
        "allowed-tools:\n  - A # why\n  - B\n",
        "allowed-tools: []\n",
        "allowed-tools: [1, 2]\n",
        "metadata: [a]\n",
        "metadata:\n  a: null\n  b:\n    c: 1\n",
        "description: 'a' b: c\n",
        "name: x\nname: y\n",
    ],
)
def test_what_is_not_sure_stays(front: str) -> None:
    """Byte for byte."""
    assert _changed(front) == (front, [])


def test_marks_line_ends_and_fences() -> None:
    """The text from the first to the last of them."""
    done = fixed("\ufeff---  \r\nname: my-skill\r\n---\t\r\nBody \r\n", "my-skill")
    assert done.text == "---\nname: my-skill\n---\nBody \n"
    assert [change.rule for change in done.changes] == [
        "byte-order-mark",
        "crlf",
        "no-front-matter",
        "open-front-matter",
    ]


def test_the_table_says_what_is_fixable() -> None:
    """ST109 goes with ST111: the name becomes the folder's."""
    texts = ["\ufeff--- \r\nname: My_Skill\nallowed-tools: [A]\nmetadata: {a: 1}\n--- \n", "---\nname: a: b\n---\n"]
    done = {change.rule for text in texts for change in fixed(text, "my-skill").changes}
    assert {rule.name for rule in RULES if rule.fixable} == {*done, "name-differs"}


def test_a_name_is_only_fixed_towards_a_folder_that_is_right() -> None:
    """Otherwise nobody knows which of the two is meant."""
    assert _changed("name: My_Skill\n", folder="My_Skill")[1] == []
    assert _changed("name: My_Skill\n", folder="my-skills")[1] == []


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_fixing_again_changes_nothing_and_no_other_value(data: st.DataObject) -> None:
    """For any pieces put together, with noise in between."""
    front = "".join(data.draw(st.lists(st.sampled_from(FRONTS), min_size=1, max_size=1)))
    at = data.draw(st.integers(0, len(front)))
    noise = data.draw(st.sampled_from(["", " ", "\n", "# n\n", "'", ": ", "\r\n", "é", "- ", "[", "x"]))
    text = f"---\n{front[:at]}{noise}{front[at:]}---\nBody\n"
    done = fixed(text, "my-skill")
    assert fixed(done.text, "my-skill").changes == ()
    if not done.changes:
        assert done.text == text
        return
    try:
        before = read_front_matter(text, Findings(), file="").values
    except Invalid:
        return
    after = read_front_matter(done.text, Findings(), file="").values
    assert {key for key in before if before[key] != after[key]} <= {"name", "allowed-tools", "metadata"}
    assert list(before) == list(after)


def test_a_file_is_fixed_in_place_with_its_mode(tmp_path: Path) -> None:
    """And is valid afterwards; a second time nothing is written."""
    skill = tmp_path / "my-skill"
    skill.mkdir()
    file = skill / "SKILL.md"
    file.write_bytes(
        b"\xef\xbb\xbf---\r\nname: My_Skill\r\ndescription: Use this: when a file is asked for\r\n"
        b"metadata:\r\n  version: 2\r\n---\r\nBody\r\n"
    )
    file.chmod(0o640)
    assert len(fix_skill(skill)) == 5
    assert validate_skill(skill) == []
    assert file.stat().st_mode & 0o777 == 0o640
    stamp = file.stat().st_mtime_ns
    assert fix_skill(skill) == ()
    assert file.stat().st_mtime_ns == stamp
    assert [path.name for path in skill.iterdir()] == ["SKILL.md"]


def test_files_that_cannot_be_read_are_left(tmp_path: Path) -> None:
    """None, not UTF-8, and a link that leaves the folder."""
    assert fix_skill(tmp_path) == ()
    (tmp_path / "a").mkdir()
    (tmp_path / "a/SKILL.md").write_bytes(b"---\r\nname: \xff\r\n---\r\n")
    assert fix_skill(tmp_path / "a") == ()
    (tmp_path / "b").mkdir()
    (tmp_path / "x.md").write_bytes(b"---\r\nname: b\r\n---\r\n")
    (tmp_path / "b/SKILL.md").symlink_to(tmp_path / "x.md")
    assert fix_skill(tmp_path / "b") == ()
    assert (tmp_path / "x.md").read_bytes() == b"---\r\nname: b\r\n---\r\n"
