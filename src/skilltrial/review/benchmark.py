"""The Benchmark page: all that an iteration came to, in the words of the reports, and what its charts draw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skilltrial.records.benchmark import ArmSummary, Benchmark, CaseRow
from skilltrial.records.estimate import Stat
from skilltrial.report import figures
from skilltrial.report import self_check as self_check_words
from skilltrial.report.account import Account, account
from skilltrial.report.assertion_table import count_cell, has_weights, weight_cell, word_cell
from skilltrial.report.calibration import calibration_sentences
from skilltrial.report.figures import NOTHING, chance, percent, plural
from skilltrial.report.headline import arm_names, arm_title, is_invalid
from skilltrial.report.plain_text import line
from skilltrial.report.tables import Cell, cases_in_order, overall_rate
from skilltrial.review import drawings
from skilltrial.review.adjusting import both_ways
from skilltrial.review.numbers import benchmark_of
from skilltrial.review.plain_tables import plain_cells, plain_table
from skilltrial.review.self_checks import read_self_check
from skilltrial.review.subject import Query, Subject

_TEXT = 300


def benchmark(subject: Subject, query: Query) -> object:
    """Everything but single assertions and trials; with `adjusted=1` without the trials that people excluded."""
    iteration = query.iteration(subject)
    found = benchmark_of(subject, iteration, adjusted=query.number("adjusted", 0) == 1)
    told = account(found)
    check = read_self_check(subject.store)
    return {
        **_words(told),
        "iteration": iteration,
        "both_ways": both_ways(subject, iteration),
        "valid": not is_invalid(found),
        "margin": found.lift.margin if found.lift else None,
        "arms": [_arm(found, name) for name in arm_names(found)],
        "lifts": drawings.lifts(found),
        "rates": drawings.rates(found),
        "ratios": drawings.ratios(found),
        "reliability": drawings.reliabilities(found),
        "price": drawings.price(found),
        "efforts": drawings.efforts(found),
        "cases": _cases(found, told),
        "calibration": list(calibration_sentences(found.calibration)) if found.calibration else [],
        "self_check": None if check is None else [self_check_words.sentence(check), self_check_words.meaning(check)],
        "summary": _summary(found),
    }


def assertions(subject: Subject, query: Query) -> object:
    """How often every assertion holds in every arm, and whether it tells the arms apart."""
    found = benchmark_of(subject, query.iteration(subject), adjusted=query.number("adjusted", 0) == 1)
    names = arm_names(found)
    weighty = has_weights(found)
    return {
        "columns": [*(arm_title(found, name) for name in names), *(("weight",) if weighty else ()), "tells apart"],
        "rows": [
            {
                "case": str(row.eval_id),
                "assertion": row.assertion_id,
                "text": line(row.text, _TEXT),
                "word": row.discrimination,
                "cells": plain_cells(
                    (
                        *(count_cell(row, name) for name in names),
                        *((weight_cell(row),) if weighty else ()),
                        word_cell(row),
                    )
                ),
            }
            for row in found.assertions
        ],
    }


def _words(told: Account) -> dict[str, object]:
    head = told.headline
    return {
        "headline": {"word": head.word, "tone": head.tone, "sentence": head.sentence, "details": list(head.details)},
        "notices": list(told.notices),
        "where": plain_cells(told.where),
        "comparisons": plain_table(told.comparisons),
        "arm_table": plain_table(told.arms),
        "effort": plain_table(told.effort),
        "ratio_sentences": list(told.ratios),
        "judge_bill": told.judge_bill,
        "assertion_words": told.assertion_words,
        "findings": [{"severity": each.severity, "code": each.code, "text": each.text} for each in told.findings],
        "ungraded": [[each.what, each.reason, list(each.examples)] for each in told.ungraded],
        "n_ungraded": told.n_ungraded,
        "n_results": told.n_results,
        "excluded": [[each.what, each.reason, list(each.examples)] for each in told.excluded],
        "n_excluded": told.n_excluded,
        "n_trials": told.n_trials,
        "notes": list(told.notes),
        "next_step": told.next_step,
        "facts": [list(fact) for fact in told.facts],
    }


def _arm(found: Benchmark, name: str) -> dict[str, object]:
    summary = found.run_summary[name]
    models = summary.models if isinstance(summary, ArmSummary) else ()
    return {
        "name": name,
        "title": arm_title(found, name),
        "role": drawings.role_of(found, name),
        "rate": percent(overall_rate(found, name)),
        "models": [line(model, 80) for model in models],
    }


def _cases(found: Benchmark, told: Account) -> dict[str, object]:
    """The report's table, and beside every row its places, word, probability of harm and family."""
    with_family = any(row.family is not None for row in found.cases)
    more = ("word", "harm", *(("family",) if with_family else ()))
    rows = zip(cases_in_order(found), told.cases.rows, strict=True)
    return {
        "columns": [*told.cases.columns, *more],
        "total": None if told.cases.total is None else [*plain_cells(told.cases.total), *[["", "plain"]] * len(more)],
        "rows": [
            {
                "case": str(row.eval_id),
                "title": cells[0].text,
                "treatment": row.treatment,
                "baseline": row.baseline,
                "difference": row.difference,
                "cells": plain_cells((*cells, *_more(row, with_family=with_family))),
            }
            for row, cells in rows
        ],
    }


def _more(row: CaseRow, *, with_family: bool) -> Iterator[Cell]:
    yield Cell(row.word, "bad" if row.word == "harms" else "plain") if row.word else Cell(NOTHING, "muted")
    yield Cell(NOTHING, "muted") if row.harm is None else Cell(chance(row.harm))
    if with_family:
        yield Cell(line(row.family, 60) if row.family else NOTHING)


def _summary(found: Benchmark) -> dict[str, object]:
    """skill-creator's `run_summary`: over all graded trials, mean and standard deviation, and the delta as it writes it."""
    names = arm_names(found)
    arms = [summary for name in names if isinstance(summary := found.run_summary[name], ArmSummary)]
    delta = found.run_summary.get("delta")
    texts: Mapping[str, str] = {} if delta is None or isinstance(delta, ArmSummary) else delta
    kinds = (
        ("Pass rate", "pass_rate", [_in_per_cent(arm.pass_rate) for arm in arms]),
        ("Time", "time_seconds", [_in(arm.time_seconds, "s") for arm in arms]),
        ("Tokens", "tokens", [_in(arm.tokens, "") for arm in arms]),
    )
    last = [[texts.get(key, NOTHING)] if texts else [] for _, key, _ in kinds]
    n_graded = plural(sum(arm.trials_graded for arm in arms), "graded trial")
    return {
        "columns": ["metric", *(line(name, 40) for name in names), *(["delta"] if texts else [])],
        "rows": [
            plain_cells(Cell(text) for text in (title, *cells, *more))
            for (title, _, cells), more in zip(kinds, last, strict=True)
        ],
        "total": None,
        "caption": f"Over {n_graded}, each counted once: mean ± standard deviation.",
    }


def _in_per_cent(stat: Stat) -> str:
    if stat.mean is None:
        return figures.UNKNOWN
    return f"{stat.mean * 100:.1f} %" + ("" if stat.stddev is None else f" ± {stat.stddev * 100:.1f} %")


def _in(stat: Stat, unit: str) -> str:
    if stat.mean is None:
        return figures.UNKNOWN
    digits = 1 if unit else 0
    spread = "" if stat.stddev is None else f" ± {stat.stddev:,.{digits}f}"
    return f"{stat.mean:,.{digits}f}{spread} {unit}".rstrip()
