"""What is read before a search, and what is written after one."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from skilltrial.errors import SpecError
from skilltrial.operations.optimising import OptimiseRequest, apply_description, patch_of, prepare_search, read_searches
from skilltrial.records.optimisation import Candidate, Optimisation
from skilltrial.request import RunRequest

SKILL = "---\nname: tables\ndescription: Makes tables.\n---\nBody without a last line end"
NEW = "Makes tables: of all kinds."


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """A skill with 20 queries."""
    folder = tmp_path / "tables"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    queries = [{"id": f"q{n}", "query": f"query {n}", "should_trigger": n % 2 == 0} for n in range(20)]
    (folder / "evals/triggers.json").write_text(json.dumps(queries))
    return folder


def a_search(number: int = 1, **changes: Any) -> Optimisation:
    """One that found a better description."""
    values: dict[str, Any] = {
        "skill_name": "tables",
        "number": number,
        "created_at": "now",
        "digest": "d",
        "test_digest": "t",
        "skill_file_digest": f"sha256:{hashlib.sha256(SKILL.encode()).hexdigest()}",
        "queries_path": "p",
        "queries": (),
        "runs": 3,
        "threshold": 0.5,
        "rounds": 5,
        "patience": 2,
        "harness": None,
        "model": None,
        "rewriter": "m",
        "step": "finished",
        "word": "better",
        "why": "right on all",
        "best": 1,
        "candidates": (
            Candidate(number=0, description="Makes tables."),
            Candidate(number=1, round=1, description=NEW),
        ),
        **changes,
    }
    return Optimisation(**values)


def lay(workspace: Path, state: Optimisation) -> None:
    """As the command does."""
    folder = workspace / f"optimise/search-{state.number}"
    folder.mkdir(parents=True)
    (folder / "optimise.json").write_text(state.model_dump_json())


def request(skill: Path, **changes: Any) -> OptimiseRequest:
    """Of a person."""
    run = RunRequest(skill=skill, env={}, seed=changes.pop("seed", 1))
    return OptimiseRequest(run=run, rewriter="m", **changes)


def test_the_newest_search_is_applied(skill: Path, tmp_path: Path) -> None:
    """Ten is newer than nine; a second time nothing changes; all but the one line stays."""
    lay(tmp_path / "w", a_search(9, word="cannot tell"))
    lay(tmp_path / "w", a_search(10))
    assert [each.number for each in read_searches(tmp_path / "w/optimise")] == [10, 9]
    for _ in range(2):
        assert apply_description(skill, tmp_path / "w").number == 10
        assert (skill / "SKILL.md").read_text() == SKILL.replace("Makes tables.", f"'{NEW}'")


@pytest.mark.parametrize(
    ("states", "says"),
    [
        ([], "there is no search"),
        ([a_search(word="cannot tell", why="too close")], "no better description: cannot tell, too close"),
        ([a_search(step="stopped", word=None)], "has not come to its end"),
        ([a_search(1), a_search(2, word="worse")], "no better description: worse"),
    ],
)
def test_nothing_else_is_applied(skill: Path, tmp_path: Path, states: list[Optimisation], says: str) -> None:
    """Not what is unfinished, undecided or worse, and not an older search in place of the newest."""
    for state in states:
        lay(tmp_path / "w", state)
    with pytest.raises(SpecError, match=says):
        apply_description(skill, tmp_path / "w")
    assert (skill / "SKILL.md").read_text() == SKILL


def test_the_patch_of_a_file_without_a_last_line_end() -> None:
    """Git wants that said."""
    assert patch_of(a_search(), SKILL).splitlines() == [
        "--- a/SKILL.md",
        "+++ b/SKILL.md",
        "@@ -1,5 +1,5 @@",
        " ---",
        " name: tables",
        "-description: Makes tables.",
        f"+description: '{NEW}'",
        " ---",
        " Body without a last line end",
        "\\ No newline at end of file",
    ]


def test_another_request_is_another_search(skill: Path) -> None:
    """Whatever changes what comes out has part in the digest; ceilings and canaries do not."""
    same = prepare_search(request(skill))
    assert prepare_search(request(skill, canaries=False)).digest == same.digest
    others = [{"seed": 2}, {"rounds": 3}, {"patience": 1}, {"threshold": 0.6}, {"holdout": 0.3}]
    digests = {prepare_search(request(skill, **changes)).digest for changes in others}
    (skill / "SKILL.md").write_text(SKILL + ".")
    digests.add(prepare_search(request(skill)).digest)
    assert len(digests - {same.digest}) == len(others) + 1


def test_few_test_queries_are_said(skill: Path) -> None:
    """Eight are enough to say nothing of them; six are not."""
    assert prepare_search(request(skill)).notices == ()
    (notice,) = prepare_search(request(skill, holdout=0.3)).notices
    assert notice.startswith("There are 6 test queries")
