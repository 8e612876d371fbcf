"""The skills of a folder as runs, before anything is run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from skilltrial.errors import PlanError, SpecError, StoreError
from skilltrial.operations.portfolio import collect_skills, read_portfolio
from skilltrial.request import RunRequest
from skilltrial.wiring import open_store


def skill(folder: Path, *, evals: bool = True) -> None:
    """A folder with a SKILL.md, and an eval file that nobody reads here."""
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {folder.name}\ndescription: x\n---\n")
    if evals:
        (folder / "evals/evals.json").write_text("{}")


def ask(folder: Path) -> RunRequest:
    """What a person asks of each."""
    return RunRequest(skill=folder, env={})


def test_every_skill_has_a_workspace_of_its_own(tmp_path: Path) -> None:
    """Named after the skill, or after its path where two have the same name."""
    for place in ("p/x", "q/x", "y"):
        skill(tmp_path / "all" / place)
    found = collect_skills(tmp_path / "all", tmp_path / "w", ask=ask)
    places = [cell.request.workspace for cell in found.cells.values()]
    assert list(found.cells) == ["p/x", "q/x", "y"]
    assert len(set(places)) == 3
    assert places[2] == tmp_path / "w/cells/y"
    assert [place.name[:4] for place in places[:2] if place] == ["p-x-", "q-x-"]


def test_a_skill_whose_settings_are_wrong_has_its_error_in_its_row(tmp_path: Path) -> None:
    """And the others are run."""
    skill(tmp_path / "a")
    skill(tmp_path / "b")

    def ask_one(folder: Path) -> RunRequest:
        if folder.name == "a":
            raise SpecError("this is no TOML.")
        return ask(folder)

    found = collect_skills(tmp_path, None, ask=ask_one)
    (failed,) = [row.run for row in found.rows if row.run]
    assert (failed.name, failed.error, failed.exit_code) == ("a", "this is no TOML.", 2)
    assert list(found.cells) == ["b"]


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"only": ("a",)}, "--only"),
        ({"until_decided": True}, "--until-decided"),
        ({"evals": Path("e.json")}, "--evals"),
        ({"baseline": "../v1"}, "a skill's folder"),
        ({"arms": ("with_skill", "old_skill=../v1")}, "a skill's folder"),
    ],
)
def test_what_belongs_to_one_skill_is_refused(given: dict[str, object], named: str, tmp_path: Path) -> None:
    """It would be wrong for all but one."""
    skill(tmp_path / "a")
    with pytest.raises(PlanError, match=f"{named}.*folder of several"):
        collect_skills(tmp_path, None, ask=lambda folder: replace(ask(folder), **given))  # pyright: ignore[reportArgumentType] - of a table


@pytest.mark.parametrize("baseline", ["git:v1", "iteration:1", "none"])
def test_a_baseline_that_every_skill_has_is_taken(baseline: str, tmp_path: Path) -> None:
    """An earlier commit, an earlier iteration, no skill."""
    skill(tmp_path / "a")
    found = collect_skills(tmp_path, None, ask=lambda folder: replace(ask(folder), baseline=baseline))
    assert [cell.request.baseline for cell in found.cells.values()] == [baseline]


def test_without_any_eval_file_there_is_nothing_to_run(tmp_path: Path) -> None:
    """One message with the way on; where one skill has some, the others are listed."""
    skill(tmp_path / "a", evals=False)
    skill(tmp_path / "b", evals=False)
    with pytest.raises(SpecError, match=r"none of the 2 skills here has an eval file.*skilltrial init"):
        collect_skills(tmp_path, None, ask=ask)
    skill(tmp_path / "c")
    found = collect_skills(tmp_path, None, ask=ask)
    assert [row.not_run[:13] for row in found.rows] == ["no eval file.", "no eval file.", ""]


def test_a_portfolio_of_another_form_is_no_defect(tmp_path: Path) -> None:
    """One message, and how to see the runs."""
    store = open_store(tmp_path, write=False)
    assert read_portfolio(store) is None
    (tmp_path / "portfolio.json").write_text("{}")
    with pytest.raises(StoreError, match="this portfolio cannot be read"):
        read_portfolio(store)
