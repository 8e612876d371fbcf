"""The report in Markdown."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skilltrial.records.benchmark import Benchmark
from skilltrial.report.markdown import escape, paragraph, render


def test_head(better: Benchmark) -> None:
    """Title, then the sentence with its word."""
    lines = render(better).splitlines()
    assert lines[0] == "# commit-style on trial, iteration 1"
    assert lines[2] == (
        "**better** – commit-style helps: +63 points (95 % interval +40 to +93; 6 cases × 2 runs; "
        "builtin, Qwen2.5-Coder-1.5B)."
    )


def test_case_table(unclear: Benchmark) -> None:
    """Cases in natural order; what was not graded is a dash."""
    text = render(unclear)
    table = text[text.index("| case |") :].splitlines()[:5]
    assert table == [
        "| case | with_skill (treatment) | without_skill (baseline) | difference (points) | ungraded |",
        "|---|---:|---:|---:|---:|",
        "| eval 2 | 75 % | 75 % | 0 | 0 |",
        "| eval 10 | 50 % (n=1) | – | – | 0 |",
        "| **mean of 1 case** | **75 %** | **75 %** | **0** | **0** |",
    ]


def test_all_parts_are_there(unclear: Benchmark, better: Benchmark) -> None:
    """The same content as on the terminal."""
    text = render(unclear)
    assert "- **invalid** 2 of 2 baseline trials had the skill" in text
    assert "<details><summary>Excluded: 3 of 8 trials</summary>" in text
    assert "| tokens, mean | unknown | unknown | unknown |" in text
    assert "> **Note:** Runs by a small local model" in render(better)
    assert "| seed | 20260102 |" in text


def test_a_model_that_no_trial_told_did_not_serve(better: Benchmark) -> None:
    """The one that was asked for says nothing about it."""
    assert better.metadata.executor_model == "Qwen2.5-Coder-1.5B"
    assert "| model that served | unknown |" in render(better)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a | b", r"a \| b"),
        ("`code`", r"\`code\`"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("[a](http://x)", r"\[a\](http://x)"),
        ("![i](http://x)", r"!\[i\](http://x)"),
        ("**bold** ~~x~~ $m$", r"\*\*bold\*\* \~\~x\~\~ \$m\$"),
        ("with_skill _it_", r"with_skill \_it\_"),
        ("back\\slash", r"back\\slash"),
        ("@someone", "@\u2060someone"),
    ],
)
def test_escape(text: str, shown: str) -> None:
    """Nothing that Markdown, HTML or GitHub would act on is left."""
    assert escape(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# title", r"\# title"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("---", r"\---"),
        ("+63 points", "+63 points"),
    ],
)
def test_paragraph(text: str, shown: str) -> None:
    """A text at the start of a line opens no heading, list or rule."""
    assert paragraph(text) == shown


def test_hostile_texts(hostile: Benchmark) -> None:
    """No tag, no control character, no broken table row."""
    text = render(hostile)
    assert "<script" not in text
    assert "<img" not in text
    assert not set(text) & {"\x1b", "\x00", "\u202e", "\r"}
    assert len(text) < 20_000
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    assert {row.replace(r"\|", "").count("|") for row in rows} == {3, 5, 6}


def test_nobody_is_called_and_no_issue_told() -> None:
    """A number sign before a number is one in the thread of that issue as well."""
    assert escape("#1 and org/repo#23, # 4") == "#\u20601 and org/repo#\u206023, # 4"


def test_details_close(hostile: Benchmark, several: Benchmark) -> None:
    """Each opens and closes on lines of its own, whatever the texts in it say."""
    for text in (render(hostile), render(several)):
        lines = text.splitlines()
        marks = [line for line in lines if "details" in line and line.startswith("<")]
        assert len(marks) > 2
        assert all(line.startswith("<details><summary>") for line in marks[::2])
        assert set(marks[1::2]) == {"</details>"}


def test_no_more_than_a_comment_holds(make: Callable[..., Benchmark], hostile_text: str) -> None:
    """Of 3,000 cases some rows are left out, and it says how many; the short parts are whole."""
    name = f"{hostile_text}{'&' * 60}"
    outcomes = {
        (number, f"{number}{name}"): {"with_skill": [[True]], "without_skill": [[False]]} for number in range(3_000)
    }
    text = render(make(outcomes, {}))
    assert 55_000 < len(text) <= 60_000
    start = text.index("<details><summary>Pass rate by case</summary>")
    table = text[start : text.index("</details>", start)]
    kept = sum(row.startswith("| ") for row in table.splitlines()) - 2
    assert f"{3_000 - kept:,} of these 3,000 lines are left out here; `report.html` has all." in table
    assert "| **mean of 3,000 cases** |" in table
    assert "| seed | 20260102 |" in text


def test_arms_ratios_and_words(several: Benchmark) -> None:
    """What the trials say of each arm stands open, above all that is folded."""
    text = render(several)
    top = text[: text.index("<details>")]
    assert "| with_skill | 75 % | +25 | −100 to +100 | 60 % | cannot tell |" in top
    assert "| old_skill | 63 % | +13 | −40 to +65 | 60 % | cannot tell |" in top
    assert "- harms in 1 of 4 cases: 3 revert (−100; probability of harm 98 %)" in top
    assert "with_skill takes 1.50 times the tokens (1.40 to 1.61)" in top
    assert "\nNext: " in top


def test_same_benchmark_same_bytes(better: Benchmark) -> None:
    """Nothing but the benchmark decides on the text."""
    assert render(better) == render(better)
