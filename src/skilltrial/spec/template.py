"""A first eval file for a skill, with places to fill in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill

MARK = "FILL IN:"
"""Begins every place that its author has to write; `validate` looks for it."""

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_HEADING = re.compile(r"^#{1,3}\s+(.+?)\s*#*\s*$")
_MAX_HEADINGS = 12
_CHARS = 300


def template(skill: Skill, *, n_cases: int = 3) -> dict[str, Json]:
    """An eval file that can be read, with `n_cases` cases; from two on, the last is one that the skill is not for.

    `$comment` keys explain; readers leave them alone.
    """
    parts = headings(skill.body)
    positive = [_typical(skill), _with_file(), *(_further(number, parts) for number in range(3, n_cases))]
    cases = positive[: max(n_cases - 1, 1)] + ([_negative()] if n_cases > 1 else [])
    return {"$comment": _remarks(skill, parts), "skill_name": skill.name, "evals": cases}


def headings(body: str) -> list[str]:
    """The first headings of a Markdown text, without those in code."""
    found: list[str] = []
    in_code = False
    for line in body.splitlines():
        if _FENCE.match(line):
            in_code = not in_code
        elif not in_code and (match := _HEADING.match(line)):
            found.append(match[1][:80])
    return found[:_MAX_HEADINGS]


def _remarks(skill: Skill, parts: Sequence[str]) -> list[str]:
    remarks = [
        f"A first eval file for the skill {skill.name!r}. Fill in every place that begins with '{MARK}'.",
        "`skilltrial validate` on the skill lists the cases that still have such places.",
        "An assertion is a statement for the judge, or an object with a type that code checks.",
        "A good one is specific, can be looked up, says one thing, and would fail for an agent without the skill.",
    ]
    if parts:
        remarks.append(f"What the skill covers, by its headings: {', '.join(parts)}.")
    return remarks


def _typical(skill: Skill) -> dict[str, Json]:
    about = " ".join((skill.description or "nothing, which you should mend first").split())[:_CHARS]
    return {
        "$comment": "The request that the skill was made for. An answer in words: one statement, one check of the answer.",
        "id": "typical",
        "prompt": f"{MARK} what a user would ask, in a user's words, without the skill's name. The skill says: {about}",
        "expected_output": f"{MARK} what a good result looks like. For people and the judge; the agent never sees it.",
        "assertions": [
            f"{MARK} one thing that a good answer has, like: Each entry says what changed in the words of a user.",
            {
                "type": "answer_matches",
                "text": f"{MARK} what the pattern shows, like: The answer names the total.",
                "pattern": rf"{MARK} a regular expression, like: \b4,210\.50\b",
            },
        ],
    }


def _with_file() -> dict[str, Json]:
    return {
        "$comment": "The same with a file to work on and a file as the result. An entry of files may also be a path.",
        "id": "with-a-file",
        "prompt": f"{MARK} a request about input.txt, with the result written to result.md.",
        "files": [
            {"path": "input.txt", "content": f"{MARK} what the file holds; make it small, and like a real one.\n"}
        ],
        "assertions": [
            {
                "type": "file_matches",
                "text": f"{MARK} what the pattern shows, like: The report has a heading for each region.",
                "path": "result.md",
                "pattern": f"{MARK} a regular expression, like: (?m)^## North$",
            },
            f"{MARK} one more thing that a good result has.",
        ],
    }


def _further(number: int, parts: Sequence[str]) -> dict[str, Json]:
    part = f" It could be about: {parts[(number - 2) % len(parts)]}." if parts else ""
    return {
        "id": f"case-{number}",
        "prompt": f"{MARK} request {number}: other words, another input, an edge of what the skill covers.{part}",
        "assertions": [f"{MARK} one thing that a good result has."],
    }


def _negative() -> dict[str, Json]:
    return {
        "$comment": "A near miss: it shares words with the skill's subject, and the skill is not for it.",
        "id": "not-for-this-skill",
        "prompt": f"{MARK} a request next to the skill's subject, for which it should not be loaded.",
        "skill_should_trigger": False,
        "assertions": [f"{MARK} one thing that a good answer to this request has."],
    }
