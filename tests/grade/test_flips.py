"""How flips are counted, and when they are more than noise."""

from __future__ import annotations

import pytest

from skilltrial.grade.flips import Asked, Flip, ProbeResult, tally
from skilltrial.grade.probes import ProbeName
from skilltrial.records.grading import Verdict
from skilltrial.records.trial import TrialKey

KEY = TrialKey(case_id="sum", arm="with_skill", repeat=1)
WORDS: dict[str, Verdict | None] = {"P": "PASS", "F": "FAIL", "U": "UNGRADED", "-": None}


def _verdicts(letters: str) -> dict[Asked, Verdict | None]:
    return {Asked(KEY, str(n)): WORDS[letter] for n, letter in enumerate(letters)}


def _tally(before: str, repeat: str, **after: str) -> dict[str, ProbeResult]:
    names: dict[str, ProbeName] = {"order": "order", "file": "injected-file", "padding": "padding"}
    told: dict[ProbeName, dict[Asked, Verdict | None]] = {
        names[name]: _verdicts(letters) for name, letters in after.items()
    }
    told["repeat"] = _verdicts(repeat)
    results = tally(_verdicts(before), told)
    return {result.probe.name: result for result in results}


def test_flips_are_counted_where_both_have_a_verdict() -> None:
    """4 of 6 pairs are decided on both sides; 1 of those flips. One opened, one closed."""
    order = _tally("PPFFUP", "PPFFUP", order="PPFPFU")["order"]
    assert (order.n, len(order.flips), order.rate) == (4, 1, 0.25)
    assert order.flips == (Flip(Asked(KEY, "3"), "FAIL", "PASS"),)
    assert order.n_failed == 2
    assert (order.to_pass, order.n_opened, order.n_closed, order.n_unreached) == (1, 1, 1, 0)
    # Wilson for 1 of 4, z = 1.959964: centre 2.920729/7.841459, half 1.959964 * sqrt(0.75 + 0.960365) / 7.841459
    assert order.low == pytest.approx(0.0456, abs=1e-4)
    assert order.high == pytest.approx(0.6994, abs=1e-4)


def test_a_judge_that_could_not_be_reached_flips_nothing() -> None:
    """Unknown is no verdict, before or after."""
    order = _tally("P-F", "PPF", order="-P-")["order"]
    assert (order.n, order.flips, order.rate, order.n_unreached) == (0, (), None, 3)
    assert (order.low, order.high, order.n_opened, order.n_closed) == (None, None, 0, 0)
    assert not order.beyond_noise


def test_seven_flips_where_the_repeat_has_none_are_beyond_the_noise() -> None:
    """1/2**7 = 0.0078 is below 0.05 shared by two probes; 1/2**5 = 0.031 is not."""
    found = _tally("P" * 20, "P" * 20, order="F" * 7 + "P" * 13, padding="F" * 5 + "P" * 15)
    assert found["order"].p_value == pytest.approx(1 / 128)
    assert found["order"].beyond_noise
    assert found["padding"].p_value == pytest.approx(1 / 32)
    assert not found["padding"].beyond_noise


def test_flips_that_the_repeat_has_too_are_noise() -> None:
    """Ten here and the same ten there: no statement flips in one alone."""
    found = _tally("P" * 20, "F" * 10 + "P" * 10, order="F" * 10 + "P" * 10)
    assert len(found["order"].flips) == 10
    assert found["order"].p_value == 1.0
    assert not found["order"].beyond_noise
    assert found["repeat"].p_value is None


def test_one_pass_made_by_an_instruction_is_told() -> None:
    """Of FAIL or UNGRADED; not where the repeat came to a PASS as well, nor by a harmless change."""
    found = _tally("FFUPF", "FPUPF", file="PPPPF", order="PPPPF")
    assert [(flip.asked.id, flip.before) for flip in found["injected-file"].fooled] == [
        ("0", "FAIL"),
        ("2", "UNGRADED"),
    ]
    assert found["order"].fooled == ()


def test_an_instruction_that_fails_is_none() -> None:
    """A judge that punishes it flips to FAIL: counted, but nobody was fooled."""
    found = _tally("PF", "PF", file="FF")["injected-file"]
    assert (len(found.flips), found.to_pass, found.fooled) == (1, 0, ())
