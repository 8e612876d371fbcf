"""Promoted baselines in front of a person."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from skilltrial import wiring
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.single_workspace import single_iteration
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.gate.drift import drift_of
from skilltrial.gate.promotion import require_treatment
from skilltrial.gate.thresholds import invalid_codes
from skilltrial.operations.promotion import baseline_now, place_of_baseline, read_promoted, write_promoted
from skilltrial.pipeline import summarise
from skilltrial.plan.iteration import read_plan
from skilltrial.records.promoted import PromotedBaseline
from skilltrial.report.plain_text import encodable
from skilltrial.report.promoted import arm_headline, arm_rows, drift_headline, drift_rows, promoted_headline


def promote_and_print(workspace: Path, *, iteration: int | None, to: Path | None, as_json: bool) -> None:
    """Write the file and say what is in it. Raises `SpecError` where no treatment arm has a verdict."""
    store = wiring.open_store(workspace, write=False)
    number = single_iteration(store, iteration)
    promoted = baseline_now(store, number)
    require_treatment(promoted, where=str(workspace))
    benchmark = summarise(store, number)
    if to is None and benchmark.metadata.harness.discovery == "recorded":
        hint = "Run it with an agent, or say with --to FILE where these figures are to lie all the same."
        raise SpecError("these trials are replays of recorded ones.", where=str(workspace), hint=hint)
    path = to or place_of_baseline(read_plan(store, number))
    write_promoted(path, promoted)
    if as_json:
        put(promoted.model_dump_json(indent=2, ensure_ascii=True) + "\n")
        return
    invalid = invalid_codes(benchmark)
    told = f"The comparison of the arms was not valid ({', '.join(invalid)}); these are the figures of each arm alone."
    _print(
        [
            *_promoted(promoted),
            "",
            *([_Text(told, "! ")] if invalid else []),
            _Text(f"Written to {path}. Commit it with the skill."),
        ]
    )


def print_promoted(file: Path, *, as_json: bool) -> None:
    """Print what a file holds."""
    promoted = read_promoted(file)
    if as_json:
        put(promoted.model_dump_json(indent=2, ensure_ascii=True) + "\n")
        return
    _print(_promoted(promoted))


def print_drift(workspace: Path, *, iteration: int | None, against: Path | None, as_json: bool) -> None:
    """Compare and print."""
    store = wiring.open_store(workspace, write=False)
    number = single_iteration(store, iteration)
    then = read_promoted(against or place_of_baseline(read_plan(store, number)))
    drift = drift_of(then, baseline_now(store, number))
    if as_json:
        put(drift.model_dump_json(indent=2, ensure_ascii=True) + "\n")
        return
    _print([_Text(drift_headline(drift)), *(_Text(note, "! ") for note in drift.notes), "", *drift_rows(drift)])


class _Text(NamedTuple):
    """What is put into lines of the width of the screen."""

    text: str
    indent: str = ""


def _promoted(promoted: PromotedBaseline) -> Iterator[_Text | str]:
    yield _Text(promoted_headline(promoted))
    for name, arm in promoted.arms.items():
        yield ""
        yield _Text(arm_headline(name, arm))
        yield from arm_rows(arm)


def _print(rows: Iterable[_Text | str]) -> None:
    console = Screen()
    width = min(console.width, 80)
    shown = (
        paragraph(row.text, width, indent=row.indent, further=" " * len(row.indent)) if isinstance(row, _Text) else row
        for row in rows
    )
    put(encodable("".join(f"{row}\n" for row in shown), console.encoding))
