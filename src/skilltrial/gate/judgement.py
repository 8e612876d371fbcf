"""All rules of a gate -> its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from skilltrial.errors import SpecError
from skilltrial.gate.comparison import against_arm, against_promoted
from skilltrial.gate.primary import NAME, primary_rules
from skilltrial.gate.thresholds import Places, invalid_codes, threshold_rules, without_result
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.gate import EXIT_CODES, Gate, GateOutcome, Rule
from skilltrial.records.plan import Plan
from skilltrial.records.promoted import Drift
from skilltrial.records.settings import GateSettings
from skilltrial.records.trigger_results import TriggerResults
from skilltrial.report.figures import plural


def judge_gate(
    plan: Plan,
    benchmark: Benchmark,
    settings: GateSettings,
    *,
    place: Places,
    settings_file: str = "",
    promoted: str = "",
    drifts: Sequence[Drift] = (),
    triggers: TriggerResults | None = None,
) -> Gate:
    """Every rule with its figure, and what follows for the whole.

    One failed rule is a regression, whatever else is unknown; else trials that were lost to errors of tools leave it incomplete;
    else anything undecided is "cannot tell". `place` says where a key of `[gate]` is written. `promoted` names the file that the
    `drifts`, one a treatment arm, are about; empty: the baseline arm. `triggers` are the newest of the workspace. Raises
    `SpecError` for a golden case that is not in the suite, where there is no treatment arm, and where nobody asked for a rule.
    """
    _require_treatment(plan)
    _require_cases(plan, settings, place("golden"))
    comparisons = against_promoted(drifts) if promoted else against_arm(plan, benchmark)
    rules = (
        *primary_rules(comparisons, settings, place=place(NAME), invalid=invalid_codes(benchmark)),
        *threshold_rules(plan, benchmark, settings, place=place, triggers=triggers),
    )
    _require_rules(rules, settings, place(NAME))
    missing = without_result(benchmark)
    ceiling = benchmark.stop is not None and benchmark.stop.decision is None
    n_not_run = sum(each.outcome == "not_run" for each in missing) if ceiling else 0
    n_lost = sum(each.outcome in {"harness_error", "cancelled", "not_run"} for each in missing) - n_not_run
    outcome = _outcome(rules, n_lost, n_not_run)
    baseline = next((arm.name for arm in plan.arms if arm.role == "baseline"), "")
    return Gate(
        skill=plan.skill.name,
        iteration=benchmark.iteration,
        against=promoted or baseline,
        settings=settings_file,
        outcome=outcome,
        exit_code=EXIT_CODES[outcome],
        rules=rules,
        n_lost=n_lost,
        n_not_run=n_not_run,
        notes=(
            *_lost(n_lost, n_not_run),
            *_decided(benchmark),
            *dict.fromkeys(note for drift in drifts for note in drift.notes),
        ),
    )


def _outcome(rules: Sequence[Rule], n_lost: int, n_not_run: int) -> GateOutcome:
    if any(rule.outcome == "fail" for rule in rules):
        return "regression"
    if n_lost:
        return "incomplete"
    return "cannot tell" if n_not_run or any(rule.outcome == "undecided" for rule in rules) else "pass"


def _lost(n_lost: int, n_not_run: int) -> Iterator[str]:
    if n_lost:
        yield f"{plural(n_lost, 'trial')} without a result: errors of tools, or an interruption. The same `run` does them again."
    if n_not_run:
        yield f"{plural(n_not_run, 'trial')} not run: a ceiling was reached. The same `run` with a higher one goes on."


def _decided(benchmark: Benchmark) -> Iterator[str]:
    if benchmark.stop and (decision := benchmark.stop.decision):
        yield f"Stopped after round {decision.round} of {decision.max_rounds}: the interval may {decision.bias} the lift."


def _require_treatment(plan: Plan) -> None:
    if not any(arm.role == "treatment" for arm in plan.arms):
        names = ", ".join(arm.name for arm in plan.arms)
        raise SpecError(f"there is no treatment arm here ({names}), so nothing that a gate could hold to anything.")


def _require_rules(rules: Sequence[Rule], settings: GateSettings, place: str) -> None:
    """A gate that passes whatever the skill does would be taken for one that holds."""
    unasked = "no_invalid_findings" not in settings.model_fields_set
    if rules and not (unasked and {rule.name for rule in rules} == {"no_invalid_findings"}):
        return
    raise SpecError(
        'gate.primary is "none" and there is no other rule, so nothing is checked.',
        where=place,
        hint='Add a rule, like min_pass_rate or golden, or take primary = "non-inferiority".',
    )


def _require_cases(plan: Plan, settings: GateSettings, place: str) -> None:
    known = [case.id for case in plan.suite.cases]
    for case_id in settings.golden:
        if case_id not in known:
            near = get_close_matches(case_id, known, n=1)
            meant = f"Did you mean {near[0]!r}? " if near else ""
            raise SpecError(
                f"gate.golden names {case_id!r}, which is no case of this workspace.",
                where=place,
                hint=f"{meant}Cases: {', '.join(known[:10])}{', …' if len(known) > 10 else ''}.",  # noqa: PLR2004 - examples
            )
