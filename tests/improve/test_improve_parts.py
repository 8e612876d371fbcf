"""Split, halving, verdicts, checks of what a model wrote, and patches."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.improve.halving import kept, rungs
from skilltrial.improve.patch import patch_of
from skilltrial.improve.proposal import path_fault, proposal_fault, version_files
from skilltrial.improve.split import split_cases
from skilltrial.improve.verdict import result_of, standing_of
from skilltrial.records.improvement import ScorePair
from skilltrial.records.suite import Case

PARENT = {"SKILL.md": b"one\n", "scripts/a.sh": b"a\n", "logo.png": b"\x89\xff\x00"}


def _case(n: int, *, family: str | None = None, should: bool = True) -> Case:
    return Case(id=f"c{n}", prompt=f"p{n}", family=family, skill_should_trigger=should)


def test_families_are_never_torn_and_classes_are_spread() -> None:
    """Over 50 seeds: 12 families of which 3 have two cases; of 4 negatives each part has at least one."""
    cases = [_case(n, family=f"f{n % 12}" if n % 12 < 3 else None, should=n % 12 > 3) for n in range(15)]
    for seed in range(50):
        parts = {each.id: each.part for each in split_cases(cases, seed=seed, where="evals.json")}
        assert len(parts) == 15
        assert all(parts[f"c{n}"] == parts[f"c{n + 12}"] for n in range(3))
        assert {parts[case.id] for case in cases if not case.skill_should_trigger} == {"train", "select", "holdout"}


def test_the_split_is_the_same_for_a_seed_and_another_for_another() -> None:
    """10 cases: 3, 3 and 4."""
    cases = [_case(n) for n in range(10)]
    one, same, other = (split_cases(cases, seed=seed, where="") for seed in (1, 1, 2))
    assert one == same != other
    assert Counter(each.part for each in one) == {"train": 3, "select": 3, "holdout": 4}


def test_too_few_cases_are_refused_with_numbers() -> None:
    """Eight cases of seven families are one too few; eight families are enough."""
    cases = [_case(n, family="same" if n < 2 else None) for n in range(8)]
    with pytest.raises(SpecError, match="7 independent cases of 8 cases; 8 are needed: 2 to learn") as error:
        split_cases(cases, seed=1, where="evals.json")
    assert error.value.hint.startswith("Add 1.")
    parts = Counter(each.part for each in split_cases([_case(n) for n in range(8)], seed=1, where=""))
    assert parts == {"train": 2, "select": 2, "holdout": 4}


@pytest.mark.parametrize(
    ("n", "runs", "expected"),
    [(1, 3, (3,)), (2, 3, (3,)), (3, 3, (1, 3)), (4, 4, (2, 4)), (8, 4, (1, 2, 4)), (8, 1, (1,))],
)
def test_the_steps_of_the_halving(n: int, runs: int, expected: tuple[int, ...]) -> None:
    """ceil(log2 K) steps, each twice the one before, none without a further repeat."""
    assert rungs(n, runs) == expected


def test_half_is_kept_rounded_up_and_in_the_end_the_first_of_the_best() -> None:
    """+0.5, +1, +1; unknown comes last."""
    standings = [
        standing_of(name, "v0", pairs, iteration=1, repeats=1)
        for name, pairs in (
            ("a", [ScorePair(case_id="1", version=0.5, incumbent=0)]),
            ("b", [ScorePair(case_id="1", version=1, incumbent=0)]),
            ("c", []),
            ("d", [ScorePair(case_id="1", version=1, incumbent=0)]),
        )
    ]
    assert kept(standings, is_last=False) == ("b", "d")
    assert kept(standings, is_last=True) == ("b",)
    assert kept(standings[:3], is_last=False) == ("a", "b")


@pytest.mark.parametrize(
    ("new", "old", "families", "doubt", "expected"),
    [
        ([1, 1, 1, 1], [0, 0, 0, 0], 0, "", "won"),
        ([1, 1, 1], [0, 0, 0], 0, "", "tie"),
        ([1, 1, 1, 1], [0, 0, 0, 0], 2, "", "tie"),
        ([0, 0, 0, 0], [1, 1, 1, 1], 0, "", "lost"),
        ([1, 1, 1, 1], [0, 0, 0, 0], 0, "The skill was never offered.", "tie"),
        ([1], [0], 0, "", "tie"),
    ],
)
def test_won_is_an_interval_above_zero(
    new: list[float], old: list[float], families: int, doubt: str, expected: str
) -> None:
    """Four of four cases: 1 − 3.182·√(0.36/4) = 0.045. Three, or two of them of one family: below zero."""
    pairs = [
        ScorePair(case_id=str(n), family="f" if n < families else None, version=a, incumbent=b)
        for n, (a, b) in enumerate(zip(new, old, strict=True))
    ]
    assert result_of(standing_of("v1", "v0", pairs, iteration=1, repeats=1, doubt=doubt)) == expected


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/x", "a/../b", "a\\b", "", "a//b", ".git/config", "evals/evals.json", "Evals/x", "x/evals/y", "a\nb", "C:/x",
     "s-workspace/x", "node_modules/x", "a ", "a.", "-rf", "a/.hidden", "é.md", "x" * 201],
)  # fmt: skip
def test_paths_that_no_version_may_write(path: str) -> None:
    """Out of the folder, hidden, into evals, or of a kind that a system takes otherwise."""
    assert path_fault(path)
    assert proposal_fault([(path, "x")], [], PARENT) == path_fault(path)


@pytest.mark.parametrize(
    ("written", "deleted", "says"),
    [
        ([("SKILL.md", "one\n")], [], "nothing is different"),
        ([], ["SKILL.md"], "cannot be deleted"),
        ([], ["none.md"], "is no file of the skill"),
        ([("a.md", "x"), ("a.md", "y")], [], "named twice"),
        ([("a.md", "x")], ["a.md"], "is no file of the skill"),
        ([("skill.md", "x")], [], "differ in case alone"),
        ([("scripts", "x")], [], "a file and a folder"),
        ([("a.md", "x\0")], [], "zero byte"),
        ([("a.md", "x" * 1_000_001)], [], "1000000 are the most"),
        ([(f"a{n}.md", "x") for n in range(101)], [], "100 more than before"),
    ],
)
def test_what_is_no_version(written: list[tuple[str, str]], deleted: list[str], says: str) -> None:
    """Each with its reason."""
    assert says in proposal_fault(written, deleted, PARENT)


@pytest.mark.parametrize("is_repository", [True, False])
def test_git_takes_patches_of_binary_files_and_crlf(tmp_path: Path, *, is_repository: bool) -> None:
    """A binary file goes, another becomes a text, a text that is no UTF-8 becomes one; one line of a file with CRLF changes."""
    before = {
        "crlf.md": b"a\r\nb\r\nc\r\n",
        "gone.png": bytes(range(256)) * 9,
        "latin.md": b"caf\xe9\n",
        "text.bin": b"\x89\xff\x00",
    }
    after = {"crlf.md": b"a\r\nB\r\nc\r\n", "latin.md": "café\n".encode(), "text.bin": b"now text\n"}
    for path, data in before.items():
        (tmp_path / path).write_bytes(data)
    if is_repository:
        subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    patch = patch_of(before, after)
    subprocess.run(["git", "apply", "-"], input=patch.encode(), cwd=tmp_path, check=True)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir() if each.is_file()} == after


def test_what_is_not_named_is_carried_over_and_git_takes_the_patch(tmp_path: Path) -> None:
    """Changed, made (without a last line feed, with a space in its name), deleted; the binary file stays."""
    written = [("SKILL.md", "two\r\n"), ("references/a b.md", "x\n\fy")]
    assert proposal_fault(written, ["scripts/a.sh"], PARENT) == ""
    after = version_files(written, ["scripts/a.sh"], PARENT)
    assert after == {"SKILL.md": b"two\r\n", "references/a b.md": b"x\n\fy", "logo.png": PARENT["logo.png"]}
    for path, data in PARENT.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(data)
    patch = patch_of(PARENT, after).encode()
    subprocess.run(["git", "apply", "-"], input=patch, cwd=tmp_path, check=True)
    found = {str(each.relative_to(tmp_path)): each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    assert found == after
