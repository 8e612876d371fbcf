"""The history as one page: no script, no request, every text escaped by the template engine."""

from __future__ import annotations

from skilltrial.records.trend import Trend
from skilltrial.report.history import change_sentences, rates_sentence, title, trend_table, version_table
from skilltrial.report.history_chart import history_chart
from skilltrial.report.template import fill


def render(trend: Trend) -> str:
    """The history of a workspace as a self-contained HTML page."""
    return fill(
        "history.html.j2",
        title=title(trend),
        table=trend_table(trend),
        chart=history_chart(trend),
        rates=rates_sentence(trend),
        changes=change_sentences(trend),
        versions=version_table(trend),
        notices=trend.notices,
    )
