"""The judge's prompt: a file that can be replaced, and that holds what has to be there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skilltrial.errors import SpecError
from skilltrial.grade.judge_prompt import judge_prompt, own_prompt, read_prompt
from skilltrial.grade.judge_view import judge_view
from skilltrial.grade.material import Material
from skilltrial.records.suite import LlmJudge

Make = Callable[..., Material]
STATEMENT = LlmJudge(id="one", text="t", rubric="{{material}} {{count}}")
GOOD = "Version 9.\n\n# System\nBe fair.\n# Request\nLook:\n{{material}}\nSay:\n{{statements}}\n# Again\nOnce more."


def test_a_prompt_of_ones_own_is_used_as_it_is(material: Make) -> None:
    """What stands in the material is no placeholder."""
    prompt = read_prompt(GOOD)
    text = judge_prompt(judge_view(material(final_message="{{statements}}")), [STATEMENT], prompt=prompt, earlier={})
    assert text.startswith("Look:\nTASK\n<<<BEGIN ")
    assert text.endswith(">>>\n\nOnce more.")
    assert "\n{{statements}}\n<<<END" in text
    assert '{"id": "one", "text": "{{material}} {{count}}"}' in text
    assert prompt.system == "Be fair."


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (GOOD.replace("{{material}}", ""), r"p\.md: \{\{material\}\} is missing"),
        (GOOD.replace("Say:", "{{statements}}"), "stands more than once"),
        (GOOD.replace("Say:", "{{arm}}"), r"\{\{arm\}\} means nothing here"),
        (GOOD.replace("# Again", "# Other"), "no prompt for the judge"),
        (GOOD + "\n# Again\nTwice", "no prompt for the judge"),
        ("", "no prompt for the judge"),
    ],
)
def test_a_prompt_that_lacks_something_is_refused(text: str, problem: str) -> None:
    """Before anything is asked."""
    with pytest.raises(SpecError, match=problem):
        read_prompt(text, where="p.md")


def test_words_count_and_what_is_not_sent_does_not() -> None:
    """The digest stands for what the judge reads."""
    assert read_prompt(GOOD).digest == read_prompt(GOOD.replace("Version 9", "Version 10").replace("\n", "\r\n")).digest
    assert read_prompt(GOOD).digest != own_prompt().digest
