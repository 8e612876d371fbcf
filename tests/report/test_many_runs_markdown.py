"""Tables of several runs as Markdown, where names and errors are written by others."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.cli.power_page import Asked, plan_and_print
from skilltrial.errors import SpecError
from skilltrial.records.matrix import Matrix, MatrixCell
from skilltrial.records.portfolio import Portfolio, PortfolioRow
from skilltrial.report import matrix, portfolio

_HOSTILE = "<img src=x>|@octocat `a` [x](http://e)"


def _cell() -> MatrixCell:
    return MatrixCell(name=_HOSTILE, harness=None, model=None, workspace="/w/cells/a", error=_HOSTILE)


def _harmless(page: str) -> bool:
    return not any(part in page for part in ("<img", "@octocat", "[x](", " `a`"))


def test_a_matrix_and_a_portfolio_show_hostile_texts_as_they_are() -> None:
    """No HTML, mention, link or code comes of a folder's name or of an error, and a bar opens no cell."""
    page = matrix.markdown(Matrix(skill=_HOSTILE, cells=(_cell(),), notice="n"))
    assert _harmless(page)
    assert "&lt;img src=x&gt;\\|" in page
    row = PortfolioRow(name=_HOSTILE, folder=_HOSTILE, run=_cell())
    page = portfolio.markdown(Portfolio(folder=_HOSTILE, rows=(row,), n_compared=0, cost_usd=None, notice="n"))
    assert _harmless(page)
    assert "&lt;img src=x&gt;\\|" in page


def test_power_names_the_parts_of_a_matrix(tmp_path: Path) -> None:
    """It said that there is no iteration here."""
    (tmp_path / "matrix.json").write_text(Matrix(skill="s", cells=(_cell(),), notice="n").model_dump_json())
    with pytest.raises(SpecError, match="several runs"):
        plan_and_print(
            tmp_path, Asked(lift=0.2, n_cases=None, repeats=None, power=0.8, alpha=0.05), iteration=None, as_json=False
        )
