"""What a person sees of iterations side by side."""

from __future__ import annotations

from skilltrial.records.estimate import Lift, Word
from skilltrial.records.history import History, HistoryVersion
from skilltrial.records.trend import Trend, TrendPoint
from skilltrial.records.workspace_benchmark import IterationRow
from skilltrial.report import history_page
from skilltrial.report.history import bars, change_sentences, rates_sentence, trend_table, version_table
from skilltrial.report.history_chart import history_chart

_APART = "so it is not comparable with what stands before."


def point(
    number: int,
    estimate: float | None,
    low: float | None = None,
    high: float | None = None,
    *,
    word: Word = "cannot tell",
    invalid: tuple[str, ...] = (),
    comparable: bool = True,
    name: str = "tidy",
) -> TrendPoint:
    """An iteration with this lift; None: without any."""
    lift = Lift(
        treatment="with_skill",
        baseline="without_skill",
        estimate=estimate,
        low=low,
        high=high,
        n_cases=4,
        repeats_min=1,
        repeats_max=1,
        word=word,
        why="",
        margin=0.1,
        p_value=None,
        visible=None,
        method="",
    )
    row = IterationRow(
        iteration=number,
        benchmark="",
        timestamp=f"2026-11-0{number}T10:00:00Z",
        skill_name=name,
        skill_fingerprint="sha256:0123456789",
        suite_digest="s",
        arms={},
        lift=None if estimate is None else lift,
        pass_rates={"with_skill": 0.75, "without_skill": 0.5},
        n_cases=4,
        n_graded=8,
        n_planned=8,
        cost_usd=None,
        judge_usd=None,
        models="<b>opus</b>",
        harness="claude-code",
        seconds={"with_skill": 12.0},
        invalid=invalid,
    )
    return TrendPoint(iteration=number, row=row, comparable=comparable)


def trend(*points: TrendPoint) -> Trend:
    """Of these iterations."""
    return Trend(skill_name="tidy", points=points)


def test_bars_show_interval_and_estimate_on_one_scale() -> None:
    """33 characters from −100 to +100: 0 is the 17th, +50 the 25th, +25 the 21st, +75 the 29th."""
    scale, bar = bars(trend(point(1, 0.5, 0.25, 0.75)))
    assert bar == "   1  2026-11-01 0123456 ................|...[---o---].... +50 (+25 to +75)"
    assert (scale.index("−100"), scale.index("0", 30), len(scale)) == (25, 41, 58)
    assert max(map(len, bars(trend(point(1, -1.0, -1.0, 1.0))))) <= 80


def test_an_interval_over_zero_shows_where_zero_is() -> None:
    """The middle is a plus sign in the bar, and the ends stay in the scale."""
    (_, bar) = bars(trend(point(1, 0.25, -0.25, 0.75)))
    assert "............[---+---o-------]...." in bar


def test_iterations_that_cannot_be_compared_are_set_apart_and_gaps_said() -> None:
    """A broken line between; an invalid comparison has no bar whatever its figures."""
    told = bars(trend(point(1, 0.5), point(2, 0.5, comparable=False), point(3, 0.5, invalid=("x",)), point(4, None)))
    assert [text.strip()[:3] for text in told[1:]] == ["1  ", "- -", "2  ", "3  ", "4  "]
    assert told[4].endswith("................|................ not valid")
    assert told[5].endswith("no lift")


def test_lines_join_only_neighbours_that_are_comparable() -> None:
    """1 and 2 are joined; 3 begins anew, 4 is a gap that nothing crosses."""
    chart = history_chart(
        trend(
            point(1, 0.0, comparable=False),
            point(2, 1.0),
            point(3, -1.0, comparable=False),
            point(4, 0.5, invalid=("x",)),
            point(5, 0.5, 0.25, 0.75),
        )
    )
    assert chart is not None
    assert [(link.x1, link.y1, link.x2, link.y2) for link in chart.links] == [("17.00%", "112.0", "35.00%", "12.0")]
    assert chart.breaks == ("44.00%",)
    assert [mark.y for mark in chart.marks] == ["112.0", "12.0", "212.0", "62.0"]
    assert (chart.marks[3].low, chart.marks[3].high) == ("87.0", "37.0")
    assert [text for _, text in chart.labels] == ["1", "2", "3", "4", "5"]


def test_many_iterations_keep_room_for_their_numbers() -> None:
    """Of 100 every fifth is named."""
    chart = history_chart(trend(*(point(1, 0.1).model_copy(update={"iteration": i}) for i in range(1, 101))))
    assert chart is not None
    assert [text for _, text in chart.labels][:3] == ["1", "6", "11"]
    assert history_chart(trend(point(1, None))) is None


def test_the_table_tells_unknown_from_nothing() -> None:
    """A cost that is not known is a dash, and an iteration that cannot be read is said to be so."""
    table = trend_table(trend(point(1, 0.25, 0.1, 0.4, word="better"), TrendPoint(iteration=2, error="torn.")))
    assert [cell.text for cell in table.rows[0]] == [
        *("1", "0123456", "2026-11-01", "75 %", "50 %", "+25", "+10 to +40", "better", "12.0 s", "–"),
    ]
    assert table.rows[1][7].text == "not readable"


def test_sentences_say_what_changed_and_what_nobody_knows() -> None:
    """The new model by name; never "nothing" where it is unknown."""
    first, second = point(1, 0.1), point(2, 0.1, comparable=False)
    told = change_sentences(
        trend(
            first,
            second.model_copy(update={"changed": ("skill", "suite", "model")}),
            point(3, 0.1),
            point(4, 0.1).model_copy(update={"unknown": ("skill",)}),
            TrendPoint(iteration=5, error="this plan cannot be read."),
        )
    )
    assert told == (
        f"2: the skill, the suite and the model changed (now model <b>opus</b>), {_APART}",
        "3: nothing changed.",
        "4: whether the skill changed is not known.",
        "5: this plan cannot be read.",
    )


def test_the_page_escapes_everything_and_asks_nobody() -> None:
    """Names and models are text; the versions of history.json are a table of their own."""
    versions = History(
        started_at=None,
        skill_name="tidy",
        current_best="v0",
        iterations=(
            HistoryVersion(
                version="v0", parent=None, expectation_pass_rate=0.65, grading_result="<i>won</i>", is_current_best=True
            ),
        ),
    )
    changed = point(2, 0.1, comparable=False).model_copy(update={"changed": ("model",)})
    made = trend(point(1, 0.5, 0.25, 0.75), changed).model_copy(update={"versions": versions, "skill_name": "<u>tidy"})
    page = history_page.render(made)
    assert page == history_page.render(made)
    assert "now model &lt;b&gt;opus&lt;/b&gt;" in page
    assert "&lt;i&gt;won&lt;/i&gt;" in page
    assert "<title>&lt;u&gt;tidy: 2 iterations</title>" in page
    assert "http" not in page.replace("http-equiv", "")
    table = version_table(made)
    assert table is not None
    assert [cell.text for cell in table.rows[0]] == ["v0", "–", "65 %", "<i>won</i>", "current best"]
    assert version_table(trend()) is None


def test_rates_that_are_not_apart_by_the_lift_are_explained() -> None:
    """The rates are 75 % and 50 %: a lift of 25 points agrees, one of 40 points counts other cases, and none needs no word."""
    assert rates_sentence(trend(point(1, 0.25), point(2, None))) == ""
    assert rates_sentence(trend(point(1, 0.25), point(2, 0.4))).endswith(
        "the difference of the rates in 1 iteration (2)."
    )
    assert "A rate counts all cases" in history_page.render(trend(point(1, 0.4)))
