"""The table of many skills as a page, as CSV and as JSON lines, from the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from skilltrial.cli.app import make_app
from skilltrial.errors import SpecError
from skilltrial.records.matrix import Matrix, MatrixCell
from skilltrial.records.portfolio import Portfolio, PortfolioRow

HOSTILE = '=1+1 <img src=x onerror="a()">'


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """A skill that helps, and one with a hostile name that was not run."""
    run = MatrixCell(
        name="a",
        harness=None,
        model=None,
        workspace="/w/cells/a",
        iteration=1,
        word="better",
        estimate=0.25,
        low=0.1,
        high=0.4,
        n_cases=12,
        p_value=0.004,
        cost_usd=1.5,
        treatment_rate=0.75,
        baseline_rate=0.5,
    )
    rows = (
        PortfolioRow(name="a", folder="x/a", run=run, p_adjusted=0.008, word="better"),
        PortfolioRow(name=HOSTILE, folder=HOSTILE, not_run="It has no evals."),
    )
    made = Portfolio(folder="plugins", rows=rows, n_compared=1, cost_usd=1.5, notice="One comparison.")
    (tmp_path / "portfolio.json").write_text(made.model_dump_json())
    return tmp_path


def _report(workspace: Path, *arguments: object) -> Result:
    return CliRunner().invoke(make_app(["report"]), ["report", str(workspace), *map(str, arguments)])


def test_tables_have_the_figures_as_they_are(collection: Path) -> None:
    """Not rounded; what is unknown is empty or null; a name that a spreadsheet would reckon is text."""
    cells = list(csv.DictReader(io.StringIO(_report(collection, "--format", "csv").stdout)))
    assert (cells[0]["estimate"], cells[0]["p_value"], cells[0]["p_adjusted"]) == ("0.25", "0.004", "0.008")
    assert (cells[1]["estimate"], cells[1]["cost_usd"], cells[1]["trouble"]) == ("", "", "It has no evals.")
    assert cells[1]["skill"].startswith("'=1+1")
    lines = [json.loads(each) for each in _report(collection, "--format", "jsonl").stdout.splitlines()]
    assert lines[0]["treatment_rate"] == 0.75
    assert lines[1]["word"] is None
    assert list(lines[0]) == list(cells[0])


def test_the_page_has_a_row_a_skill_and_runs_nothing(collection: Path, tmp_path: Path) -> None:
    """Names of others are text; beside another form with --html."""
    page = _report(collection, "--format", "html").stdout
    assert re.search(r'x/a</th><td class="good">better</td>', page)
    assert "+25</td>" in page
    assert "<img" not in page
    assert "<script" not in page
    beside = _report(collection, "--json", "--html", tmp_path / "p.html")
    assert (tmp_path / "p.html").read_text() == page
    assert json.loads(beside.stdout)["folder"] == "plugins"


def test_a_matrix_has_no_page(tmp_path: Path) -> None:
    """It says where those of its runs are."""
    (tmp_path / "matrix.json").write_text(Matrix(skill="s", cells=(), notice="n").model_dump_json())
    found = _report(tmp_path, "--format", "html").exception
    assert isinstance(found, SpecError)
