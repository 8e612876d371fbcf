"""Queries run with a description by a real agent."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skilltrial.execute.resume import read_trials
from skilltrial.execute.watcher import Watcher
from skilltrial.operations.description_search import Probed
from skilltrial.operations.spending import left_to, spent_by, why_stopped, with_calls
from skilltrial.records.budget import Ceilings, Estimate, Forecast, Stop
from skilltrial.records.optimisation import Candidate, Optimisation, QueryTally
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.records.trial import Trial
from skilltrial.report.figures import dollars, plural
from skilltrial.request import RunRequest
from skilltrial.spec.description import with_description
from skilltrial.spec.skill import SKILL_FILE
from skilltrial.spec.whole_file import write_whole
from skilltrial.trials import Trials, open_trials
from skilltrial.trigger.outcome import ErrorWatch, counts_as_loaded
from skilltrial.trigger.queries import CALLED, IDLE
from skilltrial.trigger.tally import first_runs, is_settled

ARM = "with_skill"
BEST, INCUMBENT = "new_skill", "old_skill"
_MOST_QUESTIONS = 2

Agree = Callable[[Forecast], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class TrialProber:
    """Satisfies `Prober`. Each description has a copy of the skill below `home`, a workspace, and an iteration of it.

    One after another, so that the newest iteration is always the one to go on with.
    """

    request: RunRequest
    """Of the whole: its skill is the one that is optimised."""
    skill: Skill
    suite: Suite
    """All queries as cases, canaries too."""
    home: Path
    """The folder of this search."""
    watcher: Watcher
    heeds_canaries: bool
    """Stop where the skill is never loaded though it is asked for by its name."""
    agree: Agree | None
    """Asked before the first run of this command about all that may follow, and once more where the price was unknown then."""
    _n_asked: int = 0

    async def search_runs(self, state: Optimisation, candidate: Candidate) -> Probed:
        """Train and validation, two runs of three at once; further ones where a query is not settled."""
        ids = state.part("train") | state.part("validation")
        if candidate.number == 0:
            ids |= {CALLED, IDLE}
        left = left_to(self.request.ceilings, with_calls(state.spent, state.calls), candidate.spent)
        if isinstance(left, str):
            return Probed(tallies=(), spent=candidate.spent, stopped=left)
        request = self._request(ids, left)
        request = replace(request, skill=self._version(candidate), arms=(ARM,))
        self.watcher.say(f"description {candidate.number} on train and validation")
        async with open_trials(request, watcher=self.watcher, agree=self._agreement(state)) as trials:
            stop = await _until_settled(trials, state.threshold)
            probed = self._probed(trials, ARM, stop)
        called = next((each for each in probed.tallies if each.id == CALLED), None)
        tallies = tuple(each for each in probed.tallies if each.id not in (CALLED, IDLE))
        stopped = probed.stopped
        if self.heeds_canaries and called and not stopped and called.n_not_loaded and not called.n_loaded:
            n = plural(called.n_not_loaded, "run")
            stopped = (
                f"Asked for by its name, the skill was loaded in none of {n}: nothing can be measured with this set-up. "
                "See to it with `skilltrial trigger`; --no-canaries goes on all the same."
            )
        return replace(probed, tallies=tallies, stopped=stopped)

    async def test_runs(self, state: Optimisation, best: Candidate, incumbent: Candidate) -> tuple[Probed, Probed]:
        """Both in one plan, interleaved; where they are one, once."""
        left = left_to(self.request.ceilings, with_calls(state.spent, state.calls), state.test_spent)
        if isinstance(left, str):
            stopped = Probed(tallies=(), spent=state.test_spent, stopped=left)
            return stopped, stopped
        one = best.number == incumbent.number
        request = self._request(state.part("test"), left)
        arms = replace(request, arms=(ARM,)) if one else replace(request, baseline=str(self._version(incumbent)))
        request = replace(arms, skill=self._version(best))
        self.watcher.say(
            "the test queries" + ("" if one else f" with descriptions {best.number} and {incumbent.number}")
        )
        async with open_trials(request, watcher=self.watcher, agree=self._agreement(state)) as trials:
            stop = await trials.run_missing(enough=ErrorWatch())
            new = self._probed(trials, ARM if one else BEST, stop)
            return new, new if one else self._probed(trials, INCUMBENT, stop)

    def _request(self, ids: Collection[str], left: Ceilings) -> RunRequest:
        cases = tuple(case for case in self.suite.cases if case.id in ids)
        return replace(
            self.request,
            suite=self.suite.model_copy(update={"cases": cases}),
            workspace=self.home,
            evals=Path(self.skill.folder),  # hidden from agents in a sandbox: the queries lie there
            until_loaded=True,
            ceilings=left,
        )

    def _version(self, candidate: Candidate) -> Path:
        """A copy of the skill with this description."""
        source = Path(self.skill.folder)
        folder = self.home / "versions" / f"description-{candidate.number}" / source.name
        for file in self.skill.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.unlink(missing_ok=True)  # what cannot be written can be replaced
            shutil.copy(source / file.path, target)
        if candidate.number:
            target = folder / SKILL_FILE
            # Bytes, since reading as text would change line ends.
            text = target.read_bytes().decode("utf-8")
            changed = with_description(text, candidate.description, file=str(source / SKILL_FILE))
            write_whole(target, changed.encode("utf-8"))
        return folder

    def _probed(self, trials: Trials, arm: str, stop: Stop | None) -> Probed:
        done = read_trials(trials.store, trials.plan, trials.iteration)
        return Probed(
            tallies=_tallies(trials, done, arm),
            spent=spent_by(done, free=trials.foresight.forecast.free),
            stopped=why_stopped(stop, self.request.ceilings) if stop else "",
            notices=trials.plan.notices,
        )

    def _agreement(self, state: Optimisation) -> Agree | None:
        agree = self.agree
        if agree is None or self._n_asked == _MOST_QUESTIONS:
            return None

        async def about_all(forecast: Forecast) -> None:
            n_most = most_runs(state)
            about = scaled(forecast, n_most)
            price = f", about {dollars(about.cost_usd.mean)}" if about.cost_usd else ""
            self.watcher.say(f"still to come: at most {plural(n_most, 'run')}{price}; settled queries take fewer")
            await agree(about)
            known = about.free or about.cost_usd is not None
            self._n_asked = _MOST_QUESTIONS if known else self._n_asked + 1

        return about_all


def most_runs(state: Optimisation) -> int:
    """What is still to come at the most: each description on train and validation, two on test."""
    n_search = len(state.part("train")) + len(state.part("validation"))
    waiting = sum(not each.tallies for each in state.candidates)
    n_rounds = 0 if state.ended else state.rounds - max((call.round for call in state.calls), default=0)
    n_test = 0 if state.test else 2 * len(state.part("test"))
    return state.runs * ((waiting + n_rounds) * n_search + n_test)


def scaled(forecast: Forecast, n_runs: int) -> Forecast:
    """The forecast for so many runs at the same price each; unknown stays unknown, and there is no range."""

    def of(estimate: Estimate | None) -> Estimate | None:
        known = estimate is not None and forecast.n_to_run
        return Estimate(mean=estimate.mean / forecast.n_to_run * n_runs) if known and estimate else None

    figures = {name: of(getattr(forecast, name)) for name in ("tokens", "cost_usd", "seconds")}
    return forecast.model_copy(update={"n_planned": n_runs, "n_finished": 0, "n_to_run": n_runs, **figures})


async def _until_settled(trials: Trials, threshold: float) -> Stop | None:
    """Run what a query needs at the least, then one more of each that is not settled, until all are or have had all runs."""
    plan, watch = trials.plan, ErrorWatch()
    before = read_trials(trials.store, plan, trials.iteration)
    n_first = first_runs(plan.runs, threshold)
    errors = frozenset(trial.key for trial in before if counts_as_loaded(trial) is None)
    wanted = errors | frozenset(each.key for each in plan.trials if each.key.repeat <= n_first)
    while wanted:
        stop = await trials.run_missing(wanted, enough=watch)
        if stop is not None:
            return stop
        done = read_trials(trials.store, plan, trials.iteration)
        open_ones = {
            each.id for each in _tallies(trials, done, ARM) if not is_settled(each, runs=plan.runs, threshold=threshold)
        }
        n_done = Counter(trial.key.case_id for trial in done)
        wanted = frozenset(
            each.key
            for each in plan.trials
            if each.key.case_id in open_ones and each.key.repeat == n_done[each.key.case_id] + 1
        )
    return None


def _tallies(trials: Trials, done: Sequence[Trial], arm: str) -> tuple[QueryTally, ...]:
    by_case: dict[str, list[bool | None]] = {case.id: [] for case in trials.plan.suite.cases}
    for trial in done:
        if trial.key.arm == arm:
            by_case[trial.key.case_id].append(counts_as_loaded(trial))
    return tuple(
        QueryTally(
            id=case.id,
            should_trigger=case.skill_should_trigger,
            n_loaded=by_case[case.id].count(True),
            n_not_loaded=by_case[case.id].count(False),
            n_errors=by_case[case.id].count(None),
        )
        for case in trials.plan.suite.cases
    )
