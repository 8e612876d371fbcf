"""Asking a person before much is spent, where there is one to ask."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import anyio

from skilltrial.cli.progress import Progress
from skilltrial.errors import SkilltrialError
from skilltrial.records.budget import Ceilings, Estimate, Forecast
from skilltrial.report.figures import dollars, plural

MANY = 20
"""More trials than these, of unknown cost, are asked about."""


class Declined(SkilltrialError):
    """The person said no."""

    code = "declined"
    exit_code = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What a person agreed to beforehand."""

    ask_above_usd: float
    yes: bool
    ceilings: Ceilings
    progress: Progress

    async def agree(self, forecast: Forecast) -> None:
        """Ask where the forecast is high or unknown; without a terminal go on, and say so. Raises `Declined`."""
        await self.settle(self.concern(forecast), limits="--max-cost and --max-trials limit it")

    async def settle(self, why: str | None, *, limits: str) -> None:
        """Ask for this reason; None: go on. `limits` says what else would hold the cost. Raises `Declined`."""
        if why is None or self.yes:
            return
        if not (sys.stdin and sys.stdin.isatty() and sys.stderr.isatty()):
            self.progress.say(f"{why}; nobody can be asked here, so it goes on ({limits})")
            return
        sys.stderr.write(f"  {why[0].upper()}{why[1:]}. Go on? [y/N] ")
        sys.stderr.flush()
        await anyio.wait_readable(sys.stdin)  # so that Ctrl-C is heard meanwhile
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            raise Declined("nothing was started.", hint="--yes goes on without a question, --ask-above says from when.")

    async def agree_to_calls(self, n_calls: int, usd: float | None, *, limits: str) -> None:
        """Ask where so many calls of judges are too dear or of unknown price. Raises `Declined`."""
        why = None
        if usd is None and n_calls > MANY:
            why = f"what {plural(n_calls, 'call')} of the judge will cost is unknown"
        elif usd is not None and usd > self.ask_above_usd:
            why = f"about {dollars(usd)} is more than --ask-above {dollars(self.ask_above_usd)}"
        await self.settle(why, limits=limits)

    def concern(self, forecast: Forecast) -> str | None:
        """Why to ask; None where there is no reason to."""
        most = self.ceilings.max_cost_usd
        # No ceiling holds the judge, so a low one answers for the agents only.
        held = forecast.free or not forecast.n_to_run or (most is not None and most <= self.ask_above_usd)
        agents = 0.0 if held else _mean(forecast.cost_usd)
        judge = _mean(forecast.judge_usd) if forecast.judge and forecast.n_to_judge else 0.0
        expected = (agents or 0.0) + (judge or 0.0)
        if expected > self.ask_above_usd:
            part = " (with the judge)" if judge else ""
            return f"about {dollars(expected)}{part} is more than --ask-above {dollars(self.ask_above_usd)}"
        if agents is None:
            many = forecast.n_to_run > MANY
            return f"what {plural(forecast.n_to_run, 'trial')} will cost is unknown" if many else None
        if judge is None and max(forecast.n_judge_calls, forecast.n_to_judge) > MANY:
            return f"what the judge of {plural(forecast.n_to_judge, 'trial')} will cost is unknown"
        return None


def _mean(estimate: Estimate | None) -> float | None:
    return None if estimate is None else estimate.mean
