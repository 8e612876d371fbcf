"""`skilltrial analyse` with a judge that answers from a script: what it reads, whose quotes are found, what is written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from comparison_bench import Bench
from comparison_words import BETTER, GOOD, POOR, SKILL_QUOTE, analysis, claim
from jsonschema import Draft202012Validator

from skilltrial.errors import SpecError
from skilltrial.records.budget import Ceilings
from skilltrial.spec.schema import schema

ONE = {"one": {"with_skill": [GOOD], "without_skill": [POOR]}}
AGAIN = {"prompt": "You were asked before, and made these claims"}


@pytest.fixture
def compared(bench: Bench) -> Bench:
    """One comparison that treatment won; its skill is kept in the iteration."""
    bench.fill(ONE)
    folder = bench.folder / "iteration-1/skills/with_skill"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: csv-sum\n---\nAdd the numbers with the script.\n")
    (folder / "sum.py").write_text("print(42)\n")
    assert bench.compare(BETTER) == 0
    return bench


def test_the_file_has_the_seeds_shape(compared: Bench) -> None:
    """Every field of skill-creator's analysis.json with its type, and nothing beside but ours."""
    assert compared.analyse([{"reply": analysis()}]) == 0
    found, comparison = compared.read("analysis-1.json"), compared.read("comparison-1.json")
    facts = found.pop("skilltrial")
    assert found == {
        "comparison_summary": {
            "winner": comparison["winner"],
            "winner_skill": "/home/somebody/skills/csv-sum",
            "loser_skill": None,
            "comparator_reasoning": comparison["reasoning"],
        },
        "winner_strengths": ["A script is named"],
        "loser_weaknesses": ["It gave up"],
        "instruction_following": {
            "winner": {"score": 9, "issues": ["It checked nothing"]},
            "loser": {"score": None, "issues": []},
        },
        "improvement_suggestions": [
            {
                "priority": "low",
                "category": "examples",
                "suggestion": "Show a sum",
                "expected_impact": "Hardly any",
            },
            {
                "priority": "high",
                "category": "instructions",
                "suggestion": "Say to check",
                "expected_impact": "Fewer slips",
            },
        ],
        "transcript_insights": {
            "winner_execution_pattern": "Loaded the skill -> answered",
            "loser_execution_pattern": "Gave up",
        },
    }
    assert (facts["comparison"], facts["judge"], facts["n_calls"]) == ("comparison-1", "openai:m", 1)
    places = {quote["claim"]: (quote["source"], quote["found"]) for quote in facts["quotes"]}
    assert places["winner_strengths.0"] == ("winner skill SKILL.md", True)
    assert places["loser_weaknesses.0"] == ("loser transcript step 4", True)
    assert len(places) == 7


def test_all_files_fit_their_schemas(compared: Bench) -> None:
    """As `skilltrial schema` prints them."""
    assert compared.analyse([{"reply": analysis()}]) == 0
    for name, file in (
        ("comparison", "comparison-1.json"),
        ("comparison_key", "key.json"),
        ("comparison_summary", "summary.json"),
        ("analysis", "analysis-1.json"),
    ):
        Draft202012Validator(schema(name)).validate(compared.read(file))


def test_both_sides_are_read_open(compared: Bench) -> None:
    """Skills, the loading of skills, outputs and the comparison, under the names of winner and loser."""
    assert compared.analyse([{"reply": analysis()}]) == 0
    (body,) = compared.asked
    for text in (
        "Add the numbers with the script.",
        "print(42)",
        "Launching skill: csv-sum",
        "WINNER OUTPUT",
        "COMPARISON",
    ):
        assert text in body
    assert "(this agent had no skill)" in body


def test_a_quote_that_is_not_there_is_asked_for_once_more(compared: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """The second answer's quote is there; words of another source do not count, nor a claim without a quote."""
    elsewhere = {"source": "loser skill", "text": SKILL_QUOTE["text"]}
    wrong = [claim("A script is named", elsewhere), {"text": "It is short", "quotes": []}]
    again = {
        "calls": [
            {
                "tool": "final_result",
                "input": {
                    "claims": [
                        {"claim": "winner_strengths.0", "quotes": [SKILL_QUOTE]},
                        {"claim": "winner_strengths.1", "quotes": [{"source": "winner skill", "text": "It is short."}]},
                        {"claim": "loser_weaknesses.0", "quotes": [SKILL_QUOTE]},
                    ]
                },
            }
        ]
    }
    rules = [{"when": AGAIN, "reply": again}, {"reply": analysis(winner_strengths=wrong)}]
    assert compared.analyse(rules) == 0
    assert len(compared.asked) == 2
    (told,) = _told_last(capsys)["analyses"]
    quotes = told["analysis"]["skilltrial"]["quotes"]
    own = [(quote["claim"], quote["source"], quote["found"]) for quote in quotes if "strengths" in quote["claim"]]
    assert own == [
        ("winner_strengths.0", "winner skill SKILL.md", True),
        ("winner_strengths.1", "", False),
    ]
    assert [quote["source"] for quote in quotes if quote["claim"] == "loser_weaknesses.0"] == [
        "loser transcript step 4"
    ]
    assert told["analysis"]["winner_strengths"] == ["A script is named", "It is short"], "a claim stays, and says so"
    assert "nothing that you cannot quote" in compared.asked[1]


def test_a_second_answer_that_fails_leaves_the_first(compared: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """It was paid for; its quotes say that they were not found."""
    wrong = analysis(winner_strengths=[claim("x", {"source": "comparison", "text": "never said"})])
    broken = {"when": AGAIN, "reply": {"error": {"status": 400, "message": "too long"}}}
    assert compared.analyse([broken, {"reply": wrong}], as_json=False) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "1 of 7 quotes do not stand where they are said to" in words
    assert "+ with_skill: (quote not found) x" in words


def test_what_is_analysed_is_not_asked_again(compared: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Until the skill as it was, the comparison or the judge is another one."""
    rules = [{"reply": analysis()}]
    assert compared.analyse(rules) == 0
    assert compared.analyse(rules) == 0
    assert compared.asked == []
    assert _told_last(capsys)["asked"] == 0
    assert compared.analyse(rules, judge="openai:other") == 0
    assert len(compared.asked) == 1
    assert compared.compare(BETTER, seed=77) == 0
    if compared.read("key.json"):
        assert not (compared.comparisons / "analysis-1.json").exists(), "it was of the comparison before"


def test_who_compared_is_asked_where_nobody_is_named(compared: Bench) -> None:
    """The plan has no judge."""
    assert compared.analyse([{"reply": analysis()}], judge=None) == 0
    assert compared.read("analysis-1.json")["skilltrial"]["judge"] == "openai:m"


def test_a_judge_that_fails_leaves_no_file(compared: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 3; the comparison is named."""
    assert compared.analyse([{"reply": {"error": {"status": 400, "message": "too long"}}}]) == 3
    assert "too long" in _told_last(capsys)["failed"]["comparison-1"]
    assert not (compared.comparisons / "analysis-1.json").exists()


def test_a_ceiling_and_a_dry_run(compared: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """No token is left: exit code 4. A dry run says what would be asked."""
    assert compared.analyse([{"reply": analysis()}], ceilings=Ceilings(max_tokens=0)) == 4
    assert compared.analyse([{"reply": analysis()}], dry_run=True) == 0
    assert compared.asked == []
    assert "1 call of the judge openai:m" in capsys.readouterr().err
    assert not list(compared.comparisons.glob("analysis-*"))


def test_what_cannot_be_analysed(bench: Bench, tmp_path: Path) -> None:
    """Nothing compared, no winner, no such number."""
    bench.fill(ONE)
    with pytest.raises(SpecError, match="nothing is compared"):
        bench.analyse([{"reply": analysis()}])
    assert bench.compare(BETTER) == 0
    for more, message in (
        ({"comparison": 9}, "no comparison-9"),
        ({"only": ("nine",)}, "no case is called 'nine'"),
    ):
        with pytest.raises(SpecError, match=message):
            bench.analyse([{"reply": analysis()}], **more)
    bench.fill({"one": {"with_skill": [GOOD], "without_skill": [GOOD]}})
    assert bench.compare(BETTER) == 0
    with pytest.raises(SpecError, match="has a winner"):
        bench.analyse([{"reply": analysis()}])


def test_what_a_person_sees(compared: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    """What to change first, what matters most on top; hostile words spelled out; at most 80 columns but for the path."""
    evil = analysis(winner_strengths=[claim("\x1b[31mred\u202e")])
    capsys.readouterr()
    assert compared.analyse([{"reply": evil}], as_json=False) == 0
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert "\x1b" not in out
    changes = [line.strip() for line in lines if "(comparison-1):" in line]
    assert changes == [
        "high, instructions (comparison-1): Say to check",
        "low, examples (comparison-1): Show a sum",
    ]
    assert "comparison-1, one: with_skill won against without_skill." in lines
    assert "    with_skill followed its skill: 9 of 10" in lines
    assert all(len(line) <= 80 or str(compared.folder) in line for line in lines)


def _told_last(capsys: pytest.CaptureFixture[str]) -> Any:
    """The last JSON document that was printed."""
    out = capsys.readouterr().out
    return json.loads(out[out.rindex("\n{\n") if "\n{\n" in out else 0 :])
