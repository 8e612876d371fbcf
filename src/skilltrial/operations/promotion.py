"""Promoted baselines as files: where they lie, read and written here alone."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from skilltrial.errors import SpecError
from skilltrial.execute.resume import read_trials
from skilltrial.gate.promotion import promoted_baseline
from skilltrial.pipeline import summarise
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import Store
from skilltrial.records.plan import Plan
from skilltrial.records.promoted import PromotedBaseline
from skilltrial.spec.findings import Findings
from skilltrial.spec.text_file import read_text
from skilltrial.spec.whole_file import write_whole

NAME = "baseline.json"
_MAX_BYTES = 16 * 1024 * 1024


def baseline_now(store: Store, iteration: int) -> PromotedBaseline:
    """What an iteration would be promoted as."""
    plan = read_plan(store, iteration)
    return promoted_baseline(plan, summarise(store, iteration), read_trials(store, plan, iteration))


def place_of_baseline(plan: Plan) -> Path:
    """`baseline.json` beside the eval file. Raises `SpecError` where there is none on this machine, as of an import."""
    suite, skill = Path(plan.suite.path), Path(plan.skill.folder)
    if suite.is_file():
        return suite.parent / NAME
    if suite.is_dir() and suite.is_relative_to(skill):
        return suite / NAME
    hint = "Say where the promoted baseline is, or is to be: --to FILE, --against FILE."
    raise SpecError("there is no eval file of a skill here, beside which it could lie.", where=str(suite), hint=hint)


def read_promoted(path: Path) -> PromotedBaseline:
    """The file, or that of a skill's folder. Raises `SpecError` for what is none."""
    if path.is_dir():
        inner = (path / "evals" / NAME, path / NAME)
        path = next((each for each in inner if each.is_file()), inner[0])
    text = read_text(path, Findings(), max_bytes=_MAX_BYTES)
    try:
        return PromotedBaseline.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = ".".join(map(str, first["loc"]))
        hint = "`skilltrial baseline promote WORKSPACE` writes one."
        message = f"this is no promoted baseline ({f'{at}: ' if at else ''}{first['msg']})."
        raise SpecError(message, where=str(path), hint=hint) from None


def write_promoted(path: Path, promoted: PromotedBaseline) -> None:
    """Replace the file, or make it. Raises `StoreError` where it cannot be written."""
    write_whole(path, promoted.model_dump_json(indent=2).encode() + b"\n")
