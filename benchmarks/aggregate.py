"""CPU time of aggregating trials and of the reports: 100 cases, two arms, 10 repeats, four assertions each."""

from __future__ import annotations

import argparse
import io
import random
import time
from collections.abc import Callable
from typing import TypeVar

from rich.console import Console

from skilltrial.aggregate.benchmark import aggregate
from skilltrial.aggregate.census import take_census
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import AnswerMatches, Case, Suite
from skilltrial.records.trial import Attempt, HarnessFacts, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage
from skilltrial.report import html, junit, markdown, terminal
from skilltrial.report.trial_table import TRIAL_COLUMNS, as_csv, trial_rows

NOW = "2026-03-01T12:00:00Z"
EVIDENCE = 'The final message says <so> at length, and "quotes" it, line after line.\n' * 5
REPEATS = 10
N_ASSERTIONS = 4
ResultT = TypeVar("ResultT")


def make_plan(n_trials: int) -> Plan:
    """As many cases as the trials need."""
    skill = SkillRef(name="tidy", folder="tidy", fingerprint="sha256:1")
    arms = (Arm(name="with_skill", role="treatment", skill=skill), Arm(name="without_skill", role="baseline"))
    cases = tuple(
        Case(
            id=f"case-{number}",
            prompt="Do it.",
            assertions=tuple(
                AnswerMatches(id=f"a{n}", text=f"the answer holds {n}", pattern=str(n)) for n in range(N_ASSERTIONS)
            ),
        )
        for number in range(max(n_trials // (2 * REPEATS), 1))
    )
    keys = [
        TrialKey(case_id=case.id, arm=arm.name, repeat=repeat)
        for case in cases
        for repeat in range(1, REPEATS + 1)
        for arm in arms
    ]
    return Plan(
        skilltrial_version="0",
        created_at=NOW,
        skill=skill,
        suite=Suite(dialect="agentskills", path="evals.json", digest="sha256:2", cases=cases),
        arms=arms,
        trials=tuple(PlannedTrial(key=key, seed=key.repeat) for key in keys),
        harness=HarnessChoice(name="stub"),
        seed=1,
        runs=REPEATS,
        timeout_s=60,
        digest="sha256:3",
    )


def make_trial(key: TrialKey) -> Trial:
    """A trial that went well."""
    skilled = key.arm == "with_skill"
    return Trial(
        key=key,
        outcome="completed",
        started_at=NOW,
        duration_ms=20_000 + 100 * key.repeat,
        usage=Usage(input_tokens=10_000, output_tokens=1_000),
        cost_usd=0.01,
        harness=HarnessFacts(name="stub", model_served="model"),
        evidence=SkillEvidence(offered=skilled, loaded=skilled),
        attempts=(Attempt(outcome="completed", started_at=NOW, duration_ms=20_000),),
        tool_calls={"read": 3, "write": 1},
        isolation="folder",
        seed=key.repeat,
        plan_digest="sha256:3",
    )


def make_grading(key: TrialKey, rng: random.Random) -> Grading:
    """Verdicts by chance, more passes with the skill."""
    chance = 0.8 if key.arm == "with_skill" else 0.5
    return Grading(
        key=key,
        results=tuple(
            AssertionResult(
                id=f"a{n}",
                text=f"the answer holds {n}",
                type="answer_matches",
                verdict="PASS" if rng.random() < chance else "FAIL",
                evidence=EVIDENCE,
                grader="code",
            )
            for n in range(N_ASSERTIONS)
        ),
        digest="sha256:4",
    )


def timed(name: str, work: Callable[[], ResultT]) -> ResultT:
    """Print the CPU time of one call after another that fills the caches."""
    work()
    before = time.process_time()
    result = work()
    print(f"{name:24} {time.process_time() - before:6.2f} s CPU")
    return result


def main() -> None:
    """Print one line a step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=2_000)
    plan = make_plan(parser.parse_args().trials)
    keys = [planned.key for planned in plan.trials]
    rng = random.Random(plan.seed)
    trials = [make_trial(key) for key in keys]
    gradings = [make_grading(key, rng) for key in keys]
    print(f"{len(trials):,} trials, {len(trials) * N_ASSERTIONS:,} verdicts")
    before = time.process_time()
    benchmark = timed("aggregate", lambda: aggregate(plan, 1, trials, gradings, now=NOW))
    n_json = timed("benchmark.json", lambda: len(benchmark.model_dump_json(indent=2)))
    n_page = timed("report.html", lambda: len(html.render(benchmark)))
    timed("benchmark.md", lambda: markdown.render(benchmark))
    console = Console(file=io.StringIO(), width=80)
    timed("junit.xml", lambda: junit.render(benchmark))
    timed("trials.csv", lambda: as_csv(TRIAL_COLUMNS, trial_rows(plan, 1, take_census(plan, trials, gradings))))
    timed("terminal", lambda: terminal.print_report(benchmark, console))
    print(f"{'all, on average':24} {(time.process_time() - before) / 2:6.2f} s CPU")
    print(f"benchmark.json {n_json / 1e6:.1f} MB, report.html {n_page / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
