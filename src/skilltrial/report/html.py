"""The report as one page: no script, no request, every text escaped by the template engine."""

from __future__ import annotations

from skilltrial.records.benchmark import Benchmark
from skilltrial.report.account import account
from skilltrial.report.assertion_table import has_weights
from skilltrial.report.case_sheet import case_sheets
from skilltrial.report.charts import forest
from skilltrial.report.headline import arm_names, arm_title, is_invalid
from skilltrial.report.plain_text import line
from skilltrial.report.price_chart import price_chart
from skilltrial.report.prose import TITLE, model_words
from skilltrial.report.template import fill


def render(benchmark: Benchmark) -> str:
    """The report of a benchmark as a self-contained HTML page."""
    told = account(benchmark)
    lifts = benchmark.lifts or ((benchmark.lift,) if benchmark.lift else ())
    return fill(
        "page.html.j2",
        told=told,
        words=model_words(benchmark, told),
        words_title=TITLE,
        arms=[arm_title(benchmark, name) for name in arm_names(benchmark)],
        forest=None if is_invalid(benchmark) else forest(lifts),
        price=price_chart(benchmark),
        pair=[line(name, 40) for name in (benchmark.lift.treatment, benchmark.lift.baseline)]
        if benchmark.lift
        else None,
        sheets=case_sheets(benchmark),
        weighty=has_weights(benchmark),
    )
