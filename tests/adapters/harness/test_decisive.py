"""Ending a run once the skill was loaded."""

from __future__ import annotations

from skilltrial.adapters.harness.decisive import UntilReached


def test_it_looks_only_where_the_skill_is_named_or_just_after() -> None:
    """And then only asks; the inner watch's word stands until the skill is there."""
    looked: list[int] = []
    lines = [b"a", b"b", b'{"skill": "csv"}', b"result", b"c", b"d", b"e", b"f", b"g"]
    said: list[float | None] = []

    def reached() -> bool:
        looked.append(len(said))
        return False

    watch = UntilReached(lambda line: 10.0 if line == b"b" else None, names=("csv",), reached=reached)
    said.extend(watch(line) for line in lines)
    assert looked == [2, 3, 4, 5, 6]
    assert said == [None, 10.0, *[None] * 7]
    assert not watch.cut


def test_it_ends_the_run_once() -> None:
    """At once, and never asks again."""
    asked: list[int] = []

    def reached() -> bool:
        asked.append(1)
        return len(asked) == 2

    watch = UntilReached(lambda _line: None, names=("csv",), reached=reached)
    assert [watch(b"csv"), watch(b"SKILL.md"), watch(b"csv")] == [None, 0.0, None]
    assert (watch.cut, len(asked)) == (True, 2)


def test_naming_the_skill_over_and_over_costs_little() -> None:
    """Of 6,400 such lines 64, and then each 64th."""
    asked: list[int] = []

    def reached() -> bool:
        asked.append(1)
        return False

    watch = UntilReached(lambda _line: None, names=("csv",), reached=reached)
    for _ in range(6400):
        watch(b"csv")
    assert len(asked) == 64 + 99
