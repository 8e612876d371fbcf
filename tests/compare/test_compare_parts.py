"""The parts of a comparison by themselves: labels, names, figures, ceilings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from comparison_bench import Bench
from pydantic import BaseModel
from scipy import special

from skilltrial.aggregate.preferences import (
    Compared,
    first_won,
    length_effect,
    order_consistency,
    preferences,
    strengths,
)
from skilltrial.compare.outputs import without_names
from skilltrial.compare.pairs import Pair, arms_to_compare, labels_of, pairs_of
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


def test_pairs_are_of_the_same_case_and_repeat(tmp_path: Path) -> None:
    """An arm that ran less often makes fewer pairs; baselines are counted against, wherever they stand in the plan."""
    messages = {
        "x": {"without_skill": ["a"], "with_skill": ["a", "b"]},
        "y": {"without_skill": ["a"], "with_skill": ["a"]},
    }
    plan = Bench(tmp_path).fill(messages)
    pairs = pairs_of(plan, arms_to_compare(plan, ()))
    assert pairs == [Pair(case, 1, ("with_skill", "without_skill")) for case in ("x", "y")]
    assert all(
        one.repeat == other.repeat and one.case_id == other.case_id for one, other in (each.keys for each in pairs)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CSV-Sum's way, csv-sum.", "guide's way, guide."),
        ("the file csv-sum-2 of csv-sum", "the file guide-2 of guide"),
        ("csv-summary and my_csv-sums", "csv-summary and my_csv-sums"),
        ("new_skill before new_skill_2", "guide before guide"),
        ("csv\u2011sum, csv_sum and new-skill", "guide, guide and guide"),
        ("a csv sum; re-use", "a csv sum; re-use"),
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


def test_the_interval_by_hand() -> None:
    """Cases a and b are one family that won and tied: 3/4. With three more won there are four families, and the mean is 15/16.

    v = (0.046875 + 2 x 15/256) / 5 = 0.0328125, so n* = 4 x 15/256 / v = 7.142857, of which 6.696429 are won.
    """
    found = [_compared("a", ("A", "A")), _compared("b", ("A", "B"))]
    found += [_compared(case, ("A", "A")) for case in ("c", "d", "e")]
    (arm,) = preferences(found, [ARMS], {"a": "sums", "b": "sums"})
    assert arm.win_rate == 15 / 16
    assert arm.low == pytest.approx(special.betaincinv(6.696429, 1.446429, 0.025), abs=1e-6)
    assert arm.high == pytest.approx(special.betaincinv(7.696429, 0.446429, 0.975), abs=1e-6)


def test_ties_alone_prefer_nobody() -> None:
    """Four cases of ties: v = 2/4 / 5, so n* = 10, of which 5 are won; nothing is known of the length."""
    found = [_compared(f"c{n}", ("A", "B"), chars=(9, 1)) for n in range(4)]
    (arm,) = preferences(found, [ARMS], {})
    assert (arm.win_rate, arm.preferred) == (0.5, None)
    assert arm.low == pytest.approx(special.betaincinv(5, 6, 0.025))
    assert arm.high == pytest.approx(special.betaincinv(6, 5, 0.975))
    effect = length_effect(found, {}, seed=1)
    assert (effect.r, effect.longer_won.of, effect.longer_won.mean) == (None, 0, None)
    assert order_consistency(found, {}).mean == 0.0


@pytest.mark.parametrize("n_cases", [4, 6, 8, 10, 15])
def test_a_judge_without_a_preference_seldom_seems_to_have_one(n_cases: int) -> None:
    """Exactly, for cases that are won as often as lost: at most 5 % of sets are called a preference."""
    called = sum(math.comb(n_cases, won) for won in range(n_cases + 1) if _preferred(won, n_cases - won))
    assert called / 2**n_cases <= 0.05


def _preferred(n_won: int, n_lost: int) -> bool:
    found = [_compared(f"w{n}", ("A", "A")) for n in range(n_won)] + [
        _compared(f"l{n}", ("B", "B")) for n in range(n_lost)
    ]
    (arm,) = preferences(found, [ARMS], {})
    return arm.preferred is not None


def test_one_pair_has_no_interval() -> None:
    """Nor have two pairs of one case: other cases may differ."""
    for found in ([_compared("x", ("A", "A"))], [_compared("x", ("A", "A")), _compared("x", ("A", "A"), repeat=2)]):
        (arm,) = preferences(found, [ARMS], {})
        assert (arm.win_rate, arm.low, arm.high, arm.preferred) == (1.0, None, None, None)
        assert (order_consistency(found, {}).low, length_effect(found, {}, seed=1).r) == (None, None)
    (none,) = preferences([], [ARMS], {})
    assert (none.win_rate, none.n_comparisons) == (None, 0)


def _of_arms(case: str, winner: str | None, loser: str, *, tied_with: str = "") -> Compared:
    """The winner is called A; without one both orders said TIE."""
    one, said = (winner, "A") if winner else (tied_with, "TIE")
    told = [{"first": first, "winner": said} for first in "AB"]
    facts = ComparisonFacts.model_validate({"case_id": case, "orders": told})
    keys = {label: TrialKey(case_id=case, arm=arm, repeat=1) for label, arm in (("A", one), ("B", loser))}
    return Compared(BlindComparison.model_validate({"winner": said, "skilltrial": facts}), keys)  # type: ignore[arg-type]


def test_three_arms_in_a_circle_are_equal() -> None:
    """Each beat one and lost to one: no strength differs from 0, whoever is called A."""
    circle = [_of_arms("x", "a", "b"), _of_arms("x", "b", "c"), _of_arms("x", "c", "a")]
    assert [each.log_strength for each in strengths(circle, ["a", "b", "c"], {}, seed=1)] == [
        pytest.approx(0, abs=1e-9)
    ] * 3


def test_ties_pull_strengths_together() -> None:
    """Arm a beat b and c, who tied: b and c are equal, a above. Davidson's scores: with half of each outcome added, a has won
    2 (1 + 1/2 + 1/4) = 3.5 of its 5 comparisons, as the model expects of it.
    """
    found = [_of_arms("x", "a", "b"), _of_arms("x", "a", "c"), _of_arms("x", None, "c", tied_with="b")]
    a, b, c = (each.log_strength for each in strengths(found, ["a", "b", "c"], {}, seed=1))
    assert b == pytest.approx(c)
    assert a == pytest.approx(-2 * b)
    # Ties are 2 * 1/2 + 3/2 = 2.5 of 7.5. Unknown are the strength and the tie: both equations must hold.
    lead = math.exp((a - b) / 2)

    def shares(tie: float) -> tuple[float, float]:
        total = lead + 1 / lead + tie
        return lead / total, tie / total

    low, high = 0.0, 100.0
    for _ in range(60):  # the tie that gives a its score
        tie = (low + high) / 2
        win, draw = shares(tie)
        low, high = (tie, high) if 5 * (win + draw / 2) > 3.5 else (low, tie)
    assert 5 * shares(low)[1] + 2.5 * low / (2 + low) == pytest.approx(2.5, abs=1e-6)


def test_an_arm_without_a_comparison_has_no_scale() -> None:
    """Nothing links it: no strength is made up, and its win rate is unknown; the others' is told."""
    found = [_of_arms(f"c{n}", "a", "b") for n in range(3)]
    assert strengths(found, ["a", "b", "c"], {}, seed=1) == ()
    rates = preferences(found, [("a", "b"), ("a", "c"), ("b", "c")], {})
    assert [each.win_rate for each in rates] == [1.0, None, None]


def test_the_shorter_ones_win() -> None:
    """Log ratios 1, 1 and 2 (times log 2) of what won to what lost, turned round: -4 / sqrt(6 * 3)."""
    sizes = [(0, 1), (1, 3), (0, 3)]
    found = [_compared(f"c{n}", ("A", "A"), chars=chars) for n, chars in enumerate(sizes)]
    effect = length_effect(found, {}, seed=1)
    assert effect.r == pytest.approx(-4 / math.sqrt(18))
    assert (effect.longer_won.n, effect.longer_won.of) == (0, 3)


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
