"""The report on a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console

from skilltrial.records.benchmark import Benchmark, Finding
from skilltrial.report.terminal import print_report


def printed(benchmark: Benchmark, *, encoding: str = "utf-8", width: int = 80, **options: Any) -> str:
    """What a console of this encoding gets."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    console = Console(file=file, width=width, **options)
    print_report(benchmark, console, report_path="iteration-1/report.html")
    file.flush()
    return raw.getvalue().decode(encoding)


def test_whole_report(unclear: Benchmark) -> None:
    """An invalid comparison, word for word: the verdict first, nothing unknown as zero, all left-out things explained."""
    lines = [text.rstrip() for text in printed(unclear).splitlines()]
    assert lines == [
        "cannot tell – this comparison answers no question about commit-style: raw",
        "difference 0 points (95 % interval −30 to +50; 1 case × 1–2 runs; builtin, model",
        "unknown).",
        "",
        "  with_skill (treatment) passes 75 % of the assertions, without_skill (baseline)",
        "  75 %: means over 1 case graded in both.",
        "  A finding makes the comparison invalid.",
        "",
        "Pass rate by case",
        "                   with_skill  without_skill  difference",
        "  case            (treatment)     (baseline)    (points)  ungraded",
        "  eval 2                 75 %           75 %           0         0",
        "  eval 10          50 % (n=1)              –           –         0",
        "  mean of 1 case         75 %           75 %           0         0",
        "",
        "Trials, and what they took",
        "                             with_skill  without_skill",
        "  figure                    (treatment)     (baseline)  difference",
        "  trials graded                  3 of 4         2 of 4           –",
        "  trials without a failure       1 of 3         1 of 2           –",
        "  tokens, mean                  unknown        unknown     unknown",
        "  time, mean                     10.0 s         10.0 s         0 %",
        "  cost, mean                    unknown        unknown     unknown",
        "",
        "Can the comparison be trusted?",
        "- invalid: 2 of 2 baseline trials had the skill; remove it from the agent's own",
        "  folders. [eval 2/without_skill/run-1, eval 2/without_skill/run-2]",
        "  (baseline-had-skill)",
        "- warning: 1 of 5 trials ran out of time. (timeouts)",
        "",
        "Excluded: 3 of 8 trials",
        "- 2 trials (harness error; 2 without_skill): 429 from the service, 3 times [eval",
        "  10/without_skill/run-1; eval 10/without_skill/run-2]",
        "- 1 trial (not run; 1 with_skill): interrupted [eval 10/with_skill/run-2]",
        "",
        "Report: iteration-1/report.html",
        "Next: mend what makes the comparison invalid (see the findings), then run the",
        "same command again.",
    ]


def test_better_in_one_sentence(better: Benchmark) -> None:
    """Word, estimate, interval, cases, repeats, agent and model stand together at the top."""
    text = " ".join(printed(better).split())
    assert text.startswith(
        "better – commit-style helps: +63 points (95 % interval +40 to +93; 6 cases × 2 runs; builtin, Qwen2.5-Coder-1.5B)."
    )


def test_worse_says_harms(worse: Benchmark) -> None:
    """Harm is named."""
    text = " ".join(printed(worse).split())
    assert text.startswith("worse – shouting harms: −100 points (95 % interval −100 to −12; 2 cases × 1 run;")


def test_no_difference_is_about_the_margin(make: Callable[..., Benchmark]) -> None:
    """It never says that there is no lift."""
    outcomes = {(1, "a"): {"with_skill": [[True]], "without_skill": [[True]]}}
    lift = {"word": "no difference beyond the margin", "low": -0.04, "high": 0.05, "visible": 0.045}
    text = " ".join(printed(make(outcomes, lift)).split())
    assert text.startswith(
        "no difference beyond the margin – if commit-style changes the pass rate, then by less than 10 points: measured 0 "
        "points"
    )


def test_one_arm_has_no_lift(one_arm: Benchmark) -> None:
    """Without a baseline the word is cannot tell, and there is no column of differences."""
    text = printed(one_arm)
    assert text.startswith("cannot tell – commit-style cannot be judged without both")
    assert "difference" not in text


def test_third_arm_is_shown_beside(make: Callable[..., Benchmark]) -> None:
    """A third arm has its columns; the difference is treatment minus baseline, whatever the arms' names and order."""
    outcomes = {(1, "a"): {"with_skill": [[True]], "without_skill": [[False]], "a_third": [[True, False]]}}
    text = printed(make(outcomes, {}))
    rows = [" ".join(row.split()) for row in text.splitlines()]
    assert "with_skill without_skill difference" in rows
    assert "case (treatment) (baseline) a_third (points) ungraded" in rows
    assert "1 a 100 % 0 % 50 % +100 0" in rows


def test_nothing_graded_at_all(make: Callable[..., Benchmark]) -> None:
    """Without any run there is no figure, and no crash."""
    told = printed(make({}, {"why": "No case has a graded trial in both arms."}))
    text = " ".join(told.split())
    assert text.startswith("cannot tell – these trials do not show whether commit-style helps or harms (no estimate;")
    assert "No case has a graded trial in both arms." in text


def test_notice_comes_right_after_the_verdict(better: Benchmark) -> None:
    """The notice on the small model cannot be overlooked."""
    paragraphs = printed(better).split("\n\n")
    assert paragraphs[1].startswith("! Runs by a small local model")


def test_ungraded_is_explained(better: Benchmark) -> None:
    """What has no verdict is counted, with its reason and the way to get one."""
    text = " ".join(printed(better).split())
    assert "Not graded: 24 of 72 assertions - 24 assertions: No judge was named; --judge MODEL" in text
    assert "Next: --judge MODEL grades the assertions in prose (24)" in text


def test_verdicts_that_no_judge_can_give_call_for_none(better: Benchmark) -> None:
    """What is ungraded for other reasons, like "skill invoked" without a skill, is no reason to ask for a judge."""
    text = printed(better.model_copy(update={"assertions": better.assertions[:-1]}))
    assert "Not graded: 24" in text
    assert "--judge MODEL grades the assertions in prose" not in text


def test_unfinished_trials_call_for_the_same_command(unclear: Benchmark) -> None:
    """The next step after an interruption is to go on."""
    text = " ".join(printed(unclear.model_copy(update={"findings": ()})).split())
    assert text.endswith("Next: run the same command again; 3 trials did not come to an end.")


def test_p_value_is_never_bare(better: Benchmark) -> None:
    """The test is told in words."""
    text = " ".join(printed(better).split())
    assert "gives a difference at least this large, either way, less than 0.1 % of the time." in text
    assert "p =" not in text
    assert "*" not in text


def test_ascii_terminal(better: Benchmark) -> None:
    """A terminal without UTF-8 gets the same report in ASCII, within 80 columns."""
    text = printed(better, encoding="ascii")
    assert "6 cases x 2" in text
    assert "5 revert-of-an-earlier-co..." in text
    assert max(map(len, text.splitlines())) <= 80


def test_pipe_has_no_escapes(better: Benchmark) -> None:
    """Not a terminal: plain text."""
    assert "\x1b" not in printed(better)


def test_colours_follow_what_is_good(better: Benchmark) -> None:
    """The verdict is green where the skill helps, and more tokens are not."""
    text = printed(better, force_terminal=True, color_system="standard")
    assert "\x1b[1;32mbetter\x1b[0m" in text
    assert re.search(r"\x1b\[33m *\+52 %\x1b", text)
    assert re.search(r"\x1b\[32m *\+100\x1b", text)


def test_hostile_texts_are_harmless_and_short(hostile: Benchmark) -> None:
    """No escape, control or override reaches the terminal, markup stays text, 100 kB lines are cut."""
    text = printed(hostile)
    assert not set(text) & {"\x1b", "\x07", "\x00", "\u202e", "\r"}
    assert r"\x1b[31m" in text
    assert "[red]markup[/red]" in text.replace("\n  ", "").replace("\n", "")
    assert "\n  </script></ti" in text
    assert len(text) < 12_000
    assert max(map(len, text.splitlines())) <= 80


def test_narrow_terminal(better: Benchmark) -> None:
    """40 columns still hold the sentence."""
    lines = printed(better, width=40).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0].startswith("better – commit-style helps")


def test_many_reasons_are_cut(unclear: Benchmark) -> None:
    """Hundreds of reasons do not flood the screen; the page has them all."""
    many = tuple(unclear.excluded[0].model_copy(update={"reason": f"reason {n}"}) for n in range(100))
    text = printed(unclear.model_copy(update={"excluded": many}))
    assert "92 further reasons, see the page" in text


def test_invalid_findings_come_first(unclear: Benchmark) -> None:
    """The order of findings is by weight."""
    note = Finding(code="strays", severity="info", message="One process was left.")
    text = printed(unclear.model_copy(update={"findings": (note, *unclear.findings)}))
    assert text.index("- invalid") < text.index("- warning") < text.index("- info")


def test_same_benchmark_same_bytes(better: Benchmark) -> None:
    """Nothing but the benchmark decides on the text."""
    assert printed(better) == printed(better)


def test_without_any_verdict_prose_calls_for_a_judge(better: Benchmark) -> None:
    """The same command again would change nothing where only a judge is missing."""
    text = " ".join(printed(better.model_copy(update={"runs": ()})).split())
    assert "Next: --judge MODEL grades the assertions in prose (24)" in text


def test_what_passes_everywhere_calls_for_harder_cases(make: Callable[..., Benchmark]) -> None:
    """More cases of the same kind would not show a lift; and a chance of 100 % is not worth a sentence."""
    outcomes = {(n, "a"): {"with_skill": [[True]], "without_skill": [[True]]} for n in range(4)}
    text = " ".join(printed(make(outcomes, {"p_value": 1.0, "low": -0.7, "high": 0.7, "visible": 0.7})).split())
    assert "Next: add harder cases: where everything passes without the skill" in text
    assert "at random" not in text


def test_what_fails_everywhere_calls_for_a_look_at_the_assertions(make: Callable[..., Benchmark]) -> None:
    """Neither arm can show anything with them."""
    outcomes = {(n, "a"): {"with_skill": [[False]], "without_skill": [[False]]} for n in range(4)}
    text = " ".join(printed(make(outcomes, {"low": -0.7, "high": 0.7, "visible": 0.7})).split())
    assert "Next: look at the assertions: none holds in either arm" in text


def test_an_interval_wider_than_the_scale_is_called_so(make: Callable[..., Benchmark]) -> None:
    """There is no smallest visible effect then."""
    outcomes = {(n, "a"): {"with_skill": [[True]], "without_skill": [[False]]} for n in range(2)}
    text = " ".join(printed(make(outcomes, {"low": -1.0, "high": 1.0, "visible": 6.7})).split())
    assert "it is wider than the scale, so that even the largest difference would be lost in it." in text


def test_one_case_still_says_what_chance_would_do(make: Callable[..., Benchmark]) -> None:
    """The test needs no interval: it is about this very case."""
    outcomes = {(1, "a"): {"with_skill": [[True]] * 3, "without_skill": [[False]] * 3}}
    text = " ".join(printed(make(outcomes, {"p_value": 0.1, "why": "One case cannot speak for others."})).split())
    assert "at least this large, either way, 10 % of the time." in text
    assert "The interval is about" not in text


def test_sentences_end_without_spaces(better: Benchmark) -> None:
    """Only tables are padded."""
    paragraphs = printed(better).split("\n\n")
    sentences = [paragraph for paragraph in paragraphs if not paragraph.startswith(("Pass rate", "Trials"))]
    assert len(sentences) == len(paragraphs) - 2
    assert not [row for row in "\n".join(sentences).splitlines() if row.endswith(" ")]


def test_a_folders_name_cannot_act_on_the_terminal(unclear: Benchmark) -> None:
    """A skill from elsewhere may lie in a folder with an escape in its name."""
    console = Console(file=io.StringIO(), width=80)
    print_report(unclear, console, report_path="a  b\x1b[2J/report.html")
    assert isinstance(console.file, io.StringIO)
    assert "Report: a  b\\x1b[2J/report.html\n" in console.file.getvalue()


@pytest.mark.parametrize(("usd", "said"), [(0.25, "$0.25"), (None, "cost unknown")])
def test_what_the_judge_took_stands_apart_from_the_trials(unclear: Benchmark, usd: float | None, said: str) -> None:
    """Below the table of what they took; nothing where none was asked."""
    meta = unclear.metadata.model_copy(update={"judge_calls": 12, "judge_usd": usd})
    assert f"the judge's calls, apart from these: 12, {said}" in printed(unclear.model_copy(update={"metadata": meta}))
    assert "apart from these" not in printed(unclear)
