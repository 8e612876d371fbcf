"""Asking a model to explain a report, in front of a person."""

from __future__ import annotations

from functools import partial

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.operations.explaining import ExplainRequest, ProseOutlay, explain
from skilltrial.records.budget import Ceilings
from skilltrial.report.figures import dollars


def explain_and_tell(request: ExplainRequest, *, ask_above_usd: float, yes: bool) -> None:
    """Have the text written into the workspace; on standard error what it took. Reports show it from then on."""
    with Progress(Screen(stderr=True)) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=Ceilings(), progress=progress)
        prose = anyio.run(partial(explain, request, agree=partial(_agree, consent)))
        cost = "cost unknown" if prose.cost_usd is None else dollars(prose.cost_usd)
        progress.say(f"explained by {prose.model} ({cost}); it is kept with the figures")


async def _agree(consent: Consent, outlay: ProseOutlay) -> None:
    about = "at an unknown price" if outlay.usd is None else f"for about {dollars(outlay.usd)}"
    consent.progress.say(f"one call {about}; {outlay.n_chars:,} characters of figures and names are sent")
    await consent.agree_to_calls(1, outlay.usd, limits="leave --explain out")
