"""The parts of a comparison by themselves: labels, names, figures, ceilings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from pydantic import BaseModel

from skilltrial.aggregate.preferences import Compared, first_won, length_effect, order_consistency, preferences
from skilltrial.compare.outputs import without_names
from skilltrial.compare.pairs import Pair, labels_of
from skilltrial.compare.spending import CeilingReached, HeldModel
from skilltrial.ports import Answer, Image
from skilltrial.records.budget import Ceilings
from skilltrial.records.comparison import BlindComparison, ComparisonFacts, Winner
from skilltrial.records.trial import TrialKey

ARMS = ("new", "old")


def test_labels_are_a_fair_coin_that_falls_the_same_again() -> None:
    """Of 400 pairs about half have the first arm as A; another seed falls otherwise; the order of the arms says nothing."""
    pairs = [Pair(f"case {n}", 1, ARMS) for n in range(400)]
    first = [labels_of(pair, 1)["A"].arm == "new" for pair in pairs]
    assert 160 <= sum(first) <= 240, "four standard deviations"
    assert first == [labels_of(pair, 1)["A"].arm == "new" for pair in pairs]
    assert first != [labels_of(pair, 2)["A"].arm == "new" for pair in pairs]
    assert first == [labels_of(Pair(pair.case_id, 1, ("old", "new")), 1)["A"].arm == "new" for pair in pairs]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CSV-Sum's way, csv-sum.", "guide's way, guide."),
        ("the file csv-sum-2 of csv-sum", "the file guide-2 of guide"),
        ("csv-summary and my_csv-sums", "csv-summary and my_csv-sums"),
        ("new_skill before new_skill_2", "guide before guide"),
    ],
)
def test_names_are_taken_out_as_whole_words(text: str, expected: str) -> None:
    """However they are written; a longer name before a shorter one that it begins with."""
    assert without_names(text, {"csv-sum", "new_skill", "new_skill_2"}) == expected


def _compared(
    case: str, verdicts: tuple[Winner, Winner], *, chars: tuple[int, int] = (5, 5), repeat: int = 1
) -> Compared:
    """A is of the arm new; `verdicts` are those with A first and with B first."""
    told = [{"first": first, "winner": winner} for first, winner in zip("AB", verdicts, strict=True)]
    facts = ComparisonFacts.model_validate({"case_id": case, "orders": told, "n_chars": {"A": chars[0], "B": chars[1]}})
    winner: Winner = verdicts[0] if verdicts[0] == verdicts[1] else "TIE"
    key = TrialKey(case_id=case, arm="new", repeat=repeat)
    return Compared(
        BlindComparison(winner=winner, skilltrial=facts), {"A": key, "B": key.model_copy(update={"arm": "old"})}
    )


def test_win_rate_order_and_place_over_cases() -> None:
    """Case x: won and tied by the order, 3/4; case y: lost, 0. Orders agree 1/2 and 1; the first won 3 of 4, and 1 of 2."""
    found = [_compared("x", ("A", "A")), _compared("x", ("A", "B"), repeat=2), _compared("y", ("B", "B"))]
    (arm,) = preferences(found, [ARMS], {})
    assert (arm.win_rate, arm.n_comparisons) == (0.375, 3)
    assert [(case.case_id, case.wins, case.ties, case.losses) for case in arm.cases] == [("x", 1, 1, 0), ("y", 0, 0, 1)]
    steady, first = order_consistency(found, {}), first_won(found, {})
    assert (steady.n, steady.of, steady.mean) == (2, 3, 0.75)
    assert (first.n, first.of, first.mean) == (4, 6, (3 / 4 + 1 / 2) / 2)


def test_a_winner_is_preferred_where_the_whole_interval_is_above_a_half() -> None:
    """Eight cases won are beyond doubt; two are not."""
    eight, two = (preferences([_compared(f"c{n}", ("A", "A")) for n in range(many)], [ARMS], {})[0] for many in (8, 2))
    assert (eight.preferred, two.preferred) == ("new", None)
    assert two.low is not None
    assert two.low <= 0.5


def test_correlation_with_length() -> None:
    """Log ratios 1, -1 and 2 (times log 2), A won all: 2 / sqrt(6 * 3), and the longer one won 2 of 3."""
    sizes = [(3, 1), (1, 3), (7, 1)]
    found = [_compared(f"c{n}", ("A", "A"), chars=chars) for n, chars in enumerate(sizes)]
    effect = length_effect(found, {}, seed=1)
    assert effect.r == pytest.approx(2 / math.sqrt(18))
    assert (effect.longer_won.n, effect.longer_won.of) == (2, 3)
    mirrored = [_compared(f"c{n}", ("B", "B"), chars=(chars[1], chars[0])) for n, chars in enumerate(sizes)]
    assert length_effect(mirrored, {}, seed=1).r == pytest.approx(effect.r), "which one is called A does not matter"
    assert length_effect(found[:2], {}, seed=1).r is None, "two say nothing"


class _Said(BaseModel):
    text: str = ""


class _Meter:
    """A model whose calls take 10 tokens and a cent each; it remembers how many ran at a time."""

    name = "meter"
    sees_images = False

    def __init__(self, *, usd: float | None = 0.01) -> None:
        self.n_calls = self.running = self.most = 0
        self._usd = usd

    async def ask(self, *, system: str, prompt: str, output: type[Any], images: Sequence[Image] = ()) -> Answer[Any]:  # noqa: ARG002 - of the port
        self.n_calls += 1
        self.running += 1
        self.most = max(self.most, self.running)
        await anyio.sleep(0.001)
        self.running -= 1
        return Answer(value=output(), model="m", input_tokens=6, output_tokens=4, cost_usd=self._usd)


def _asked(meter: _Meter, ceilings: Ceilings, n: int) -> int:
    """How many of so many calls at once were refused."""
    held, refused = HeldModel(meter, ceilings), []

    async def one() -> None:
        try:
            await held.ask(system="", prompt="", output=_Said)
        except CeilingReached as reached:
            refused.append(str(reached))

    async def main() -> None:
        async with anyio.create_task_group() as group:
            for _ in range(n):
                group.start_soon(one)

    anyio.run(main)
    return len(refused)


def test_calls_at_once_stay_below_a_ceiling() -> None:
    """35 tokens hold three calls of ten; the first runs alone, since its size is not known; then what fits, together."""
    meter = _Meter()
    assert _asked(meter, Ceilings(max_tokens=35), 8) == 5
    assert (meter.n_calls, meter.most) == (3, 2)
    meter = _Meter()
    assert _asked(meter, Ceilings(max_cost_usd=0.05), 4) == 0
    assert _asked(_Meter(), Ceilings(), 4) == 0


def test_what_is_not_told_cannot_be_held() -> None:
    """After one call of unknown cost nothing more begins; tokens are held all the same."""
    meter = _Meter(usd=None)
    assert _asked(meter, Ceilings(max_cost_usd=5.0), 4) == 3
    assert meter.n_calls == 1
    assert _asked(_Meter(usd=None), Ceilings(max_tokens=20), 4) == 2
