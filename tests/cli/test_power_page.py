"""`skilltrial power` in front of a person."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from skilltrial.cli.power_page import Asked, plan_and_print
from skilltrial.errors import SkilltrialError

USUAL = Asked(lift=0.2, n_cases=None, repeats=None, power=0.8, alpha=0.05)


def test_without_a_workspace_the_usual_values_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """24 cases with 3 runs (statistics.md §4), 80 columns at the most, no cost from nowhere."""
    plan_and_print(None, USUAL, iteration=None, as_json=False)
    out = capsys.readouterr().out
    assert "24 cases with 3 runs in each arm: 144 trials\n" in out
    assert "Without a workspace these are usual values: variance of the lift between cases 0.030" in " ".join(
        out.split()
    )
    assert "Below 8 cases only all-or-nothing effects are visible." in out
    assert "$" not in out
    assert max(map(len, out.splitlines())) <= 80


def test_a_design_is_told_what_it_can_see(capsys: pytest.CaptureFixture[str]) -> None:
    """Six cases once each: (2.015 + 0.920) sqrt(0.37 / 6) = 0.73, and with any number of runs sqrt(0.03 / 6) leaves 0.21."""
    plan_and_print(None, USUAL._replace(n_cases=6, repeats=1), iteration=None, as_json=False)
    out = capsys.readouterr().out
    assert "6 cases × 1 run find a lift from 73 points on with that chance, and one of 20" in out
    assert "with 6 cases no number of runs is enough" in out
    assert [row.split()[0] for row in out.splitlines() if row.endswith(" <")] == ["6"]


def test_all_figures_are_in_the_json(capsys: pytest.CaptureFixture[str]) -> None:
    """One object, unknown as null."""
    plan_and_print(None, USUAL, iteration=None, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["cases_needed"], told["smallest_lift"], told["rate"]) == (24, None, {"usd": None, "seconds": None})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (USUAL._replace(lift=20), "--lift is 20. Give a fraction"),
        (USUAL._replace(lift=0), "--lift is 0."),
        (USUAL._replace(power=1), "--alpha is 0.05 and --power 1."),
        (USUAL._replace(alpha=0.9), "--alpha is 0.9 and --power 0.8."),
    ],
)
def test_numbers_that_make_no_sense_are_refused(asked: Asked, said: str) -> None:
    """With exit code 2."""
    with pytest.raises(SkilltrialError) as caught:
        plan_and_print(None, asked, iteration=None, as_json=False)
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("name", ["empty", "missing"])
def test_a_folder_without_trials_is_said(tmp_path: Path, name: str) -> None:
    """The same message as that of `report`, and exit code 2 or 3 by what it is."""
    (tmp_path / "empty").mkdir()
    with pytest.raises(SkilltrialError) as caught:
        plan_and_print(tmp_path / name, USUAL, iteration=None, as_json=False)
    assert caught.value.exit_code in {2, 3}
