"""People's verdicts, beside the judge's on the same assertions of the same trials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from skilltrial.aggregate.census import Census
from skilltrial.grade.digest import ASSERTION, JUDGE, TRIAL
from skilltrial.records.grading import AssertionResult
from skilltrial.records.journal import PersonVerdict
from skilltrial.records.trial import TrialKey

Said = Literal["PASS", "FAIL"]


class Looked(NamedTuple):
    """What a person looks at: a trial and a statement, as they were then."""

    trial: str
    assertion: str


class Stratum(NamedTuple):
    """Labels are drawn at random within these."""

    arm: str
    judge: Said


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedItem:
    """An assertion of a trial that a judge passed or failed."""

    key: TrialKey
    result: AssertionResult
    verdict: Said
    position: int
    """Its place among the assertions in prose of its trial, from 0."""
    n_chars: int
    """Of the final message."""
    looked: Looked | None
    """None in gradings without digests, of older versions and of other tools."""
    judge: str
    """Digest of who judged, how often, with which prompt."""
    judge_name: str
    family: str | None = None

    @property
    def cluster(self) -> tuple[bool, str]:
        """Items of one are not independent: those of a case, or of a family of cases."""
        return (self.family is not None, self.family or self.key.case_id)

    @property
    def stratum(self) -> Stratum:
        """Where it is drawn from."""
        return Stratum(self.key.arm, self.verdict)


class Truth(NamedTuple):
    """What people say of an item."""

    verdict: Said | None
    """Of most of them; None where they are unsure or divided."""
    drawn: bool
    """One of them was asked about it by a draw that was made for this judge."""
    drawn_before: bool
    """The same for another judge, or another prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """People's verdicts on the judged items of an iteration."""

    truths: Mapping[Looked, Truth]
    votes: Mapping[str, Mapping[Looked, Said]]
    """What each person says, without what they are unsure of."""
    n_outdated: int
    n_sighted: int


def judged_items(census: Census) -> tuple[JudgedItem, ...]:
    """All of them, in the order of cases, arms, repeats and assertions."""
    items: list[JudgedItem] = []
    for entry in census.entries:
        parts = entry.grading.parts
        prose = [result for result in entry.grading.results if result.type == "llm_judge"]
        for position, result in enumerate(prose):
            if result.grader != "judge" or result.verdict == "UNGRADED":
                continue
            digests = parts.get(TRIAL), parts.get(f"{ASSERTION}{result.id}")
            items.append(
                JudgedItem(
                    key=entry.key,
                    result=result,
                    verdict=result.verdict,
                    position=position,
                    n_chars=len(entry.trial.final_message or ""),
                    looked=Looked(digests[0], digests[1]) if digests[0] and digests[1] else None,
                    judge=parts.get(JUDGE, ""),
                    judge_name=entry.grading.judge.model if entry.grading.judge else "the judge",
                    family=entry.case.family,
                )
            )
    return tuple(items)


def match_labels(items: Sequence[JudgedItem], said: Sequence[PersonVerdict], *, iteration: int) -> Labels:
    """What people say of these items: their last word each, blind, on what is still the same.

    What was said of a trial holds in every iteration that took it over. Of the verdicts that no longer fit, those on this iteration
    are counted.
    """
    there = {item.looked: item for item in items if item.looked is not None}
    last: dict[tuple[str, Looked], PersonVerdict] = {}
    outdated: dict[tuple[str, TrialKey, str], PersonVerdict] = {}
    drawn: set[Looked] = set()
    drawn_before: set[Looked] = set()
    n_sighted = 0
    for verdict in said:
        looked = Looked(verdict.trial_digest, verdict.assertion_digest)
        if looked not in there:
            if verdict.iteration == iteration:
                outdated[verdict.by, verdict.key, verdict.assertion] = verdict
        elif verdict.blind:
            last[verdict.by, looked] = verdict
            if verdict.drawn_for:
                (drawn if verdict.drawn_for == there[looked].judge else drawn_before).add(looked)
        else:
            n_sighted += 1
    again = {(by, there[looked].key, there[looked].result.id) for by, looked in last}
    votes: dict[str, dict[Looked, Said]] = {}
    for (by, looked), verdict in last.items():
        own = votes.setdefault(by, {})
        if verdict.verdict != "UNSURE":
            own[looked] = verdict.verdict
    looked_at = dict.fromkeys(looked for _by, looked in last)
    truths = {
        looked: Truth(
            _most(own[looked] for own in votes.values() if looked in own), looked in drawn, looked in drawn_before
        )
        for looked in looked_at
    }
    return Labels(truths=truths, votes=votes, n_outdated=len(outdated.keys() - again), n_sighted=n_sighted)


def _most(said: Iterable[Said]) -> Said | None:
    counts = Counter(said)
    passes, fails = counts["PASS"], counts["FAIL"]
    if passes == fails:
        return None
    return "PASS" if passes > fails else "FAIL"
