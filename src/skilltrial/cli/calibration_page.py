"""The calibration of a judge in front of a person."""

from __future__ import annotations

import json
from pathlib import Path

from skilltrial import wiring
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.journal import read_journal
from skilltrial.pipeline import newest_iteration, summarise
from skilltrial.report.calibration import calibration_sentences
from skilltrial.report.figures import plural


def print_calibration(workspace: Path, *, iteration: int | None, as_json: bool) -> None:
    """Print it; SpecError where no judge has a verdict."""
    store = wiring.open_store(workspace, write=False)
    number = newest_iteration(store, iteration)
    benchmark = summarise(store, number)
    found = benchmark.calibration
    if found is None:
        raise SpecError(
            "no judge has a verdict here, so there is none to check.",
            where=str(workspace),
            hint="`skilltrial grade WORKSPACE --judge NAME` grades what was run.",
        )
    unread = [f"{each.where} does not count: {each.why}" for each in read_journal(store).unread]
    if as_json:
        told = benchmark.model_dump(mode="json", include={"calibration"})
        put(json.dumps({"iteration": number, **told, "unread": unread}, indent=2, ensure_ascii=False) + "\n")
        return
    width = min(Screen().width, 80)
    head = (
        f"Iteration {number}: {plural(found.n_labels, 'label')} of people on {plural(found.n_judged, 'verdict')} of a judge; "
        f"{found.n_drawn} of them drawn at random for this judge."
    )
    put(paragraph(head, width) + "\n")
    if found.banner:
        put("\n" + paragraph(found.banner, width, indent="! ", further="  ") + "\n")
    sentences = [*calibration_sentences(found), *unread]
    if sentences:
        put("\n" + "".join(paragraph(each, width, indent="- ", further="  ") + "\n" for each in sentences))
