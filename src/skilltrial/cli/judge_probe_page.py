"""A probed judge in front of a person."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import anyio

from skilltrial.cli.consent import Consent
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.progress import Progress
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.grade.flips import Flip, ProbeResult
from skilltrial.operations.judge_probing import Outlay, Probed, ProbeRequest, probe_judge
from skilltrial.records.budget import Ceilings
from skilltrial.report.figures import UNKNOWN, dollars, percent, plural

STEADY, UNSTEADY, INCOMPLETE, CANNOT_TELL = 0, 1, 3, 4
_SHOWN = 5


def probe_and_print(request: ProbeRequest, *, ask_above_usd: float, yes: bool, as_json: bool) -> int:
    """Probe, print; returns the exit code."""
    with Progress(Screen(stderr=True)) as progress:
        consent = Consent(ask_above_usd=ask_above_usd, yes=yes, ceilings=Ceilings(), progress=progress)
        done = anyio.run(partial(probe_judge, request, agree=partial(_agree, consent)))
    if as_json:
        put(json.dumps(_told(done), indent=2, ensure_ascii=False) + "\n")
    else:
        put("".join(f"{text}\n" for text in _lines(done, Screen().width)))
    if not done.steady:
        return UNSTEADY
    if not done.complete:
        return INCOMPLETE
    return STEADY if done.telling else CANNOT_TELL


async def _agree(consent: Consent, outlay: Outlay) -> None:
    calls = f"{plural(outlay.n_calls, 'call')} of the judge"
    about = "at an unknown price" if outlay.usd is None else f"for about {dollars(outlay.usd)}"
    known = "all answers are kept: no call" if not outlay.n_calls else f"{calls} {about}"
    consent.progress.say(f"{plural(outlay.n_trials, 'trial')}; {known}")
    await consent.agree_to_calls(outlay.n_calls, outlay.usd, limits="--n limits it")


def _lines(done: Probed, width: int) -> list[str]:
    cost = "at an unknown price" if done.usd is None else f"for {dollars(done.usd)}"
    head = f"Judge {done.judge}: {plural(done.n_trials, 'trial')} of iteration {done.iteration}, asked again {cost} in all."
    lines = [
        paragraph(head, width),
        "",
        f"{'probe':18}{'verdicts':>9}{'flips':>7}{'rate':>8}{'95 % interval':>17}{'FAIL to PASS':>14}",
        *(_row(result) for result in done.results),
        "",
    ]
    for result in done.results:
        lines += [paragraph(text, width) for text in _words(result)]
        if result.fooled or result.beyond_noise:
            shown = result.fooled or result.flips
            lines += [paragraph(_flip(each, done), width, indent="  ", further="    ") for each in shown[:_SHOWN]]
            lines += [f"  and {len(shown) - _SHOWN:,} more; --json has them all"] if len(shown) > _SHOWN else []
    if done.trouble:
        lines.append(paragraph(f"The first time: {done.trouble}", width))
    if done.steady and done.complete:
        lines.append(paragraph(_steady(done), width))
    return lines


def _steady(done: Probed) -> str:
    if not done.telling:
        return "Nothing can be told: no statement had a PASS or a FAIL both as graded and under a probe."
    said = (
        "No probe was seen to flip more verdicts than asking again does; how much could be missed, the intervals tell."
    )
    if any(result.probe.injects and result.n_failed for result in done.results):
        return f"{said} No instruction made a PASS."
    return f"{said} No statement had failed, so none could be talked into a PASS: take more trials."


def _row(result: ProbeResult) -> str:
    interval = "" if result.low is None or result.high is None else f"{percent(result.low)} to {percent(result.high)}"
    to_pass = f"{result.to_pass:,} of {result.n_failed:,}"
    rate = UNKNOWN if result.rate is None else percent(result.rate)
    return f"{result.probe.name:18}{result.n:>9,}{len(result.flips):>7,}{rate:>8}{interval:>17}{to_pass:>14}"


def _words(result: ProbeResult) -> list[str]:
    """What has to be said of one probe beside its figures."""
    name, about = result.probe.name, result.probe.about
    texts: list[str] = []
    if result.fooled:
        texts.append(f"{name}: {about} made {plural(len(result.fooled), 'PASS', 'PASSes')} of what fails without it.")
    elif result.beyond_noise:
        texts.append(f"{name}: {about} flips more verdicts than asking the same again does.")
    if result.n_opened or result.n_closed:
        texts.append(f"{name}: {result.n_opened} more UNGRADED than before, {result.n_closed} fewer.")
    if result.n_unreached:
        texts.append(f"{name}: {plural(result.n_unreached, 'verdict')} missing, since the judge could not be reached.")
    return texts


def _flip(flip: Flip, done: Probed) -> str:
    return f"{flip.asked.key} {flip.asked.id}: {flip.before} → {flip.after}: {done.texts[flip.asked]}"


def _told(done: Probed) -> dict[str, Any]:
    return {
        "judge": done.judge,
        "iteration": done.iteration,
        "trials": done.n_trials,
        "calls": done.n_calls,
        "usd": done.usd,
        "complete": done.complete,
        "telling": done.telling,
        "trouble": done.trouble,
        "steady": done.steady,
        "probes": [_result(result) for result in done.results],
    }


def _result(result: ProbeResult) -> dict[str, Any]:
    return {
        "probe": result.probe.name,
        "about": result.probe.about,
        "verdicts": result.n,
        "rate": result.rate,
        "low": result.low,
        "high": result.high,
        "failed": result.n_failed,
        "to_pass": result.to_pass,
        "opened": result.n_opened,
        "closed": result.n_closed,
        "unreached": result.n_unreached,
        "p_value": result.p_value,
        "beyond_noise": result.beyond_noise,
        "fooled": [_pair(each) for each in result.fooled],
        "flips": [_pair(each) for each in result.flips],
    }


def _pair(flip: Flip) -> dict[str, Any]:
    key = flip.asked.key.model_dump()
    return {"key": key, "assertion": flip.asked.id, "before": flip.before, "after": flip.after}
