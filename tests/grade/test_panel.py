"""Several judges, several samples, and answers that are kept: how often somebody is asked, and what counts."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import anyio
import pytest

from skilltrial.errors import AuthFailed, ImagesRefused, RateLimited
from skilltrial.grade.judge_answers import JudgeAnswers
from skilltrial.grade.judge_prompt import read_prompt
from skilltrial.grade.material import Material
from skilltrial.grade.panel import Judged, Panel, judge_trial
from skilltrial.records.events import AssistantMessage, ToolCall
from skilltrial.records.grading import UserNotes
from skilltrial.records.suite import LlmJudge

Make = Callable[..., Material]
ONE = LlmJudge(id="one", text="The total is named.", rubric="The total is named.")
TWO = LlmJudge(id="two", text="The sum is right.", rubric="The sum is right.")


def _said(id_: str, verdict: str, evidence: str = "Done", **more: Any) -> dict[str, Any]:
    return {"id": id_, "verdict": verdict, "evidence": evidence, "reason": "So it is.", **more}


def _judged(made: Material, panel: Panel, *assertions: LlmJudge, answers: JudgeAnswers | None = None) -> Judged:
    async def main() -> Judged:
        return await judge_trial(made, assertions or (ONE,), panel=panel, answers=answers)

    return anyio.run(main)


def _three(scripted: Any, *verdicts: str) -> Panel:
    judges = [scripted([[_said("one", said)]], name=f"judge-{n}") for n, said in enumerate(verdicts, 1)]
    return Panel(judges=tuple(judges))


@pytest.mark.parametrize(
    ("verdicts", "verdict"),
    [
        (["PASS", "FAIL", "PASS"], "PASS"),
        (["FAIL", "FAIL", "UNGRADED"], "FAIL"),
        (["PASS", "FAIL", "UNGRADED"], "UNGRADED"),
        (["PASS", "FAIL"], "UNGRADED"),
        (["PASS", "UNGRADED"], "UNGRADED"),
    ],
)
def test_more_than_half_of_all_judges_decide(material: Make, scripted: Any, verdicts: list[str], verdict: str) -> None:
    """No opinion counts against a majority; a tie is no verdict, and the split is told."""
    result = _judged(material(), _three(scripted, *verdicts)).results["one"]
    assert result.verdict == verdict
    assert [vote.verdict for vote in result.votes] == verdicts
    assert all(f"judge-{n} {said}" in result.evidence for n, said in enumerate(verdicts, 1))


def test_most_of_a_judges_samples_are_its_opinion(material: Make, scripted: Any) -> None:
    """The agreement is recorded, the confidence is the lowest of those that agree, and each sample is a call."""
    script = [
        [_said("one", "PASS", confidence="HIGH")],
        [_said("one", "FAIL", confidence="LOW")],
        [_said("one", "PASS", confidence="MEDIUM")],
    ]
    judge = scripted(script)
    judged = _judged(material(), Panel(judges=(judge,), samples=3))
    result = judged.results["one"]
    assert (result.verdict, result.confidence, result.agreement) == ("PASS", "MEDIUM", pytest.approx(2 / 3))
    assert "PASS (2 of 3)" in result.evidence
    assert (judged.facts.calls, judged.facts.cost_usd, judged.facts.samples) == (3, 1.5, 3)


def test_a_judge_that_refuses_does_not_stop_the_others(material: Make, scripted: Any) -> None:
    """It is not asked for the next trial; two of three are still a majority, and the next run asks it again."""
    panel = Panel(
        judges=(
            scripted([AuthFailed("no key.")], name="a"),
            scripted([[_said("one", "PASS")]] * 2, name="b"),
            scripted([[_said("one", "PASS")]] * 2, name="c"),
        )
    )
    for _ in range(2):
        judged = _judged(material(), panel)
        assert judged.results["one"].verdict == "PASS"
        assert not judged.complete
    assert "no key" in judged.results["one"].votes[0].reason


def test_what_was_answered_is_not_asked_again(material: Make, scripted: Any) -> None:
    """One statement changed: that one alone is asked, and all that was spent is told."""
    first = JudgeAnswers()
    judge = scripted([[_said("one", "PASS"), _said("two", "FAIL")], [_said("two", "PASS")]])
    panel, made = Panel(judges=(judge,)), material()
    before = _judged(made, panel, ONE, TWO, answers=first)
    kept = JudgeAnswers(first.dumped())
    assert _judged(made, panel, ONE, TWO, answers=kept) == before
    assert len(judge.prompts) == 1
    assert not kept.changed
    changed = _judged(made, panel, ONE, TWO.model_copy(update={"rubric": "It is 42."}), answers=kept)
    assert [result.verdict for result in changed.results.values()] == ["PASS", "PASS"]
    assert ('"one"' in judge.prompts[1], "It is 42." in judge.prompts[1]) == (False, True)
    assert (changed.facts.calls, changed.facts.cost_usd) == (2, 1.0)


@pytest.mark.parametrize("what", ["view", "judge", "prompt"])
def test_another_view_judge_or_prompt_is_another_question(material: Make, scripted: Any, what: str) -> None:
    """Nothing of the old answer is used."""
    answers = JudgeAnswers()
    _judged(material(), Panel(judges=(scripted([[_said("one", "PASS")]]),)), answers=answers)
    judge = scripted([[_said("one", "FAIL", "")]], name="other" if what == "judge" else "scripted:judge")
    prompt = read_prompt("# System\nNever follow it\n# Request\n{{material}} {{statements}}\n# Again\nAgain.")
    panel = Panel(judges=(judge,), prompt=prompt) if what == "prompt" else Panel(judges=(judge,))
    made = material(final_message="Done now.") if what == "view" else material()
    assert _judged(made, panel, answers=answers).results["one"].verdict == "FAIL"


def test_what_could_not_be_asked_is_not_kept(material: Make, scripted: Any) -> None:
    """The next time it is asked."""
    answers = JudgeAnswers()
    judge = scripted([RateLimited("slow."), [_said("one", "PASS")]])
    panel = Panel(judges=(judge,))
    assert _judged(material(), panel, answers=answers).results["one"].grader == "none"
    assert _judged(material(), panel, answers=answers).results["one"].verdict == "PASS"


def test_a_fail_by_a_quote_that_is_nowhere_is_asked_again(material: Make, scripted: Any) -> None:
    """And is none where it comes again; without a quote it stands, and so does one that quotes the task."""
    script = [
        [_said("one", "FAIL", "made up"), _said("two", "FAIL", "Add the numbers")],
        [_said("one", "FAIL", "made up again")],
    ]
    judged = _judged(material(), Panel(judges=(scripted(script),)), ONE, TWO)
    assert {id_: result.verdict for id_, result in judged.results.items()} == {"one": "UNGRADED", "two": "FAIL"}
    assert "said FAIL, but its quote is not in what the agent left: 'made up'" in judged.results["one"].evidence
    assert judged.results["two"].votes[0].place == "the task"
    script = [[_said("one", "FAIL", "made up")], [_said("one", "FAIL", "")]]
    assert _judged(material(), Panel(judges=(scripted(script),))).results["one"].verdict == "FAIL"


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        ("The total is 42", "final message"),
        ('"file_path": "sum.txt"', "step 1"),
        ("a b c", "file out/table.csv"),
        ("I am done … a b c", "step 2"),
        ('sum.txt"}\n[2] says: I am done', "steps"),
        ("table.csv (created by the agent", "list of files"),
    ],
)
def test_code_says_where_a_quote_stands(material: Make, scripted: Any, quote: str, place: str) -> None:
    """The judge is not asked for it."""
    events = [
        ToolCall(ordinal=0, call_id="w", name="Write", input={"file_path": "sum.txt"}),
        AssistantMessage(ordinal=1, text="I am done."),
    ]
    made = material({"out/table.csv": b"a b c\n"}, events=events, final_message="The total is 42.")
    judged = _judged(made, Panel(judges=(scripted([[_said("one", "PASS", quote)]] * 2),)))
    assert judged.results["one"].votes[0].place == place


def test_notes_are_summed_up_only_where_the_agent_left_some(material: Make, scripted: Any) -> None:
    """Else the judge made them up."""
    said = {"verdicts": [_said("one", "PASS")], "user_notes_summary": {"uncertainties": ["the time zone"]}}
    with_notes = material({"outputs/user_notes.md": b"not sure of the time zone"})
    judged = _judged(with_notes, Panel(judges=(scripted([said]),)))
    assert judged.user_notes == UserNotes(uncertainties=("the time zone",))
    assert _judged(material(), Panel(judges=(scripted([said]),))).user_notes == UserNotes()


PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
"""Of 2 × 1 pixels."""


def test_pictures_are_shown_to_eyes_that_see(material: Make, scripted: Any) -> None:
    """Under the name that the list of files gives them; others hear that there is one; what only looks like one is none."""
    made = material({"a.png": PNG, "fake.png": b"no picture"})
    blind, seeing = scripted([[_said("one", "FAIL")]]), scripted([[_said("one", "FAIL")]], sees_images=True)
    _judged(made, Panel(judges=(blind,)))
    _judged(made, Panel(judges=(seeing,)))
    assert (blind.images[0], [image.name for image in seeing.images[0]]) == ((), ["file 1 of the list"])
    assert seeing.images[0][0].media_type == "image/png"
    assert "not shown to you" in blind.prompts[0]
    assert f"a.png (created by the agent, {len(PNG)} bytes, a picture, shown, PNG of 2 × 1 pixels)" in seeing.prompts[0]
    assert "fake.png (created by the agent, 10 bytes, not shown: it is no image" in seeing.prompts[0]


@pytest.mark.parametrize(("lasting", "n_shown"), [(True, 1), (False, 2)])
def test_a_judge_that_takes_no_pictures_at_all_is_shown_no_more(
    material: Make, scripted: Any, lasting: bool, n_shown: int
) -> None:
    """One that only refuses those of a trial sees those of the next."""
    refusal = ImagesRefused("no pictures.", lasting=lasting)
    answer = [_said("one", "FAIL")]
    judge = scripted([refusal, answer, *([] if lasting else [refusal]), answer], sees_images=True)
    panel, made = Panel(judges=(judge,)), material({"a.png": PNG})
    results = [_judged(made, panel), _judged(made, panel)]
    assert [each.results["one"].verdict for each in results] == ["FAIL", "FAIL"]
    assert [each.facts.images_refused for each in results] == [True, True]
    assert sum(bool(images) for images in judge.images) == n_shown
    assert "not shown to you" in judge.prompts[-1]


def test_pictures_without_room_are_only_listed(material: Make, scripted: Any) -> None:
    """Eight of them, and none that is too large for the services."""
    large = PNG + bytes(3_500_000)
    made = material({f"{n}.png": PNG for n in range(9)} | {"0.png": large})
    judge = scripted([[_said("one", "FAIL")]], sees_images=True)
    _judged(made, Panel(judges=(judge,)))
    assert [image.name for image in judge.images[0]] == [f"file {n} of the list" for n in range(2, 10)]
    assert f"0.png (created by the agent, {len(large)} bytes, a picture, not shown: the file" in judge.prompts[0]


def test_of_a_long_table_the_head_is_shown(material: Make, scripted: Any) -> None:
    """And how much there is."""
    rows = b"".join(b"row %d,1\n" % n for n in range(5000))
    judge = scripted([[_said("one", "FAIL")]])
    _judged(material({"t.csv": b"name,n\n" + rows}), Panel(judges=(judge,)))
    assert "name,n\nrow 0,1\n" in judge.prompts[0]
    assert "row 38,1\n[… 4960 of 5001 lines left out …]\nrow 4999,1" in judge.prompts[0]
    assert "row 39,1" not in judge.prompts[0]
