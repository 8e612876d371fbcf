"""Many skills, each on trial for itself, below common ceilings; one table."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from skilltrial import wiring
from skilltrial.aggregate.portfolio import assemble
from skilltrial.errors import PlanError, SkilltrialError, SpecError, StoreError
from skilltrial.operations.cells import Cell, plan_cells, row_of, run_cells
from skilltrial.pipeline import RunResult
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.budget import Ceilings, Forecast
from skilltrial.records.matrix import MatrixCell
from skilltrial.records.portfolio import Portfolio, PortfolioRow
from skilltrial.report import portfolio as page
from skilltrial.request import RunRequest, default_workspace
from skilltrial.spec.settings import NO_SKILL, is_folder
from skilltrial.spec.skill import load_skill
from skilltrial.spec.skill_folders import find_skills
from skilltrial.spec.suite import find_evals


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """The skills of a folder."""

    folder: Path
    workspace: Path
    rows: tuple[PortfolioRow, ...]
    """All, with what is known before anything runs."""
    cells: Mapping[str, Cell]
    """Of those that are run, by the row's folder."""


def collect_skills(folder: Path, workspace: Path | None, *, ask: Callable[[Path], RunRequest]) -> Collection:
    """Look for skills below a folder; `ask` makes the request of each, which gets a workspace of its own in the common one.

    Skills without an eval file are listed and not run; where `ask` raises, the error is kept in the row. Raises `PlanError` for
    requests that cannot hold for several skills, and `SpecError` where no skill has an eval file.
    """
    folder = Path(os.path.abspath(folder))  # noqa: PTH100 - `..` goes away while links stay, which resolve() would follow
    root = (workspace or default_workspace(folder)).absolute()
    found = find_skills(folder)
    rows: list[PortfolioRow] = []
    cells: dict[str, Cell] = {}
    for skill, name in zip(found, _names(folder, found), strict=True):
        row = PortfolioRow(name=skill.name, folder=skill.relative_to(folder).as_posix(), not_run=_without_evals(skill))
        own = root / layout.CELLS / name
        if not row.not_run:
            try:
                request = ask(skill)
            except SkilltrialError as error:
                row = row.model_copy(update={"run": _failed(name, own, error)})
            else:
                _check(request)
                cells[row.folder] = Cell(name=name, request=replace(request, workspace=own))
        rows.append(row)
    if all(row.not_run for row in rows):
        raise SpecError(
            f"{_none_of(len(rows))} an eval file.",
            where=str(folder),
            hint="`skilltrial init SKILL` writes a first one.",
        )
    return Collection(folder=folder, workspace=root, rows=tuple(rows), cells=cells)


async def run_portfolio(
    collection: Collection,
    ceilings: Ceilings,
    *,
    run_cell: Callable[[Cell], Awaitable[RunResult]],
    agree: Callable[[Forecast], Awaitable[None]],
) -> Portfolio:
    """Plan all, ask once, run one after another, and write `portfolio.json` and `portfolio.md` into the workspace.

    See `skilltrial.operations.cells` for errors and ceilings. Raises what `agree` raises.
    """
    cells = tuple(collection.cells.values())
    planned = await plan_cells(cells, agree=agree)
    store = wiring.open_store(collection.workspace, write=True)
    try:
        results = await run_cells(cells, planned, ceilings, run_cell=run_cell, told=row_of)
        run = dict(zip(collection.cells, results, strict=True))
        rows = [row.model_copy(update={"run": run.get(row.folder, row.run)}) for row in collection.rows]
        portfolio = assemble(collection.folder.name, rows)
        store.write(layout.PORTFOLIO, portfolio.model_dump_json(indent=2).encode() + b"\n")
        store.write(layout.PORTFOLIO_MD, page.markdown(portfolio).encode())
    finally:
        store.close()
    return portfolio


def read_portfolio(store: Store) -> Portfolio | None:
    """The portfolio of a workspace; None where it has none. Raises `StoreError` for one of another form."""
    data = store.read(layout.PORTFOLIO)
    try:
        return None if data is None else Portfolio.model_validate_json(data)
    except ValidationError as error:
        raise StoreError(
            "this portfolio cannot be read.",
            where=str(store.path(layout.PORTFOLIO)),
            hint=f"Each of its runs can: `skilltrial report WORKSPACE/{layout.CELLS}/NAME`.",
        ) from error


def _names(folder: Path, skills: Sequence[Path]) -> list[str]:
    """Of their workspaces: the folder's name, or where several have it, the path."""
    own = [layout.slug(skill.name) for skill in skills]
    n_times = Counter(own)
    paths = [skill.relative_to(folder).as_posix() for skill in skills]
    return [name if n_times[name] == 1 else layout.slug(path) for name, path in zip(own, paths, strict=True)]


def _without_evals(folder: Path) -> str:
    """Why the skill is not run; empty where it has an eval file, or is wrong in another way."""
    try:
        find_evals(load_skill(folder), None)
    except SpecError as error:
        return f"no eval file. {error.hint}" if error.code == "no-evals" else ""
    return ""


def _failed(name: str, workspace: Path, error: SkilltrialError) -> MatrixCell:
    return MatrixCell(
        name=name, harness=None, model=None, workspace=str(workspace), exit_code=error.exit_code, error=str(error)
    )


def _check(request: RunRequest) -> None:
    """Raise `PlanError` for what belongs to one skill."""
    sources = [arm.partition("=")[2] for arm in request.arms or ()] + [request.baseline or NO_SKILL]
    told = {
        "--evals": request.evals is not None,
        "--only": bool(request.only),
        "--until-decided": request.until_decided,  # Holm's p is that of a plan that was run to its end
        "a skill's folder as an arm": any(source and is_folder(source) for source in sources),
    }
    for what, given in told.items():
        if given:
            raise PlanError(
                f"{what} belongs to one skill, and this is a folder of several.",
                hint="Leave it out, or run that skill alone.",
            )


def _none_of(n_skills: int) -> str:
    return "the only skill in this folder does not have" if n_skills == 1 else f"none of the {n_skills} skills here has"
