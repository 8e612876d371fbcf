"""Several votes on one assertion -> one result: most of a judge's samples, then most of the judges; never a guess at a tie."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from skilltrial.records.grading import AssertionResult, Confidence, Verdict, Vote
from skilltrial.records.suite import LlmJudge

_TEXT = 2_000
_SURE: tuple[Confidence, ...] = ("LOW", "MEDIUM", "HIGH")
_DECIDED: tuple[Verdict, ...] = ("PASS", "FAIL")


def result_of(assertion: LlmJudge, votes: Sequence[Vote]) -> AssertionResult:
    """The verdict that more than half of the judges have; a judge has the one that more than half of its samples have.

    UNGRADED is no opinion, and counts against a majority as an absent judge does. The evidence is that of the first vote for the
    verdict, and the confidence the lowest of those.
    """
    by_judge = {name: [vote for vote in votes if vote.judge == name] for name in dict.fromkeys(v.judge for v in votes)}
    opinions: dict[str, Verdict] = {name: _most([vote.verdict for vote in own]) for name, own in by_judge.items()}
    verdict = _most(list(opinions.values()))
    agreeing = [vote for vote in votes if vote.verdict == verdict]
    split = _split(by_judge, opinions) if len(votes) > 1 else ""
    if verdict == "UNGRADED" and any(vote.verdict != "UNGRADED" for vote in votes):
        evidence = f"there is no majority: {split}."
    else:
        evidence = f"{_words(agreeing[0])}{f' ({split})' if split else ''}"
    return AssertionResult(
        id=assertion.id,
        text=assertion.text,
        type=assertion.type,
        verdict=verdict,
        evidence=evidence,
        confidence=None if verdict == "UNGRADED" else _lowest(agreeing),
        grader="judge" if any(vote.answered for vote in votes) else "none",
        votes=tuple(votes),
    )


def _most(verdicts: Sequence[Verdict]) -> Verdict:
    for verdict in _DECIDED:
        if verdicts.count(verdict) * 2 > len(verdicts):
            return verdict
    return "UNGRADED"


def _split(by_judge: dict[str, list[Vote]], opinions: dict[str, Verdict]) -> str:
    """`openai:a PASS (2 of 3), openai:b FAIL (3 of 3)`."""
    parts: list[str] = []
    for name, votes in by_judge.items():
        said = Counter(vote.verdict for vote in votes)
        if len(votes) == 1:
            parts.append(f"{name} {opinions[name]}")
        elif opinions[name] == "UNGRADED" and said["UNGRADED"] < len(votes):
            parts.append(f"{name} {', '.join(f'{n} {each}' for each, n in sorted(said.items()))}")
        else:
            parts.append(f"{name} {opinions[name]} ({said[opinions[name]]} of {len(votes)})")
    return "; ".join(parts)


def _words(vote: Vote) -> str:
    quote = f" — “{vote.quote}”" if vote.quote else ""
    text = f"{vote.reason}{quote}".removeprefix(" — ")[:_TEXT]
    place = f" ({vote.place})" if vote.place else ""
    return f"{text}{place}" if text else "the judge gave no reason."


def _lowest(votes: Sequence[Vote]) -> Confidence | None:
    said = {vote.confidence for vote in votes}
    return next((each for each in _SURE if each in said), None)
