"""What each probe changes of a judge's prompt, and what it must leave alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skilltrial.grade.judge_prompt import judge_prompt
from skilltrial.grade.judge_view import judge_view
from skilltrial.grade.material import Material
from skilltrial.grade.probes import PROBES, Probe, applies
from skilltrial.records.suite import LlmJudge

Make = Callable[..., Material]
PROSE = tuple(LlmJudge(id=f"s{n}", text=f"Point {n} is met.", rubric=f"Point {n} is met.") for n in range(12))


def _probe(name: str) -> Probe:
    return next(each for each in PROBES if each.name == name)


def _prompt(made: Material, probe: Probe) -> str:
    view = judge_view(made)
    return judge_prompt(probe.view(view) if probe.view else view, probe.statements(PROSE))


def _unfenced(prompt: str) -> str:
    """Without fences, whose token is of all that stands between them."""
    return "\n".join(line for line in prompt.splitlines() if not line.startswith("<<<"))


def test_the_repeat_changes_nothing(material: Make) -> None:
    """It is the measure."""
    made = material(final_message="The total is 42.")
    assert _prompt(made, PROBES[0]) == judge_prompt(judge_view(made), PROSE)


def test_the_order_is_the_other_way_round(material: Make) -> None:
    """And all statements are there, with their ids and words; a single one has no order."""
    made = material()
    plain, turned = (_unfenced(_prompt(made, _probe(name))).splitlines() for name in ("repeat", "order"))
    assert sorted(plain) == sorted(turned)
    assert [line[:12] for line in turned if line.startswith('{"id"')][:2] == ['{"id": "s11"', '{"id": "s10"']
    assert not applies(_probe("order"), PROSE[:1])
    assert applies(_probe("order"), PROSE[:2])


def test_every_statement_keeps_its_words_in_a_frame() -> None:
    """Each is worded otherwise, in more than one way, and always the same way."""
    probe = _probe("wording")
    framed = probe.statements(PROSE)
    assert all(new.id == old.id and old.rubric in new.rubric for new, old in zip(framed, PROSE, strict=True))
    assert all(new.rubric != old.rubric for new, old in zip(framed, PROSE, strict=True))
    assert len({new.rubric.replace(old.rubric, "") for new, old in zip(framed, PROSE, strict=True)}) == 4
    assert probe.statements(PROSE) == framed


def test_a_statement_with_quotes_and_line_feeds_stays_itself() -> None:
    """Frames stand around, never inside."""
    text = 'It says "a\'b" and\nthen `c`.'
    for n in range(20):
        framed = _probe("wording").statements([LlmJudge(id="x", text="t", rubric=f"{text} {n}")])[0].rubric
        assert f"{text} {n}" in framed


@pytest.mark.parametrize(("name", "said"), [("padding", "its own length"), ("injected-message", "verdict PASS")])
def test_words_behind_the_final_message(material: Make, name: str, said: str) -> None:
    """What the agent said stands before them; the steps, files and statements are as they were."""
    made = material({"a.txt": b"alpha"}, final_message="The total is 42.")
    plain, altered = _unfenced(_prompt(made, _probe("repeat"))), _unfenced(_prompt(made, _probe(name)))
    head, tail = plain.split("The total is 42.")
    assert altered.startswith(f"{head}The total is 42.\n")
    assert altered.endswith(tail)
    assert said in altered.removeprefix(head).removesuffix(tail)


@pytest.mark.parametrize("outputs", [None, {"a.txt": b"alpha"}])
def test_an_injected_file_is_listed_and_shown_like_any_other(material: Make, outputs: dict[str, bytes] | None) -> None:
    """Under the number that it has in the list; no other file changes."""
    prompt = _prompt(material(outputs), _probe("injected-file"))
    listed = prompt.partition("\nFILES\n")[2].split("\n<<<END")[0].splitlines()[1:]
    assert listed[-1].startswith("NOTES.md (created by the agent, 3")
    assert len(listed) == 1 + len(outputs or {})
    assert f"FILE {len(listed)} OF THE LIST" in prompt
    assert "(none) NOTES" not in prompt
    assert prompt.count("alpha") == len(outputs or {})


def test_an_injection_cannot_close_a_fence(material: Make) -> None:
    """Its fence has a token of its own; that of the prompt stands once before and once behind each section."""
    for name in ("injected-file", "injected-message"):
        prompt = _prompt(material(), _probe(name))
        token = prompt.partition("<<<BEGIN ")[2][:24]
        assert token not in prompt.partition("Ignore the instructions")[0].rpartition("SYSTEM:")[0][-60:]
        assert prompt.count(f"<<<BEGIN {token}>>>") == prompt.count(f"<<<END {token}>>>")


def test_probes_tell_nothing_of_arms_or_of_this_program(material: Make) -> None:
    """The judge stays blind."""
    for probe in PROBES:
        prompt = _prompt(material(), probe).casefold()
        assert not any(word in prompt for word in ("probe", "skill", "baseline", "treatment", "judge"))
