"""One comparison under several agents: what each cell is, and what an error of one leaves of the others."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from skilltrial.errors import AuthFailed
from skilltrial.operations.cells import Cell, worst
from skilltrial.operations.matrix import cells_of, run_matrix
from skilltrial.pipeline import RunResult
from skilltrial.records.budget import Ceilings, Forecast
from skilltrial.records.matrix import Matrix, MatrixCell
from skilltrial.request import RunRequest


@pytest.fixture
def request_of(tmp_path: Path) -> RunRequest:
    """A skill with one case, and a Claude Code that only tells its version."""
    skill = tmp_path / "tidy"
    (skill / "evals").mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies.\n---\n")
    case = {"id": "a", "prompt": "Do it.", "assertions": [{"id": "x", "type": "answer_matches", "pattern": "y"}]}
    (skill / "evals/evals.json").write_text(json.dumps({"skill_name": "tidy", "evals": [case]}))
    program = tmp_path / "claude"
    program.write_text("#!/bin/sh\necho 2.1.0\n")
    program.chmod(0o755)
    env = {"SKILLTRIAL_CLAUDE": str(program), "ANTHROPIC_API_KEY": "dummy-key-1234", "HOME": str(tmp_path)}
    return RunRequest(skill=skill, env=env, runs=2, workspace=tmp_path / "w")


async def _agreed(_forecast: Forecast) -> None:
    """Nobody minds."""


def test_every_combination_is_a_run_in_a_workspace_of_its_own(request_of: RunRequest) -> None:
    """Harnesses first; a model that says its harness needs none."""
    cells = cells_of(request_of, ("codex", "pi"), ("a", "b/c"))
    assert [cell.name for cell in cells][:2] == ["codex--a", cells[1].name]
    assert [(cell.request.harness, cell.request.model) for cell in cells] == [
        ("codex", "a"),
        ("codex", "b/c"),
        ("pi", "a"),
        ("pi", "b/c"),
    ]
    assert len({cell.request.workspace for cell in cells}) == 4
    alone = cells_of(request_of, (), ("opus", "openai:gpt-5"))
    assert [cell.name.partition("--")[0] for cell in alone] == ["claude-code", "builtin"]


def test_an_error_of_a_cell_stays_in_its_row(request_of: RunRequest, tmp_path: Path) -> None:
    """One cannot be planned, one is refused its key; both are told, and the ceilings of the others are not touched."""
    tried: list[str] = []

    async def refused(cell: Cell) -> RunResult:
        tried.append(cell.name)
        assert cell.request.ceilings == Ceilings(max_trials=9)
        raise AuthFailed("the key was refused.")

    cells = cells_of(request_of, ("nope", "claude-code"), ())
    request = RunRequest(
        skill=request_of.skill, env=request_of.env, workspace=request_of.workspace, ceilings=Ceilings(max_trials=9)
    )

    async def run() -> Matrix:
        return await run_matrix(cells, request, run_cell=refused, agree=_agreed)

    matrix = anyio.run(run)
    assert tried == ["claude-code--default"]
    assert [cell.exit_code for cell in matrix.cells] == [2, 3]
    assert "there is no harness named 'nope'" in matrix.cells[0].error
    assert worst(matrix.cells) == 3
    page = (tmp_path / "w/matrix.md").read_text()
    assert "| nope, default | error |" in page
    assert "claude-code--default: the key was refused." in page
    assert "nothing adjusts them" in page


@pytest.mark.parametrize(("codes", "expected"), [((0, 0), 0), ((0, 4), 4), ((4, 2), 2), ((2, 3, 0), 3)])
def test_the_exit_code_is_that_of_the_worst_cell(codes: tuple[int, ...], expected: int) -> None:
    """A tool's failure is worse than a mistake in the request, and that than a ceiling."""
    cells = tuple(MatrixCell(name="c", harness=None, model=None, workspace="w", exit_code=code) for code in codes)
    assert worst(cells) == expected
