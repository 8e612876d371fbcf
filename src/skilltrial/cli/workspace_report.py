"""The report of a workspace that is there, in the form that was asked for."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from skilltrial import wiring
from skilltrial.cli.matrix_page import print_matrix
from skilltrial.cli.portfolio_page import print_portfolio
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trial_rows import TABLES, rows_as
from skilltrial.cli.trigger_report import tell_triggers, triggers_at
from skilltrial.errors import SpecError
from skilltrial.operations.comparison_files import last_preferences
from skilltrial.operations.leaving_out import without_those_left_out
from skilltrial.operations.matrix import read_matrix
from skilltrial.operations.portfolio import read_portfolio
from skilltrial.pipeline import newest_iteration, summarise
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.matrix import Matrix
from skilltrial.records.portfolio import Portfolio
from skilltrial.report import html, junit, markdown, terminal
from skilltrial.report import matrix as matrix_page
from skilltrial.report import portfolio as portfolio_page
from skilltrial.report.trial_table import as_csv, as_jsonl
from skilltrial.spec.whole_file import write_whole

_OF_ALL = ("csv", "jsonl")
_OF_ONE = ("terminal", "markdown", "html", "json", "junit")
_OF_PORTFOLIOS = ("html", "csv", "jsonl")
_WIDTH = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest:
    """What the command line asks for."""

    workspace: Path
    iteration: int | None = None
    form: str = "terminal"
    table: str = "trials"
    out: Path | None = None
    """None: standard output."""
    html_file: Path | None = None
    """For the page, beside what was asked for."""
    explain: str | None = None
    """The model that adds sentences; it writes them into the workspace."""
    base_url: str | None = None
    ask_above_usd: float = 5.0
    yes: bool = False


def report_workspace(request: ReportRequest) -> None:
    """Aggregate what is on the disk and tell it; StoreError and SpecError say what is wrong with the folder or the request."""
    _check(request)
    if request.explain:
        _explain(request, request.explain)
    store = wiring.open_store(request.workspace, write=False)
    if (triggers := triggers_at(store, request.iteration)) is not None:
        tell_triggers(triggers, form=request.form, out=request.out, deliver=_deliver)
        return
    several = None if request.iteration or iterations(store) else read_matrix(store) or read_portfolio(store)
    if several:
        _tell_several(request, several)
    elif request.form in _OF_ALL:
        text = rows_as(request.form, store, table=request.table, iteration=request.iteration)
        _deliver(text, request.out)
        if request.html_file:
            write_whole(request.html_file, html.render(_benchmark(request, store)).encode())
    else:
        _tell(request, _benchmark(request, store))


def _check(request: ReportRequest) -> None:
    if request.form not in (*_OF_ONE, *_OF_ALL):
        raise SpecError(
            f"there is no format {request.form!r}.",
            where="--format",
            hint=f"There are: {', '.join((*_OF_ONE, *_OF_ALL))}.",
        )
    if request.base_url and not request.explain:
        raise SpecError("--base-url is the address of a model, and none is asked for.", hint="Add --explain NAME.")
    if request.table not in TABLES:
        raise SpecError(
            f"there is no table {request.table!r}.", where="--table", hint=f"There are: {', '.join(TABLES)}."
        )


def _explain(request: ReportRequest, model: str) -> None:
    # Imported here: model clients, for who asks for them.
    from skilltrial.cli.explanation import explain_and_tell  # noqa: PLC0415
    from skilltrial.operations.explaining import ExplainRequest  # noqa: PLC0415

    wanted = ExplainRequest(
        workspace=request.workspace,
        model=model,
        env=dict(os.environ),
        iteration=request.iteration,
        base_url=request.base_url,
    )
    explain_and_tell(wanted, ask_above_usd=request.ask_above_usd, yes=request.yes)


def _benchmark(request: ReportRequest, store: Store) -> Benchmark:
    benchmark = summarise(store, newest_iteration(store, request.iteration))
    told = (without_those_left_out(store, benchmark), last_preferences(store, benchmark.iteration))
    return benchmark.model_copy(update={"notices": (*benchmark.notices, *filter(None, told))})


def _tell(request: ReportRequest, benchmark: Benchmark) -> None:
    if request.html_file:
        write_whole(request.html_file, html.render(benchmark).encode())
    if request.form == "terminal" and request.out is None:
        path = str(request.html_file) if request.html_file else None
        terminal.print_report(benchmark, Screen(), report_path=path)
    else:
        _deliver(_text(request.form, benchmark), request.out)


def _text(form: str, benchmark: Benchmark) -> str:
    match form:
        case "markdown":
            return markdown.render(benchmark)
        case "html":
            return html.render(benchmark)
        case "json":
            return benchmark.model_dump_json(indent=2) + "\n"
        case "junit":
            return junit.render(benchmark)
        case _:
            file = io.StringIO()
            terminal.print_report(benchmark, Console(file=file, width=_WIDTH))
            return file.getvalue()


def _tell_several(request: ReportRequest, told: Matrix | Portfolio) -> None:
    if isinstance(told, Portfolio) and (request.html_file or request.form in _OF_PORTFOLIOS):
        _tell_portfolio(request, told)
        return
    if request.html_file or request.form not in {"terminal", "json", "markdown"}:
        raise SpecError(
            "has several runs, and here is their table alone, without any trials.",
            where=str(request.workspace),
            hint=f"Name the workspace of one run; they are in {request.workspace / layout.CELLS}.",
        )
    if request.form == "json":
        _deliver(told.model_dump_json(indent=2) + "\n", request.out)
    elif isinstance(told, Portfolio):
        if request.form == "markdown" or request.out is not None:
            _deliver(portfolio_page.markdown(told), request.out)
        else:
            print_portfolio(told, Screen())
    elif request.form == "markdown" or request.out is not None:
        _deliver(matrix_page.markdown(told), request.out)
    else:
        print_matrix(told, Screen())


def _tell_portfolio(request: ReportRequest, told: Portfolio) -> None:
    if request.html_file:
        write_whole(request.html_file, portfolio_page.html(told).encode())
        _tell_several(replace(request, html_file=None), told)
    elif request.form == "html":
        _deliver(portfolio_page.html(told), request.out)
    else:
        written = {"csv": as_csv, "jsonl": as_jsonl}[request.form]
        _deliver(written(portfolio_page.TABLE_COLUMNS, portfolio_page.table(told)), request.out)


def _deliver(text: str, out: Path | None) -> None:
    if out is None:
        put(text)
    else:
        write_whole(out, text.encode())
