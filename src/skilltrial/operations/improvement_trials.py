"""The trials of an improvement: with real agents, graded like those of any run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from skilltrial.aggregate.arms import Contest
from skilltrial.aggregate.census import Census, take_census
from skilltrial.aggregate.scores import case_scores, usable
from skilltrial.execute.resume import read_trials
from skilltrial.execute.watcher import Watcher
from skilltrial.feedback import Feedback, feedback_of
from skilltrial.grade.judge_view import step_line
from skilltrial.grade.run import read_gradings, read_material
from skilltrial.improve.material import Material, ShownTrial, failed_first
from skilltrial.improve.verdict import standing_of
from skilltrial.operations.comparison_files import ComparisonFolder
from skilltrial.operations.description_probing import scaled
from skilltrial.operations.improvement_loop import Tried
from skilltrial.operations.spending import left_to, spent_by, why_stopped, with_calls
from skilltrial.operations.version_shelf import VersionShelf
from skilltrial.pipeline import evaluate, summarise
from skilltrial.plan.iteration import iterations, read_plan
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.budget import Forecast
from skilltrial.records.events import AssistantMessage, ToolCall, ToolResult, UserMessage
from skilltrial.records.grading import Grading
from skilltrial.records.improvement import CasePart, Improvement, ScorePair, Standing, Training, Version
from skilltrial.records.journal import WholeCase
from skilltrial.records.optimisation import Spent
from skilltrial.records.plan import Plan
from skilltrial.records.settings import ArmSettings
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.report.figures import dollars, plural
from skilltrial.request import RunRequest
from skilltrial.trials import Trials, open_trials

_MOST_QUESTIONS = 2
_MAX_SUGGESTIONS = 20
_SHOWN = (AssistantMessage, ToolCall, ToolResult, UserMessage)

Agree = Callable[[Forecast], Awaitable[None]]


@dataclass(slots=True, kw_only=True)
class AgentTrier:
    """Satisfies `Trier`. One plan after another in the workspace `home`: the newest iteration is always the one to go on with."""

    request: RunRequest
    """Of the whole: its skill is the one that is improved."""
    suite: Suite
    home: Path
    root: Store
    """The workspace of runs, where people's words lie."""
    trials_store: Callable[[], Store]
    """Reads `home`."""
    shelf: VersionShelf
    watcher: Watcher
    agree: Agree | None
    """Asked before the first trial of this command about all that may follow, and once more where the price was unknown then."""
    _n_asked: int = 0

    async def train(self, state: Improvement, version: Version) -> Tried:
        """Alone, in an arm of its name."""
        name = f"train {version.name}"
        return await self._tried(state, name, "train", [version.name], baseline=None, repeats=state.runs)

    async def select(self, state: Improvement, repeats: int) -> Tried:
        """All of the round are in the plan; only those that are alive run on, and the incumbent with them."""
        name = f"select {state.round}"
        written = [call.version for call in state.calls if call.round == state.round and call.version]
        return await self._tried(
            state, name, "select", written, baseline=state.incumbent, repeats=repeats, alive=state.alive
        )

    async def test(self, state: Improvement, version: Version) -> Tried:
        """Both, interleaved."""
        name = f"holdout {version.name}"
        return await self._tried(state, name, "holdout", [version.name], baseline=state.incumbent, repeats=state.runs)

    async def _tried(
        self,
        state: Improvement,
        name: str,
        part: CasePart,
        versions: Sequence[str],
        *,
        baseline: str | None,
        repeats: int,
        alive: Sequence[str] = (),
    ) -> Tried:
        own = state.spent_on.get(name, Spent())
        left = left_to(self.request.ceilings, with_calls(state.spent, state.calls), own)
        if isinstance(left, str):
            return Tried(spent=own, stopped=left)
        arms = {each: ArmSettings(role="treatment", skill=str(self.shelf.folder(each))) for each in versions}
        if baseline is not None:
            arms[baseline] = ArmSettings(role="baseline", skill=str(self.shelf.folder(baseline)))
        cases = tuple(case for case in self.suite.cases if case.id in state.part(part))
        request = replace(
            self.request,
            skill=self.shelf.folder(versions[0]),
            suite=self.suite.model_copy(update={"cases": cases}),
            evals=Path(self.suite.path),
            workspace=self.home,
            named_arms=arms,
            ceilings=left,
        )
        self.watcher.say(state.doing)
        async with open_trials(request, watcher=self.watcher, agree=self._agreement(state)) as trials:
            chosen = frozenset([*(alive or versions), *([baseline] if baseline else [])])
            keys = frozenset(
                each.key for each in trials.plan.trials if each.key.arm in chosen and each.key.repeat <= repeats
            )
            stop = await trials.run_missing(keys)
            done = read_trials(trials.store, trials.plan, trials.iteration)
            spent = spent_by(done, free=trials.foresight.forecast.free)
            stopped = why_stopped(stop, self.request.ceilings) if stop else _lost(done, keys)
            if stopped:
                return Tried(spent=spent, stopped=stopped)
            gradings = await self._graded(trials)
        if baseline is None:
            return Tried(spent=spent, training=_training(gradings, trials.iteration))
        census = take_census(trials.plan, [each for each in done if each.key in keys], gradings)
        doubt = _doubt(trials) if part == "holdout" else ""
        standings = tuple(
            _standing(trials, census, each, baseline, repeats=repeats, doubt=doubt) for each in alive or versions
        )
        return Tried(spent=spent, standings=standings)

    async def _graded(self, trials: Trials) -> Sequence[Grading]:
        request, planned = self.request, trials.planned
        evaluation = await evaluate(
            trials.plan,
            trials.iteration,
            trials.store,
            judge=planned.judge,
            concurrency=request.concurrency,
            watcher=self.watcher,
            env=request.env,
            confinement=planned.confinement,
        )
        return evaluation.gradings

    def material(self, state: Improvement) -> Material:
        """From the files of the incumbent's trials on train, and from people's words on those cases in the newest run."""
        store, iteration = self.trials_store(), state.trainings[state.incumbent].iteration
        plan = read_plan(store, iteration)
        words = people_said(self.root, state.part("train"))
        graded = {grading.key: grading for grading in read_gradings(store, plan, iteration)}
        shown = [
            _shown(store, plan, iteration, trial, graded[trial.key], words.get(trial.key.case_id, ()))
            for trial in read_trials(store, plan, iteration)
            if trial.key in graded and trial.key.case_id in state.part("train")
        ]
        return Material(
            files=self.shelf.files(state.incumbent),
            trials=failed_first(shown),
            suggestions=suggestions_on(self.root, state.part("train")),
        )

    def _agreement(self, state: Improvement) -> Agree | None:
        agree = self.agree
        if agree is None or self._n_asked == _MOST_QUESTIONS:
            return None

        async def about_all(forecast: Forecast) -> None:
            n_most = most_trials(state)
            about = scaled(forecast, n_most)
            price = f", about {dollars(about.cost_usd.mean)}" if about.cost_usd else ""
            self.watcher.say(f"still to come: at most {plural(n_most, 'trial')}{price}; what drops out takes fewer")
            await agree(about)
            known = about.free or about.cost_usd is not None
            self._n_asked = _MOST_QUESTIONS if known else self._n_asked + 1

        return about_all


def most_trials(state: Improvement) -> int:
    """What is still to come at the most: in each round train, select with all candidates at full length, and hold-out."""
    sizes = {part: len(state.part(part)) for part in ("train", "select", "holdout")}
    n_rounds = 0 if state.ended else state.rounds - state.round + 1
    each = sizes["train"] + (state.candidates + 1) * sizes["select"] + 2 * sizes["holdout"]
    return state.runs * n_rounds * each


def _lost(done: Sequence[Trial], keys: Collection[TrialKey]) -> str:
    """Why there is no result for all of them; empty where there is."""
    failed = [each for each in done if each.key in keys and each.outcome in ("harness_error", "cancelled")]
    n_missing = len(keys) - sum(each.key in keys for each in done) + len(failed)
    if not n_missing:
        return ""
    reason = next((f": {each.reason.message.rstrip('.')}" for each in failed if each.reason), "")
    return f"{plural(n_missing, 'trial')} of {len(keys)} ended without a result{reason}."


def _training(gradings: Sequence[Grading], iteration: int) -> Training:
    n_failed, n_passed = (sum(getattr(each, name) for each in gradings) for name in ("n_failed", "n_passed"))
    rates = [rate for each in gradings if (rate := each.pass_rate) is not None]
    rate = sum(rates) / len(rates) if rates else None
    return Training(iteration=iteration, rate=rate, n_failed=n_failed, n_graded=n_failed + n_passed)


def _standing(trials: Trials, census: Census, version: str, incumbent: str, *, repeats: int, doubt: str) -> Standing:
    plan = trials.plan
    rows = usable(case_scores(plan, census, Contest(plan.arm(version), plan.arm(incumbent))))
    pairs = [
        ScorePair(case_id=row.case.id, family=row.case.family, version=new, incumbent=old)
        for row in rows
        if (new := row.treatment_mean) is not None and (old := row.baseline_mean) is not None
    ]
    return standing_of(version, incumbent, pairs, iteration=trials.iteration, repeats=repeats, doubt=doubt)


def _doubt(trials: Trials) -> str:
    """The findings that make the comparison no answer, as a run would have them."""
    benchmark = summarise(trials.store, trials.iteration)
    return " ".join(each.message for each in benchmark.findings if each.severity == "invalid")


def people_said(root: Store, case_ids: Collection[str]) -> dict[str, tuple[str, ...]]:
    """What people said of these cases in the newest run, in the order of their first words."""
    found = iterations(root)
    said: Feedback | None = feedback_of(root, found[-1]) if found else None
    words: dict[str, tuple[str, ...]] = {}
    for about, opinions in said.opinions.items() if said else ():
        if isinstance(about, TrialKey | WholeCase) and about.case_id in case_ids:
            texts = tuple(comment.text for opinion in opinions.values() for comment in opinion.comments)
            words[about.case_id] = words.get(about.case_id, ()) + texts
    return words


def suggestions_on(root: Store, case_ids: Collection[str]) -> tuple[str, ...]:
    """What analyses of the newest run's comparisons say of these cases, where the skill lost."""
    found = iterations(root)
    if not found:
        return ()
    folder = ComparisonFolder(root, found[-1])
    of_case = {name: next(iter(labels.values())).case_id for name, labels in folder.key().items() if labels}
    names = (PurePosixPath(path).stem for path in root.find(layout.comparison_path(found[-1], "analysis-*.json")))
    analyses = [analysis for name in names if (analysis := folder.analysis(name)) is not None]
    return tuple(
        each.suggestion
        for analysis in analyses
        if analysis.skilltrial and of_case.get(analysis.skilltrial.comparison) in case_ids
        if analysis.comparison_summary.loser_skill
        for each in analysis.improvement_suggestions
    )[:_MAX_SUGGESTIONS]


def _shown(
    store: Store, plan: Plan, iteration: int, trial: Trial, grading: Grading, words: tuple[str, ...]
) -> ShownTrial:
    case: Case = plan.case(trial.key.case_id)
    transcript = store.read(f"{layout.trial_dir(iteration, trial.key)}/{layout.TRANSCRIPT}") or b""
    material = read_material(plan, iteration, store, trial=trial, transcript=transcript)
    by_verdict = {
        verdict: [each for each in grading.results if each.verdict == verdict]
        for verdict in ("PASS", "FAIL", "UNGRADED")
    }
    return ShownTrial(
        case_id=case.id,
        prompt=case.prompt,
        expected=case.expected_output or "",
        outcome=trial.outcome,
        failed=tuple((each.text, each.evidence) for each in by_verdict["FAIL"]),
        passed=tuple(each.text for each in by_verdict["PASS"]),
        open=tuple(each.text for each in by_verdict["UNGRADED"]),
        answer=trial.final_message or "",
        steps=tuple(step_line(event) for event in material.events if isinstance(event, _SHOWN)),
        words=words,
    )
