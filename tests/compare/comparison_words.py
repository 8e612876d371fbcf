"""What judges of comparisons say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

GOOD, POOR = "It is 42, as asked.", "I could not do it."
CONTENT = ("correctness", "completeness", "accuracy")
STRUCTURE = ("organization", "formatting", "usability")
RUBRIC: dict[str, Any] = {
    "when": {"prompt": "Write the rubric"},
    "reply": {
        "calls": [
            {
                "tool": "final_result",
                "input": {
                    "content": [{"name": name, "meaning": f"5: {name}."} for name in CONTENT],
                    "structure": [{"name": name, "meaning": f"5: {name}."} for name in STRUCTURE],
                },
            }
        ]
    },
}
GOOD_FIRST = r"OUTPUT 1: FINAL MESSAGE\n<<<BEGIN \w+>>>\nIt is 42"
GOOD_SECOND = r"OUTPUT 2: FINAL MESSAGE\n<<<BEGIN \w+>>>\nIt is 42"


def output(score: int, word: str) -> dict[str, Any]:
    """What a judge says of one output."""
    return {
        "content": [{"name": name, "score": score} for name in CONTENT],
        "structure": [{"name": name, "score": score} for name in STRUCTURE],
        "score": 2 * score,
        "strengths": [f"{word} is strong"],
        "weaknesses": [f"{word} is weak"],
    }


def said(
    winner: str, first: int = 5, second: int = 2, *, statements: Sequence[Any] = (), **more: Any
) -> dict[str, Any]:
    """A reply to a comparison: the scores of the output shown first, and of the other."""
    value = {
        "output_1": output(first, "Output 1"),
        "output_2": output(second, "Output 2"),
        "reasoning": f"Output {winner} does what was asked; output 1 came first.",
        "winner": winner,
        "statements": list(statements),
    }
    return {"calls": [{"tool": "final_result", "input": value}], **more}


FIRST = [RUBRIC, {"reply": said("1")}]
"""A judge that always prefers what it sees first."""
BETTER = [
    RUBRIC,
    {"when": {"prompt": f"(?s){GOOD_FIRST}.*{GOOD_SECOND}"}, "reply": said("TIE", 4, 4)},
    {"when": {"prompt": GOOD_FIRST}, "reply": said("1", 5, 2)},
    {"when": {"prompt": GOOD_SECOND}, "reply": said("2", 2, 5)},
    {"reply": said("TIE", 2, 2)},
]
"""A judge that prefers what begins with "It is 42", and neither where both or none do."""
SKILL_QUOTE = {"source": "winner skill", "text": "Add the numbers with the script."}
STEP_QUOTE = {"source": "loser transcript", "text": "I could not do it."}


def claim(text: str, *quotes: dict[str, str]) -> dict[str, Any]:
    """With the skill's quote, where none is given."""
    return {"text": text, "quotes": list(quotes or (SKILL_QUOTE,))}


def analysis(**changes: Any) -> dict[str, Any]:
    """A reply in which each quote is where it is said to be."""
    value = {
        "winner_strengths": [claim("A script is named")],
        "loser_weaknesses": [claim("It gave up", STEP_QUOTE)],
        "winner_following": {"score": 9, "issues": [claim("It checked nothing")]},
        "loser_following": {"score": None, "issues": []},
        "suggestions": [
            {
                "priority": "low",
                "category": "examples",
                "suggestion": "Show a sum",
                "expected_impact": "Hardly any",
                "quotes": [SKILL_QUOTE],
            },
            {
                "priority": "high",
                "category": "instructions",
                "suggestion": "Say to check",
                "expected_impact": "Fewer slips",
                "quotes": [SKILL_QUOTE],
            },
        ],
        "winner_execution_pattern": claim("Loaded the skill -> answered"),
        "loser_execution_pattern": claim("Gave up", STEP_QUOTE),
    }
    return {"calls": [{"tool": "final_result", "input": {**value, **changes}}]}
