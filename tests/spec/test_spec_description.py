"""A description replaced in the front matter."""

from __future__ import annotations

import pytest

from skilltrial.errors import SpecError
from skilltrial.spec.description import with_description
from skilltrial.spec.findings import Findings
from skilltrial.spec.front_matter import read_front_matter

NEW = 'Reports: "tables" & it\'s totals # all of them'

FORMS = {
    "plain": "name: s\ndescription: Old words here.\nlicense: MIT  # kept\n",
    "last": "name: s\ndescription: Old words here.\n",
    "quoted": "name: s\ndescription: \"Old: words\"  # a comment\nlicense: 'MIT'\n",
    "folded": "name: s\ndescription: >-\n  Old\n  words.\n\n# a comment\nlicense: MIT\n",
    "kept": "name: s\ndescription: |+\n  Old\n\n  words.\n\nlicense: MIT\n",
    "several lines": "description: Old\n  words\n  here.\nname: s\nmetadata:\n  a: 'b'\n",
    "bare colon": "name: s\ndescription: Old: words here\nlicense: MIT\n",
    "empty": "name: s\ndescription:\nlicense: MIT\n",
    "missing": "name: s\nlicense: MIT\n",
}


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("form", FORMS)
def test_only_the_description_changes(form: str, newline: str) -> None:
    """In every form that authors write: all other values, the body, and each line without the key are as they were."""
    text = ("---\n" + FORMS[form] + "---\n# Title\n\ndescription: not this one\n").replace("\n", newline)
    after = with_description(text, NEW, file="SKILL.md")
    before, now = (read_front_matter(each, Findings(), file="") for each in (text, after))
    assert dict(now.values) == {**before.values, "description": NEW}
    rest = [line for line in FORMS[form].split("\n") if line and "escription" not in line and "ld" not in line]
    for line in rest:
        assert line in after or line.strip() in {"words.", "words", "here."}, line
    assert after.split(f"---{newline}")[-1] == text.split(f"---{newline}")[-1]
    assert ("\r\n" in after) is (newline == "\r\n")


def test_plain_where_yaml_reads_it_so() -> None:
    """No quotes without need, and a true that stays a text."""
    text = "---\nname: s\ndescription: old\n---\nbody\n"
    assert with_description(text, "Makes reports.", file="f") == text.replace("old", "Makes reports.")
    assert "description: 'true'" in with_description(text, "true", file="f")
    assert "description: 'It''s: so'" in with_description(text, "It's: so", file="f")


def test_what_would_change_more_is_refused() -> None:
    """Another key refers to the old text."""
    text = "---\nname: s\ndescription: &it old\nnote: *it\n---\nbody\n"
    with pytest.raises(SpecError):
        with_description(text, "Makes reports.", file="f")
