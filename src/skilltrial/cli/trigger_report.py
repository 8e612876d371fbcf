"""Trigger results that are there, in front of a person or a program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from skilltrial import wiring
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.cli.trigger_matrix import print_trigger_matrix
from skilltrial.cli.trigger_page import trigger_lines
from skilltrial.errors import SpecError
from skilltrial.operations.trigger_matrix import read_trigger_matrix
from skilltrial.operations.triggering import results_in
from skilltrial.plan.iteration import iterations
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.trigger_results import TriggerMatrix, TriggerResults
from skilltrial.report.plain_text import encodable

_WIDTH = 80


def triggers_at(store: Store, iteration: int | None) -> TriggerResults | TriggerMatrix | None:
    """Of a trigger workspace, or of a workspace with nothing but one in it; None where there are none."""
    numbers = iterations(store)
    inner = store.path(layout.TRIGGERS)
    if not numbers and inner.is_dir() and store.read(layout.MATRIX) is None:
        return triggers_at(wiring.open_store(inner, write=False), iteration)
    number = iteration or max(numbers, default=None)
    return read_trigger_matrix(store) if number is None else results_in(store, number)


def tell_triggers(
    told: TriggerResults | TriggerMatrix, *, form: str, out: Path | None, deliver: Callable[[str, Path | None], None]
) -> None:
    """In words or as JSON. Raises `SpecError` for another form."""
    if form == "json":
        deliver(told.model_dump_json(indent=2) + "\n", out)
        return
    if form != "terminal" or (out is not None and isinstance(told, TriggerMatrix)):
        raise SpecError(
            f"trigger results have no format {form!r}{'' if out is None else ' in a file'}.",
            where="--format",
            hint="There are terminal and json; `skilltrial view` shows them on a page.",
        )
    if isinstance(told, TriggerMatrix):
        print_trigger_matrix(told, Screen())
        return
    console = Screen()
    text = "".join(f"{row}\n" for row in trigger_lines(told, min(console.width, _WIDTH)))
    if out is None:
        put(encodable(text, console.encoding))
    else:
        deliver(text, out)
