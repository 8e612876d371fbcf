"""Comparisons, an analysis and trigger results in a workspace, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HOSTILE = "<img src=x onerror=alert(1)>\u202egnp"


def side(score: float) -> dict[str, Any]:
    """A rubric with the same score everywhere."""
    return {
        "content": {"correctness": score, "completeness": score},
        "structure": {"organization": score},
        "content_score": score,
        "structure_score": score,
        "overall_score": 2 * score,
    }


def comparison_file(winner: str, **more: Any) -> dict[str, Any]:
    """A comparison in skill-creator's form."""
    return {
        "winner": winner,
        "reasoning": f"A is whole. {HOSTILE}",
        "rubric": {"A": side(5), "B": side(2)},
        "output_quality": {"A": {"score": 9, "strengths": ["Complete"], "weaknesses": []}, "B": {"score": "5"}},
        "expectation_results": {
            "A": {"passed": 1, "total": 1, "pass_rate": 1.0, "details": [{"text": "has a header", "passed": True}]}
        },
        **more,
    }


def analysis_file(**more: Any) -> dict[str, Any]:
    """An analysis in skill-creator's form."""
    return {
        "comparison_summary": {
            "winner": "A",
            "winner_skill": "skill",
            "loser_skill": "old",
            "comparator_reasoning": "x",
        },
        "winner_strengths": ["Clear steps"],
        "loser_weaknesses": ["Vague words"],
        "instruction_following": {"winner": {"score": 9, "issues": ["None"]}, "loser": {"score": 6, "issues": []}},
        "improvement_suggestions": [
            {"priority": "low", "category": "tools", "suggestion": "Later", "expected_impact": "Little"},
            {"priority": "high", "category": "instructions", "suggestion": "Say the steps", "expected_impact": "Much"},
        ],
        "transcript_insights": {"winner_execution_pattern": "read, do", "loser_execution_pattern": "guess"},
        **more,
    }


def facts(case: str, *, first: str, second: str, chars: tuple[int, int] = (10, 20)) -> dict[str, Any]:
    """Ours of a comparison: the winner when A was first, and when B was."""
    orders = [{"first": "A", "winner": first}, {"first": "B", "winner": second}]
    return {"case_id": case, "orders": orders, "judge": "m", "n_chars": {"A": chars[0], "B": chars[1]}}


def lay_comparisons(workspace: Path) -> None:
    """Three comparisons of two cases with the key, and an analysis of the first with quotes.

    Of csv-header: A (with the skill) won once, a tie once. Of cache-lock: B (with the skill) won.
    """
    folder = workspace / "iteration-1/comparisons"
    put(folder / "comparison-1.json", comparison_file("A", skilltrial=facts("csv-header", first="A", second="A")))
    put(folder / "comparison-2.json", comparison_file("TIE", skilltrial=facts("csv-header", first="A", second="B")))
    put(folder / "comparison-10.json", comparison_file("B", skilltrial=facts("cache-lock", first="B", second="B")))
    arms = ("with_skill", "without_skill")
    key = {
        name: {label: {"case_id": case, "arm": arm, "repeat": 1} for label, arm in zip("AB", order, strict=True)}
        for name, case, order in (
            ("comparison-1", "csv-header", arms),
            ("comparison-2", "csv-header", arms),
            ("comparison-10", "cache-lock", arms[::-1]),
        )
    }
    put(folder / "key.json", {"schema_version": 1, "labels": key})
    quote = {"claim": "winner_strengths.0", "source": "winner skill SKILL.md", "text": "First read", "found": True}
    missing = {"claim": "loser_weaknesses.0", "source": "loser transcript step 2", "text": "Hm", "found": False}
    ours = {"comparison": "comparison-1", "quotes": [quote, missing]}
    put(folder / "analysis-1.json", analysis_file(skilltrial=ours))


def loop_file() -> dict[str, Any]:
    """`run_loop`'s, of two descriptions."""

    def row(query: str, *, should: bool, triggers: int) -> dict[str, Any]:
        good = (triggers >= 2) is should
        return {
            "query": query,
            "should_trigger": should,
            "trigger_rate": triggers / 3,
            "triggers": triggers,
            "runs": 3,
            "pass": good,
        }

    train = [row("make a table", should=True, triggers=3), row(f"sing {HOSTILE}", should=False, triggers=2)]
    test = [row("fill the sheet", should=True, triggers=1), row("what time is it", should=False, triggers=0)]
    first = {"iteration": 1, "description": "old words", "train_passed": 0, "train_total": 2, "test_passed": 1}
    second = {"iteration": 2, "description": "new words", "train_passed": 1, "train_total": 2, "test_passed": 1}
    return {
        "exit_reason": "max_iterations (2)",
        "best_description": "new words",
        "history": [
            {**first, "test_total": 2, "train_results": train, "test_results": test},
            {**second, "test_total": 2, "train_results": train, "test_results": test},
        ],
    }


def put(path: Path, value: Any) -> None:
    """Write JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))
