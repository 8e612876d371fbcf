"""Words of many skills: by hand, what Holm leaves of them, and how they are sorted."""

from __future__ import annotations

from skilltrial.aggregate.portfolio import assemble
from skilltrial.records.estimate import Word
from skilltrial.records.matrix import MatrixCell
from skilltrial.records.portfolio import PortfolioRow


def row(
    name: str,
    p: float | None,
    word: Word | None = "better",
    *,
    cost: float | None = 1.0,
    invalid: tuple[str, ...] = (),
    estimate: float = 0.3,
) -> PortfolioRow:
    """A skill that was run."""
    run = MatrixCell(
        name=name,
        harness=None,
        model=None,
        workspace="w",
        iteration=1,
        word=word,
        estimate=estimate,
        p_value=p,
        cost_usd=cost,
        invalid=invalid,
    )
    return PortfolioRow(name=name, folder=name, run=run)


def test_better_and_worse_stand_only_where_the_adjusted_p_agrees() -> None:
    """Of p = 0.01, 0.02 and 0.04 Holm makes 0.03, 0.04 and 0.04; of 0.01, 0.03 and 0.04 it makes 0.03, 0.06 and 0.06."""
    kept = assemble("s", [row("a", 0.02, "worse"), row("b", 0.04), row("c", 0.01)])
    assert [(each.name, each.word) for each in kept.rows] == [("c", "better"), ("a", "worse"), ("b", "better")]
    assert [round(each.p_adjusted or 0, 9) for each in kept.rows] == [0.03, 0.04, 0.04]
    lost = assemble("s", [row("a", 0.03, "worse"), row("b", 0.04), row("c", 0.01)])
    assert [(each.name, each.word) for each in lost.rows] == [
        ("c", "better"),
        ("a", "cannot tell"),
        ("b", "cannot tell"),
    ]
    assert [each.run.word for each in lost.rows if each.run] == ["better", "worse", "better"]
    assert "all 3 comparisons" in lost.notice


def test_other_words_stay_and_one_skill_alone_is_not_adjusted() -> None:
    """What claims no effect cannot be a false alarm; one comparison is not several."""
    words = assemble("s", [row("a", 0.9, "no difference beyond the margin"), row("b", 0.8, "cannot tell")])
    assert [each.word for each in words.rows] == ["cannot tell", "no difference beyond the margin"]
    alone = assemble("s", [row("a", 0.2)])
    assert (alone.rows[0].word, alone.rows[0].p_adjusted, alone.n_compared) == ("better", 0.2, 1)


def test_a_comparison_that_is_not_valid_counts_and_claims_nothing() -> None:
    """Its p = 0.001 gives the others no lighter task: 0.03 is adjusted for two, to 0.06, and its own is 1."""
    told = assemble("s", [row("bad", 0.001, "cannot tell", invalid=("baseline-had-skill",)), row("b", 0.03)])
    assert [(each.name, each.word, each.p_adjusted) for each in told.rows] == [
        ("b", "cannot tell", 0.06),
        ("bad", "cannot tell", 1.0),
    ]


def test_the_strongest_evidence_comes_first_and_what_was_not_run_last() -> None:
    """By p, then by the size of the lift, then those with an error, then those without evals; nobody is left out."""
    failed = PortfolioRow(
        name="e",
        folder="e",
        run=MatrixCell(name="e", harness=None, model=None, workspace="w", error="no.", exit_code=2),
    )
    rows = [
        PortfolioRow(name="n", folder="n", not_run="no eval file."),
        failed,
        row("small", 0.5, "cannot tell", estimate=0.1),
        row("harms", 0.5, "cannot tell", estimate=-0.4),
        row("first", 0.2, "cannot tell"),
    ]
    told = assemble("s", rows)
    assert [each.name for each in told.rows] == ["first", "harms", "small", "e", "n"]
    assert (told.n_compared, told.cost_usd) == (3, 3.0)


def test_a_cost_that_nobody_tells_makes_the_sum_unknown() -> None:
    """Unknown is not zero; a skill that was not run costs nothing."""
    assert assemble("s", [row("a", 0.5), row("b", 0.5, cost=None)]).cost_usd is None
    assert assemble("s", [row("a", 0.5), PortfolioRow(name="n", folder="n", not_run="x")]).cost_usd == 1.0
    assert assemble("s", [row("a", None, None)]).n_compared == 0
