"""Many skills in front of a person: progress of each, then one table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from skilltrial.cli.cell_runs import run_in_front, whole_run
from skilltrial.cli.dry_run import dry_run_cells_and_print
from skilltrial.cli.failure import INTERRUPTED
from skilltrial.cli.portfolio_page import print_portfolio
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.operations.cells import worst
from skilltrial.operations.portfolio import Collection, collect_skills, run_portfolio
from skilltrial.records.budget import Ceilings
from skilltrial.report.figures import plural
from skilltrial.request import RunRequest


def run_portfolio_and_print(
    folder: Path,
    ask: Callable[[Path], tuple[RunRequest, str]],
    *,
    workspace: Path | None,
    ceilings: Ceilings,
    as_json: bool,
    ask_above_usd: float,
    yes: bool,
    dry_run: bool,
) -> int:
    """Run every skill below the folder; returns the worst of their exit codes. `ask`: a skill's request, and a line about it."""
    collection = collect_skills(folder, workspace, ask=lambda skill: ask(skill)[0])
    unrun = {row.folder: row.not_run or (row.run.error if row.run else "") for row in collection.rows}
    unrun = {name: why for name, why in unrun.items() if name not in collection.cells}
    cells = tuple(collection.cells.values())
    if dry_run:
        code = dry_run_cells_and_print(cells, as_json=as_json, left_out=unrun)
        return code or worst(row.run for row in collection.rows if row.run)
    portfolio = run_in_front(
        cells,
        partial(run_portfolio, collection, ceilings),
        start=whole_run,
        ceilings=ceilings,
        ask_above_usd=ask_above_usd,
        yes=yes,
        notices=_notices(collection, len(unrun)),
    )
    if portfolio is None:
        return INTERRUPTED
    if as_json:
        put(portfolio.model_dump_json(indent=2) + "\n")
    else:
        print_portfolio(portfolio, Screen())
    return worst(row.run for row in portfolio.rows if row.run)


def _notices(collection: Collection, n_unrun: int) -> list[str]:
    found = f"{plural(len(collection.rows), 'skill')} in {collection.folder}"
    return [f"{found}; {n_unrun} of them not run" if n_unrun else found]
