"""What is missing, and what other programs stumble over."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from skilltrial.audit.outputs import OutputsSeen, look_into
from skilltrial.records.repair import Repair

PAIR = {"with_skill": ["P"], "without_skill": ["F"]}


def names(made) -> list[str]:
    """Names of the findings."""
    return [finding.name for finding in made.findings()]


def test_a_run_without_a_grading_is_named(scene) -> None:
    """By its folder."""
    (finding,) = scene({"eval-0": {"with_skill": ["P", "?"], "without_skill": ["F", "P"]}}).findings()
    assert (finding.code, finding.place) == ("SA201", "iteration-1/eval-0/with_skill/run-2")


def test_a_case_that_lacks_an_arm(scene) -> None:
    """It says which."""
    (finding,) = scene({"eval-0": PAIR, "eval-1": {"without_skill": ["P"]}}).findings()
    assert (finding.code, finding.place) == ("SA206", "iteration-1/eval-1")
    assert "'with_skill'" in finding.message


def test_a_case_without_any_run(scene) -> None:
    """One finding, not one an arm."""
    (finding,) = scene({"eval-0": PAIR, "eval-1": {}}).findings()
    assert finding.message == "The case has no run at all."


def test_arms_without_a_role_are_asked_for(scene) -> None:
    """With the options that answer."""
    findings = scene({"eval-0": {"alpha": ["P"], "beta": ["F"]}}).findings()
    assert [finding.code for finding in findings] == ["SA205", "SA205"]
    assert "--treatment" in findings[0].hint


def test_two_arms_of_the_same_role_are_asked_for(scene) -> None:
    """Nothing is the baseline there."""
    (finding,) = scene({"eval-0": {"with_skill": ["P"], "new_skill": ["F"]}}).findings()
    assert finding.name == "arm-role-unknown"
    assert "--baseline" in finding.hint


def test_one_arm_alone_needs_no_role(scene) -> None:
    """There is nothing to compare."""
    assert not names(scene({"eval-0": {"alpha": ["P"]}}))


def test_a_case_without_metadata(scene) -> None:
    """Its prompt is lost to the viewer."""
    made = scene({"eval-0": PAIR})
    (case,) = made.iteration.cases
    made = made.with_iteration(cases=(replace(case, metadata=None),))
    assert names(made) == ["metadata-missing"]


def test_two_cases_with_the_same_id(scene) -> None:
    """The second is named, with the place of the first."""
    made = scene({f"eval-{n}": PAIR for n in range(3)})
    cases = tuple(replace(case, id=1 if case.key == "eval-2" else case.id) for case in made.iteration.cases)
    (finding,) = made.with_iteration(cases=cases).findings()
    assert (finding.code, finding.place, finding.old) == ("SA216", "iteration-1/eval-2", 1)
    assert "iteration-1/eval-1" in finding.message


def test_ids_of_two_kinds(scene) -> None:
    """The odd one is named."""
    made = scene({f"eval-{n}": PAIR for n in range(3)})
    cases = list(made.iteration.cases)
    cases[1] = replace(cases[1], id="sales")
    (finding,) = made.with_iteration(cases=tuple(cases)).findings()
    assert (finding.code, finding.old, finding.place) == ("SA305", "sales", "iteration-1/eval-1/eval_metadata.json")


def test_a_folder_named_by_its_topic(scene) -> None:
    """The aggregator's glob does not see it; another tool's does not care."""
    made = scene({"sales": PAIR})
    assert names(made) == ["folder-without-prefix"]
    assert not names(made.with_workspace(family="slow-powers"))


def test_stray_entries(scene) -> None:
    """A file beside the cases, and a folder beside the runs."""
    made = scene({"eval-0": PAIR}, stray=("iteration-1/eval-notes.md", "iteration-1/eval-0/with_skill/run-retry"))
    assert names(made) == ["odd-run-folder", "stray-entry"]


@pytest.mark.parametrize(
    ("code", "name"),
    [("null-object", "null-object"), ("verdict-as-text", "passed-as-text"), ("other-spelling", "names-not-shown")],
)
def test_what_the_reader_put_right(scene, code, name) -> None:
    """With the place inside the file."""
    repair = Repair(code=code, message="was put right", file="iteration-1/eval-0/grading.json", path="summary")
    (finding,) = scene({"eval-0": PAIR}, repairs=(repair,)).findings()
    assert (finding.name, finding.place) == (name, "iteration-1/eval-0/grading.json#summary")


def test_text_outside_ascii_is_one_note_an_iteration(scene) -> None:
    """However many files there are."""
    made = scene({f"eval-{n}": PAIR for n in range(2)})
    cases = tuple(replace(case, prompt="Prüfe das.") for case in made.iteration.cases)
    (finding,) = made.with_iteration(cases=cases).findings()
    assert finding.code == "SA308"
    assert "2 files" in finding.message


def test_outputs_that_the_viewer_hides_or_breaks_on(scene) -> None:
    """Each folder of outputs is looked at once."""
    looked: list[str] = []

    def look(place: str, _left: tuple[str, ...] | None) -> OutputsSeen:
        looked.append(place)
        if place.endswith("eval-0/with_skill/run-1/outputs"):
            return OutputsSeen(nested=("project",), closing_tags=("report.md",))
        return OutputsSeen()

    findings = scene({"eval-0": PAIR}).audit(look=look).findings
    assert [finding.code for finding in findings] == ["SA214", "SA307"]
    assert findings[1].place == "iteration-1/eval-0/with_skill/run-1/outputs/report.md"
    assert len(looked) == len(set(looked)) == 2


def test_looking_into_outputs(tmp_path: Path) -> None:
    """Text files that the viewer embeds are searched, in any case; others are not."""
    folder = tmp_path / "outputs"
    (folder / "deep/er").mkdir(parents=True)
    (folder / "deep/er/file.txt").write_text("x")
    (folder / "empty").mkdir()
    (folder / "page.HTML").write_text("<b></SCRIPT ></b>")
    (folder / "fine.md").write_text("</b> script")
    (folder / "transcript.md").write_text("</script>")
    (folder / "picture.png").write_bytes(b"</script>")
    (folder / "link.md").symlink_to(folder / "page.HTML")
    seen = look_into(str(tmp_path), "outputs", None)
    assert seen == OutputsSeen(nested=("deep",), closing_tags=("page.HTML",))
    left = ("deep/", "empty/", "fine.md", "page.HTML", "picture.png", "transcript.md")
    assert look_into(str(tmp_path), "outputs", left) == seen


def test_outputs_that_cannot_be_looked_into(tmp_path: Path) -> None:
    """A file in place of the folder, or nothing, is no finding."""
    look = partial(look_into, str(tmp_path))
    (tmp_path / "answer.txt").write_text("</script>")
    assert look("answer.txt", None) == look("none", None) == OutputsSeen()


def test_copies_of_runs_count_once(scene) -> None:
    """Two folders of one case: its two runs are copies, and the figures are those of one."""
    twice = scene({
        "eval-0": {"with_skill": ["PP"], "without_skill": ["PF"]}, "topic": {"with_skill": ["PP"], "without_skill": ["PF"]},
    })  # fmt: skip
    first, second = twice.iteration.cases
    copied = twice.with_iteration(cases=(first, replace(second, id=first.id))).with_runs(
        lambda run: {"copy_of": run.place.replace("topic", "eval-0")} if run.case == "topic" else {}
    )
    found = copied.audit()
    assert (found.n_runs, [own.n_runs for own in found.iterations[0].arms]) == (2, [1, 1])
    assert found.iterations[0].lift.n_cases == 1
    (finding,) = [finding for finding in found.findings if finding.name == "case-twice"]
    assert "count once" in finding.message
    assert "case-without-arm" not in {each.name for each in found.findings}
