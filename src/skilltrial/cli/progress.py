"""What a person sees while trials run: one live line in a terminal, plain lines elsewhere."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar
from rich.text import Text

from skilltrial.records.grading import Grading
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Reason, Trial, TrialKey
from skilltrial.report.plain_text import line as one_line


class Progress:
    """Satisfies `execute.watcher.Watcher`. A context manager: the live display ends with it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar = Bar(TextColumn("trials"), BarColumn(bar_width=24), MofNCompleteColumn(), console=console)
        self._task = self._bar.add_task("trials", total=None)
        self._live: Live | None = None
        self._total = self._finished = self._before = self._failed = self._tokens = 0
        self._tokens_known = True
        self._cost: float | None = None
        self._running: dict[TrialKey, float] = {}
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def begins(self, plan: Plan, *, finished: int, iteration: int) -> None:
        """Say what will be done, and with what."""
        self._total, self._finished, self._before = len(plan.trials), finished, finished
        self._started = time.monotonic()
        harness = plan.harness
        model = f", model {harness.model}" if harness.model else ""
        version = f" {harness.version}" if harness.version else ""
        self._say(f"{plan.skill.name}: {self._total} trials, iteration {iteration}, by {harness.name}{version}{model}")
        self._say(f"  why this agent: {harness.why}")
        for repair in plan.repairs:
            self._say(f"  note: {repair.message}" + (f" ({repair.path})" if repair.path else ""))
        if finished:
            self._say(f"  {finished} of them are finished already and are kept")
        if self._console.is_terminal and finished < self._total:
            self._live = Live(self._view(), console=self._console, refresh_per_second=4, transient=True)
            self._live.start()

    def trial_starts(self, key: TrialKey) -> None:
        """Count it as running."""
        self._running[key] = time.monotonic()
        self._refresh()

    def trial_retries(self, key: TrialKey, reason: Reason | None, wait_s: float) -> None:
        """Say why it is tried again."""
        self._say(f"  {key}: {reason.message if reason else 'failed'} Trying again in {wait_s:.0f} s")

    def trial_ends(self, trial: Trial) -> None:
        """Add it up."""
        self._running.pop(trial.key, None)
        self._finished += 1
        self._failed += trial.outcome in {"harness_error", "cancelled"}
        tokens = trial.usage.total_tokens
        self._tokens_known &= tokens is not None
        self._tokens += tokens or 0
        if trial.cost_usd is not None:
            self._cost = (self._cost or 0.0) + trial.cost_usd
        if self._live is None:
            self._say(f"  {self._finished}/{self._total} {trial.key}: {_outcome(trial)}")
        self._refresh()

    def trial_graded(self, key: TrialKey, grading: Grading) -> None:
        """Grading is quick and needs no line of its own."""

    def _say(self, text: str) -> None:
        self._console.print(Text(one_line(text, 400)), soft_wrap=True)

    def _refresh(self) -> None:
        if self._live:
            self._live.update(self._view())

    def _view(self) -> Group:
        self._bar.update(self._task, total=self._total, completed=self._finished)
        parts = [f"{len(self._running)} running"]
        if self._failed:
            parts.append(f"{self._failed} failed")
        parts.append(f"{self._tokens:,} tokens" if self._tokens_known else "tokens unknown")
        if self._cost is not None:
            parts.append(f"${self._cost:.2f}")
        done = self._finished - self._before
        if done:
            left = (time.monotonic() - self._started) / done * (self._total - self._finished)
            parts.append(f"about {_duration(left)} left")
        return Group(self._bar, Text("  " + " · ".join(parts), style="dim"))


def _outcome(trial: Trial) -> str:
    text = f"{trial.outcome.replace('_', ' ')}, {trial.duration_ms / 1000:.1f} s"
    return f"{text}: {trial.reason.message}" if trial.reason else text


def _duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 90 else f"{max(1, round(seconds))} s"  # noqa: PLR2004 - as people say it
