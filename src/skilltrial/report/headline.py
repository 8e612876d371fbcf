"""The verdict in words: one of the four, the sentence that it stands on, and what the sentence means.

Estimate, interval, cases and repeats stand in one sentence. An absent proof of a lift is never called the absence of a lift.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import assert_never

from skilltrial.plan.differences import SKILL, differences
from skilltrial.records.benchmark import ArmSummary, Benchmark, CaseRow
from skilltrial.records.estimate import Lift, Word
from skilltrial.records.plan import HarnessChoice
from skilltrial.records.self_check import SAME_ARMS
from skilltrial.report.calibration import corrected_headline
from skilltrial.report.figures import Tone, chance, percent, plural, points, signed_points, size_in_points
from skilltrial.report.plain_text import line


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """What a reader takes away. The word is not part of the sentence."""

    word: Word
    tone: Tone
    sentence: str
    details: tuple[str, ...]
    """Further sentences: both arms' rates, why it cannot be told, what the interval and the test speak of."""


def headline(benchmark: Benchmark) -> Headline:
    """The verdict of a benchmark; without a baseline arm it is "cannot tell"."""
    lift = benchmark.lift
    if lift is None:
        return _without_baseline(benchmark)
    invalid = is_invalid(benchmark)
    skill = line(benchmark.metadata.skill_name, 60)
    same = SAME_ARMS in benchmark.notices
    claim = f"the baseline of {skill} against itself" if same else _claim(skill, lift, invalid=invalid)
    sentence = claim if lift.estimate is None else f"{claim}: {_difference(lift, invalid=invalid)}"
    facts = [
        _interval(lift),
        _size(lift.n_cases, lift.repeats_min, lift.repeats_max, families=families_of(lift)),
        set_up(benchmark),
    ]
    return Headline(
        word=lift.word,
        tone=word_tone(lift.word),
        sentence=f"{sentence} ({'; '.join(fact for fact in facts if fact)}).",
        details=tuple(_details(benchmark, lift, invalid=invalid)),
    )


def is_invalid(benchmark: Benchmark) -> bool:
    """Whether a finding says that the comparison answers no question about the skill."""
    return any(finding.severity == "invalid" for finding in benchmark.findings)


def arm_names(benchmark: Benchmark) -> tuple[str, ...]:
    """The arms, treatment first, then its baseline, then others."""
    names = [name for name, summary in benchmark.run_summary.items() if isinstance(summary, ArmSummary)]
    lift = benchmark.lift
    if lift is None:
        return tuple(names)
    pair = (lift.treatment, lift.baseline)
    return (*(name for name in pair if name in names), *(name for name in names if name not in pair))


def arm_title(benchmark: Benchmark, name: str) -> str:
    """An arm's name with its role, where it has one in the comparison."""
    lift = benchmark.lift
    if lift is not None and name == lift.treatment:
        return f"{line(name, 40)} (treatment)"
    if lift is not None and name == lift.baseline:
        return f"{line(name, 40)} (baseline)"
    return line(name, 40)


def paired(benchmark: Benchmark) -> tuple[CaseRow, ...]:
    """The cases that the lift is made of: graded in both arms."""
    return tuple(row for row in benchmark.cases if row.treatment is not None and row.baseline is not None)


def word_tone(word: Word) -> Tone:
    """Whether a word is good news."""
    match word:
        case "better":
            return "good"
        case "worse":
            return "bad"
        case "no difference beyond the margin":
            return "plain"
        case "cannot tell":
            return "warning"
        case _:
            assert_never(word)


def set_up(benchmark: Benchmark) -> str:
    """The agent program and the model, as in a sentence: `builtin, Qwen2.5-Coder-1.5B`."""
    meta = benchmark.metadata
    agents = {
        arm.name: f"{arm.harness.name}/{arm.harness.model or 'its own model'}" for arm in meta.arms if arm.harness
    }
    if len(set(agents.values())) > 1:
        return ", ".join(f"{line(name, 40)} on {line(agent, 80)}" for name, agent in agents.items())
    model = meta.executor_model or meta.harness.model_served or meta.harness.model_asked
    parts = [line(meta.harness.name, 40), line(model, 60) if model else "model unknown"]
    if meta.harness.discovery == "recorded":
        parts[0] = "recorded trials"
    elif meta.harness.discovery == "injected":
        parts.append("skill in the prompt from the start")
    return ", ".join(parts)


def _arm_differences(benchmark: Benchmark) -> tuple[str, ...]:
    """What the two compared arms differ in; empty where none are compared, or nobody can tell."""
    arms = {arm.name: arm for arm in benchmark.metadata.arms}
    lift = benchmark.lift
    if lift is None or lift.treatment not in arms or lift.baseline not in arms:
        return ()
    shared = HarnessChoice(name=benchmark.metadata.harness.name)
    return differences(arms[lift.treatment], arms[lift.baseline], shared)


def _without_baseline(benchmark: Benchmark) -> Headline:
    names = arm_names(benchmark)
    name = names[0] if names else "no arm"
    config = benchmark.configs.get(name)
    rate = config.overall_pass_rate if config else None
    result = "nothing was graded" if rate is None else f"{line(name, 40)} passes {percent(rate)} of the assertions"
    graded = [n for row in benchmark.cases if (n := max(row.n_treatment, row.n_baseline))]
    size = _size(len(graded), min(graded, default=0), max(graded, default=0))
    skill = line(benchmark.metadata.skill_name, 60)
    return Headline(
        word="cannot tell",
        tone="warning",
        sentence=f"{skill} cannot be judged without both a treatment and a baseline arm; {result} ({size}; {set_up(benchmark)}).",
        details=("A pass rate alone does not say what the skill adds: the agent may do as well without it.",),
    )


def _claim(skill: str, lift: Lift, *, invalid: bool) -> str:
    match lift.word:
        case "better":
            return f"{skill} helps"
        case "worse":
            return f"{skill} harms"
        case "no difference beyond the margin":
            return f"if {skill} changes the pass rate, then by less than {size_in_points(lift.margin)}"
        case "cannot tell" if invalid:
            return f"this comparison answers no question about {skill}"
        case "cannot tell":
            return f"these trials do not show whether {skill} helps or harms"
        case _:
            assert_never(lift.word)


def _difference(lift: Lift, *, invalid: bool) -> str:
    """Measured is what does not carry the claim before it."""
    if lift.word in ("better", "worse"):
        return points(lift.estimate)
    return f"{'raw difference' if invalid else 'measured'} {points(lift.estimate)}"


def _interval(lift: Lift) -> str:
    if lift.estimate is None:
        return "no estimate"
    if lift.low is None or lift.high is None:
        return "no interval"
    level = f"{lift.level * 100:g}"
    return f"{level} % interval {signed_points(lift.low)} to {signed_points(lift.high)}"


def families_of(lift: Lift) -> int | None:
    """How many independent observations the cases are, where families make them fewer; None where each stands for itself."""
    return lift.n_clusters if lift.n_clusters is not None and lift.n_clusters < lift.n_cases else None


def _size(n_cases: int, fewest: int, most: int, *, families: int | None = None) -> str:
    if n_cases == 0:
        return "0 cases"
    repeats = plural(most, "run") if fewest == most else f"{fewest}–{most} runs"
    return f"{plural(n_cases, 'case')}{_grouped(families)} × {repeats}"


def _grouped(families: int | None) -> str:
    return "" if families is None else f" in {plural(families, 'family', 'families')}"


def _details(benchmark: Benchmark, lift: Lift, *, invalid: bool) -> list[str]:
    details: list[str] = []
    rows = paired(benchmark)
    if rows:
        treatment = fmean(row.treatment for row in rows if row.treatment is not None)
        baseline = fmean(row.baseline for row in rows if row.baseline is not None)
        details.append(
            f"{arm_title(benchmark, lift.treatment)} passes {percent(treatment)} of the assertions, "
            f"{arm_title(benchmark, lift.baseline)} {percent(baseline)}: means over "
            f"{plural(len(rows), 'case')} graded in both"
            f"{'' if families_of(lift) is None else ', each counted once; the difference counts each family once'}."
        )
    told = _arm_differences(benchmark)
    if told and SKILL not in told:  # with the skill a notice of the plan says it
        details.append(line(f"The arms differ in: {'; '.join(told)}.", 400))
    if lift.word == "cannot tell":
        details.append(line(lift.why, 400))
    if invalid:
        return details
    details += corrected_headline(benchmark)
    if lift.visible is not None:
        details.append(f"The interval is about cases like these, not only these; {_reach(lift, lift.visible)}.")
    if lift.p_value is not None and lift.estimate:
        details.append(
            "On these very cases: dealing the same results to the two arms at random gives a difference at least this "
            f"large, either way, {chance(lift.p_value)} of the time."
        )
    return details


def _reach(lift: Lift, visible: float) -> str:
    if visible >= 1:
        return "it is wider than the scale, so that even the largest difference would be lost in it"
    families = families_of(lift)
    cases = plural(lift.n_cases, "case") if families is None else plural(families, "family", "families")
    return f"with {cases} that vary as these do, less than about {size_in_points(visible)} cannot be told from 0"
