"""What the page is told of comparisons, analyses and triggers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from browsing import subject_of
from comparison_bench import Bench
from comparison_words import BETTER, GOOD, POOR
from loop_files import analysis_file, comparison_file, lay_comparisons, loop_file, put

from skilltrial.errors import SpecError
from skilltrial.records.analysis import Analysis
from skilltrial.records.comparison import BlindComparison
from skilltrial.review.comparison_files import analysis_of, comparison_of
from skilltrial.review.reading import QUESTIONS
from skilltrial.review.subject import Query
from skilltrial.review.trigger_files import CHOSEN_BY_TEST


def asked(workspace: Path, question: str, **parameters: str) -> Any:
    """The answer, as it goes through JSON."""
    return json.loads(json.dumps(QUESTIONS[question](subject_of(workspace), Query(parameters))))


def test_comparisons_are_blind_until_asked_otherwise(shown_workspace: Path) -> None:
    """In natural order; nothing names an arm, or how often one won."""
    lay_comparisons(shown_workspace)
    answer = asked(shown_workspace, "comparisons")
    assert [row["name"] for row in answer["rows"]] == ["comparison-1", "comparison-2", "comparison-10"]
    assert answer["winners"] == {"A": 1, "TIE": 1, "B": 1}
    assert "with_skill" not in json.dumps([answer, asked(shown_workspace, "comparison", name="comparison-1")])


def test_win_rate_by_case(shown_workspace: Path) -> None:
    """A tie is half a win and repeats of a case are one observation: (3/4 + 1) / 2."""
    lay_comparisons(shown_workspace)
    (rate,) = asked(shown_workspace, "comparisons", unblind="1")["win_rates"]
    assert (rate["arm"], rate["against"], rate["n_comparisons"], rate["n_cases"]) == (
        "with_skill",
        "without_skill",
        3,
        2,
    )
    assert rate["estimate"] == pytest.approx(0.875)
    assert rate["low"] < 0.5 < rate["high"]


def test_what_may_bias_judges_is_told(shown_workspace: Path) -> None:
    """How often both orders agreed, and how often the longer output won."""
    lay_comparisons(shown_workspace)
    answer = asked(shown_workspace, "comparisons")
    assert answer["consistent"] == {"n": 2, "of": 3}
    assert answer["longer_won"] == {"n": 1, "of": 2}


def test_a_comparison_with_its_analysis(shown_workspace: Path) -> None:
    """The analysis that names a comparison stands with it, with what code found of its quotes."""
    lay_comparisons(shown_workspace)
    answer = asked(shown_workspace, "comparison", name="comparison-1", unblind="1")
    assert answer["labels"]["A"]["arm"] == "with_skill"
    assert [quote["found"] for quote in answer["analysis"]["skilltrial"]["quotes"]] == [True, False]
    assert asked(shown_workspace, "comparison", name="comparison-2")["analysis"] is None
    with pytest.raises(SpecError, match="no comparison"):
        asked(shown_workspace, "comparison", name="../../plan")


def test_a_foreign_comparison_has_no_key(shown_workspace: Path) -> None:
    """skill-creator's files: one comparison, and the analysis that is called just that."""
    folder = shown_workspace / "iteration-1/comparisons"
    put(folder / "comparison-1.json", comparison_file("A"))
    put(folder / "analysis.json", analysis_file())
    put(folder / "other.json", [1])
    answer = asked(shown_workspace, "comparisons", unblind="1")
    assert (answer["n_with_key"], answer["win_rates"], answer["unreadable"]) == (0, [], ["other.json"])
    assert asked(shown_workspace, "comparison", name="comparison-1")["analysis"]["winner_strengths"] == ["Clear steps"]


def test_the_page_and_the_summary_have_the_same_figures(tmp_path: Path) -> None:
    """Three arms, a family of two cases, a trial that people left out: what `compare` wrote is what the page says."""
    bench = Bench(tmp_path / "w")
    arms = ("new_skill", "old_skill", "without_skill")
    bench.fill(
        {
            "one": dict(zip(arms, ([GOOD, GOOD], [POOR, GOOD], [POOR, POOR]), strict=True)),
            "two": dict(zip(arms, ([POOR], [GOOD], [f"{GOOD} At length."]), strict=True)),
            "three": dict(zip(arms, ([GOOD], [POOR], [f"{POOR} At length."]), strict=True)),
        },
        families={"one": "sums", "two": "sums"},
    )
    bench.leave_out(("one", "old_skill", 2))
    assert bench.compare(BETTER) == 0
    summary, answer = bench.read("summary.json"), asked(bench.folder, "comparisons", unblind="1")
    assert [(each["arm"], each["against"], each["n_comparisons"]) for each in answer["win_rates"]] == [
        ("new_skill", "old_skill", 3),
        ("new_skill", "without_skill", 4),
        ("old_skill", "without_skill", 3),
    ]
    ours = [(each["win_rate"], each["low"], each["high"]) for each in summary["arms"]]
    assert [(each["estimate"], each["low"], each["high"]) for each in answer["win_rates"]] == ours
    assert ours[0][0] == 0.75, "the family: (1 + 0) / 2, and three: 1"
    for shown, kept in (("consistent", summary["order_consistency"]), ("longer_won", summary["length"]["longer_won"])):
        assert answer[shown] == {"n": kept["n"], "of": kept["of"]}
    bench.leave_out(("three", "new_skill", 1))
    assert bench.compare(BETTER) == 0
    summary, answer = bench.read("summary.json"), asked(bench.folder, "comparisons", unblind="1")
    assert [each["estimate"] for each in answer["win_rates"]] == [each["win_rate"] for each in summary["arms"]]
    assert [each["low"] for each in answer["win_rates"][:2]] == [None, None], "one family is left"
    assert (answer["n_left_out"], len(answer["rows"])) == (2, 10)
    assert sum(row["left_out"] for row in answer["rows"]) == 2


def test_no_comparisons(shown_workspace: Path) -> None:
    """Nothing there is an empty answer."""
    assert asked(shown_workspace, "comparisons")["rows"] == []


@pytest.mark.parametrize("value", [None, [], {"winner": "A"}, {"rubric": {}}, "A"])
def test_other_files_are_no_comparisons(value: object) -> None:
    """What has not the fields of a comparison is none."""
    assert comparison_of(value) is None


def test_odd_values_are_unknown() -> None:
    """Values of another form are unknown; nothing is made up."""
    read = comparison_of({"winner": "both", "rubric": {"A": {"content": {"x": "5"}, "overall_score": None}}, "note": 1})
    assert read is not None
    assert (read.winner, read.rubric["A"].content, read.rubric["A"].overall_score) == (None, {"x": None}, None)
    assert read.extra == {"note": 1}
    assert analysis_of({"comparison_summary": None, "winner_strengths": "one"}) == Analysis(winner_strengths=("one",))


def test_our_files_have_the_fields_of_skill_creator() -> None:
    """What we write is read by others: their fields at the top, ours below one name."""
    written = BlindComparison.model_validate({"winner": "A"}).model_dump(mode="json")
    assert set(written) == {"winner", "reasoning", "rubric", "output_quality", "expectation_results", "skilltrial"}
    assert set(Analysis().model_dump(mode="json")) == {*analysis_file(), "skilltrial"}


def test_no_trigger_results(shown_workspace: Path) -> None:
    """Nothing there is told as nothing."""
    assert asked(shown_workspace, "triggers") == {"sheets": [], "chosen": None, "search": None}


def test_loop_results_of_an_import(shown_workspace: Path) -> None:
    """The queries of the best description, wrong ones first; precision and recall are 1 of 2 each."""
    put(shown_workspace / "iteration-1/imported/whole/loop/results.json", loop_file())
    chosen = asked(shown_workspace, "triggers")["chosen"]
    assert [(row["query"][:4], row["passes"], row["split"]) for row in chosen["rows"]] == [
        ("sing", False, "train"),
        ("fill", False, "test"),
        ("make", True, "train"),
        ("what", True, "test"),
    ]
    assert chosen["rows"][0]["rate"]["estimate"] == pytest.approx(2 / 3)
    assert chosen["rows"][0]["errors"] is None
    assert (chosen["recall"]["estimate"], chosen["precision"]["estimate"]) == (0.5, 0.5)
    assert [(each["version"], each["is_best"]) for each in chosen["tried"]] == [("1", False), ("2", True)]
    assert chosen["notices"] == [CHOSEN_BY_TEST]
    assert chosen["taken"][1] == {"should_trigger": False, "runs": 6, "own": 2, "others": {}, "errors": None}


def test_run_eval_results(shown_workspace: Path) -> None:
    """One description alone; without any run nothing is a rate."""
    row = {"query": "a", "should_trigger": True, "trigger_rate": None, "triggers": 0, "runs": 0, "pass": None}
    put(shown_workspace / "triggers/1.json", {"skill_name": "s", "description": "d", "results": [row]})
    chosen = asked(shown_workspace, "triggers")["chosen"]
    assert (chosen["skill"], chosen["rows"][0]["rate"], chosen["recall"]["estimate"]) == ("s", None, None)


def test_our_trigger_results(shown_workspace: Path) -> None:
    """Errors are a third state, other skills are told, and the newest of ours is shown first."""
    share = {"estimate": 0.5, "low": 0.1, "high": 0.9, "n": 2}
    query = {
        "id": "q",
        "query": "a",
        "should_trigger": True,
        "n_planned": 3,
        "n_loaded": 1,
        "n_not_loaded": 1,
        "errors": {"timeout": 1},
        "others": {"sibling": 1},
        "rate": share,
        "passes": True,
    }
    names = ("recall", "false_positives", "precision", "f1", "accuracy")
    figures = {**dict.fromkeys(names, share), "n_passed": 1, "n_decided": 1}
    arm = {"name": "own", "description": "d", "skill_fingerprint": "f", "queries": [query], "figures": figures}
    arm["listing"] = {"n_told": 2, "chars": 7782, "n_skills": 3, "undescribed": {"sibling": 2}}
    ours = {"skill_name": "s", "iteration": 1, "created_at": "2026-01-01T00:00:00Z", "plan_digest": "p", "runs": 3}
    ours |= {"threshold": 0.5, "arms": [arm, {**arm, "name": "new"}], "word": "all pass", "why": "All pass."}
    put(shown_workspace / "triggers/iteration-1/triggers.json", ours)
    put(shown_workspace / "triggers/cells/codex--m/iteration-1/triggers.json", {**ours, "arms": [arm]})
    put(shown_workspace / "iteration-1/imported/results.json", loop_file())
    answer = asked(shown_workspace, "triggers")
    places = [sheet["name"] for sheet in answer["sheets"]]
    assert places == [
        "iteration-1/imported/results.json",
        "triggers/cells/codex--m/iteration-1/triggers.json",
        "triggers/iteration-1/triggers.json · own",
        "triggers/iteration-1/triggers.json · new",
    ]
    row = answer["chosen"]["rows"][0]
    assert (answer["chosen"]["name"], row["runs"], row["errors"]) == (places[-1], 2, {"timeout": 1})
    assert answer["chosen"]["taken"][0]["others"] == {"sibling": 1}
    assert answer["chosen"]["listing"] == "7,782 characters; cut or left out in it: sibling"
    assert asked(shown_workspace, "triggers", name=places[0])["chosen"]["ended"] == "max_iterations (2)"
    with pytest.raises(SpecError, match="no trigger results"):
        asked(shown_workspace, "triggers", name="plan.json")
