"""What a person sees while trials run: two live lines in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from contextlib import suppress
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from skilltrial.records.budget import Forecast
from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Reason, Trial, TrialKey
from skilltrial.report.forecast import forecast_lines
from skilltrial.report.plain_text import line as one_line

_BAR = 24
_ROOM_FOR_A_BAR = 60
_LOADED = {True: "loaded, ", False: "not loaded, ", None: ""}


class Progress:
    """Satisfies `execute.watcher.Watcher`. A context manager: the live display ends with it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Live | None = None
        self._total = self._finished = self._before = self._failed = self._graded = self._tokens = 0
        self._tokens_known = True
        self._until_loaded = False
        self._only_grades = False
        self._costs: list[float | None] = []
        self._running: dict[TrialKey, float] = {}
        self._started = time.monotonic()

    @property
    def kept(self) -> str:
        """A sentence on what is finished."""
        if self._only_grades:
            return f"{self._graded} of {self._total} trials have their gradings, which are kept."
        if not self._total:
            return "No trial had begun."
        return f"{self._finished - self._failed} of {self._total} trials are finished and kept."

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # the terminal itself may have gone
            if self._live:
                self._live.stop()

    def begins(self, plan: Plan, *, finished: int, iteration: int) -> None:
        """Say what will be done, and with what."""
        self._total, self._finished, self._before = len(plan.trials), finished, finished
        self._until_loaded = plan.until_loaded
        self._started = time.monotonic()
        harness = plan.harness
        model = f", model {harness.model}" if harness.model else ""
        version = f" {harness.version}" if harness.version else ""
        judge = f", judge {plan.judge}" if plan.judge else ""
        trials = "1 trial" if self._total == 1 else f"{self._total} trials"
        self._say(f"{plan.skill.name}: {trials}, iteration {iteration}, by {harness.name}{version}{model}{judge}")
        self._say(f"why this agent: {harness.why}", indent=2)
        for arm in plan.arms:
            if used := arm.harness:
                self._say(f"{arm.name} on {used.name}, model {used.model or 'of its own'}", indent=2)
        for repair in plan.repairs:
            self._say(f"note: {repair.message}" + (f" ({repair.path})" if repair.path else ""), indent=2)
        if finished:
            are = "is" if finished == 1 else "are"
            self._say(f"{finished} of them {are} finished already and {are} kept", indent=2)

    def grades(self, n_trials: int) -> None:
        """From here on trials are only graded, so many."""
        self._only_grades, self._total = True, n_trials

    def forecasts(self, forecast: Forecast) -> None:
        """Say in two lines what is to come."""
        for text in forecast_lines(forecast):
            self._say(text, indent=2)

    def concurrency_changes(self, limit: int) -> None:
        """Say that the service wants us slower, or lets us go faster again."""
        self._say(f"rate limits: at most {limit} {'trial' if limit == 1 else 'trials'} at a time for now", indent=2)

    def halts(self, why: str, *, program: str | None = None) -> None:
        """Say that nothing more is started, or nothing more of one agent program."""
        if program is not None:
            self._say(f"no further trial of {program} is started: {why}", indent=2)
            return
        n = len(self._running)
        rest = f" {n} running {'trial finishes' if n == 1 else 'trials finish'}." if n else ""
        self._say(f"no further trial is started: {why}{rest}", indent=2)

    def trial_starts(self, key: TrialKey) -> None:
        """Count it as running."""
        self._go_live()
        self._running[key] = time.monotonic()

    def trial_retries(self, key: TrialKey, reason: Reason | None, wait_s: float) -> None:
        """Say why it is tried again."""
        self._say(f"{key}: {reason.message if reason else 'failed'} Trying again in {wait_s:.0f} s", indent=2)

    def trial_ends(self, trial: Trial) -> None:
        """Add it up."""
        self._go_live()
        self._running.pop(trial.key, None)
        self._finished += 1
        self._failed += trial.outcome in {"harness_error", "cancelled"}
        tokens = trial.spent_tokens
        self._tokens_known &= tokens is not None
        self._tokens += tokens or 0
        self._costs += [*(attempt.spent_usd() for attempt in trial.attempts[:-1]), trial.spent_usd()]
        if self._live is None or trial.reason:
            loaded = _LOADED[trial.evidence.reached] if self._until_loaded else ""
            self._say(f"{self._finished}/{self._total} {trial.key}: {loaded}{_outcome(trial)}", indent=2)

    def trial_drops(self, key: TrialKey) -> None:
        """It never began."""
        self._running.pop(key, None)

    def trial_graded(self, key: TrialKey, grading: Grading) -> None:  # noqa: ARG002 - the protocol has them
        """Count it; a judge may take its time."""
        self._go_live()
        self._graded += 1

    def stops(self) -> None:
        """Say that the agents are being ended, which may take a few seconds."""
        n = len(self._running)
        self._say(f"stopping {n} running … (once more: kill them)" if n else "stopping …", indent=2)

    def _go_live(self) -> None:
        """Not earlier: before the first trial a person may be asked something."""
        if self._live is None and self._console.is_terminal:
            self._started = time.monotonic()
            self._live = Live(get_renderable=self._view, console=self._console, refresh_per_second=4, transient=True)
            self._live.start()

    def say(self, text: str) -> None:
        """A line of somebody else's."""
        self._say(text, indent=2)

    def _say(self, text: str, *, indent: int = 0) -> None:
        with suppress(OSError):  # a full disk behind a redirection is no reason to lose a trial
            shown = Text(one_line(text, 400))
            if self._console.is_terminal:
                self._console.print(Padding(shown, (0, 0, 0, indent), expand=False))
            else:
                self._console.print(Text(" " * indent) + shown, soft_wrap=True)

    def _view(self) -> Group:
        if self._only_grades:
            return self._beside_bar([f"{self._graded} of {self._total} trials graded"], self._graded)
        counts = [f"{self._finished} of {self._total} trials"]
        counts += [f"{len(self._running)} running"] if self._running else []
        counts += [f"{self._failed} failed"] if self._failed else []
        counts += [f"{self._graded} graded"] if self._graded else []
        return self._beside_bar(counts, self._finished)

    def _beside_bar(self, counts: list[str], completed: int) -> Group:
        head: RenderableType = _cut(" · ".join(counts))
        if self._console.width >= _ROOM_FOR_A_BAR:
            grid = Table.grid(padding=(0, 1))
            grid.add_row(ProgressBar(total=self._total, completed=completed, width=_BAR), head)
            head = grid
        return Group(head, _cut(" · ".join(self._spent())))

    def _spent(self) -> list[str]:
        parts = [f"{_duration(time.monotonic() - self._started)} so far"]
        done = self._finished - self._before
        if done and self._finished < self._total:
            left = (time.monotonic() - self._started) / done * (self._total - self._finished)
            parts.append(f"about {_duration(left)} left")
        if done:
            parts.append(f"{self._tokens:,} tokens" if self._tokens_known else "tokens unknown")
        costs = [cost for cost in self._costs if cost is not None]
        if costs:
            least = "" if len(costs) == len(self._costs) else "at least "
            parts.append(f"{least}${sum(costs):.2f}")
        return parts


def _cut(text: str) -> Text:
    return Text(text, style="dim", no_wrap=True, overflow="ellipsis")


def _outcome(trial: Trial) -> str:
    took = "" if trial.duration_ms is None else f", {trial.duration_ms / 1000:.1f} s"
    text = f"{trial.outcome.replace('_', ' ')}{took}"
    return f"{text}: {trial.reason.message}" if trial.reason else text


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(1, round(seconds))} s"  # noqa: PLR2004 - as people say it
