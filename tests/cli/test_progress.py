"""What a person sees while trials run."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from skilltrial.cli.progress import Progress
from skilltrial.plan.arms import make_arms
from skilltrial.plan.plan import make_plan
from skilltrial.records.plan import HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trial import Attempt, HarnessFacts, Outcome, Reason, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage


@pytest.fixture
def plan() -> Plan:
    """Two cases, each with and without the skill."""
    skill = Skill(name="tidy", folder="/s", frontmatter={}, body="", files=(), fingerprint="sha256:a")
    return make_plan(
        skill,
        Suite(
            dialect="agentskills", path="/e", digest="d", cases=tuple(Case(id=f"c{n}", prompt="do") for n in range(2))
        ),
        arms=make_arms(("with_skill", "without_skill"), skill, {}),
        harness=HarnessChoice(name="fake", version="9", why="asked for"),
        runs=1,
        seed=1,
        timeout_s=60,
        now="2026-01-01T00:00:00Z",
        version="0",
    )


def trial(number: int = 0, *, outcome: Outcome = "completed", message: str = "", tokens: int | None = 600) -> Trial:
    """An ended trial of case `number`."""
    reason = Reason(code="crashed", message=message) if message else None
    usage = Usage(input_tokens=tokens, output_tokens=tokens)
    return Trial(
        key=TrialKey(case_id=f"c{number}", arm="with_skill", repeat=1),
        outcome=outcome,
        reason=reason,
        started_at="2026-01-01T00:00:00Z",
        duration_ms=1500,
        usage=usage,
        cost_usd=0.25,
        harness=HarnessFacts(name="fake"),
        evidence=SkillEvidence(),
        attempts=(Attempt(outcome=outcome, reason=reason, started_at="2026-01-01T00:00:00Z", duration_ms=1500),),
        isolation="folder",
        seed=1,
        plan_digest="d",
    )


def console(*, terminal: bool, width: int = 80) -> Console:
    """A console that writes into memory."""
    return Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None, legacy_windows=False)


def written(of: Console) -> str:
    """All that it wrote."""
    assert isinstance(of.file, io.StringIO)
    return of.file.getvalue()


def test_without_a_terminal_each_trial_is_a_plain_line(plan: Plan) -> None:
    """No control characters, details indented, lines never broken."""
    out = console(terminal=False, width=20)
    with Progress(out) as progress:
        progress.begins(plan, finished=1, iteration=3)
        progress.trial_ends(trial())
    assert written(out).splitlines() == [
        "tidy: 4 trials, iteration 3, by fake 9",
        "  why this agent: asked for",
        "  1 of them is finished already and is kept",
        "  2/4 c0/with_skill/run-1: completed, 1.5 s",
    ]


def test_what_an_agent_said_cannot_act_on_the_terminal(plan: Plan) -> None:
    """Escapes are shown, not sent; markup stays text."""
    out = console(terminal=False)
    with Progress(out) as progress:
        progress.begins(plan, finished=0, iteration=1)
        progress.trial_ends(trial(outcome="harness_error", message="\x1b[2J\r[bold]gone[/bold]"))
    assert "\x1b" not in written(out)
    assert "[bold]gone[/bold]" in written(out)


def test_the_live_lines_tell_what_runs_failed_and_was_spent(plan: Plan) -> None:
    """Running, finished, failed, tokens, cost, time left."""
    out = console(terminal=True)
    with Progress(out) as progress:
        progress.begins(plan, finished=0, iteration=1)
        progress.trial_starts(trial(0).key)
        progress.trial_starts(trial(1).key)
        progress.trial_ends(trial(0, outcome="harness_error", message="broken"))
    last = written(out)
    assert "1 of 4 trials · 1 running · 1 failed" in last
    assert re.search(r"about \d+ s left · 1,200 tokens · \$0\.25", last)
    assert "1/4 c0/with_skill/run-1: harness error, 1.5 s: broken" in last


def test_unknown_tokens_are_not_zero(plan: Plan) -> None:
    """One trial that does not tell its tokens makes the sum unknown."""
    out = console(terminal=True)
    with Progress(out) as progress:
        progress.begins(plan, finished=0, iteration=1)
        progress.trial_ends(trial(tokens=None))
    assert "tokens unknown" in written(out)


def test_no_live_line_is_wider_than_a_narrow_terminal(plan: Plan) -> None:
    """At 30 columns there is no bar, and what does not fit is cut."""
    out = console(terminal=True, width=30)
    with Progress(out) as progress:
        progress.begins(plan, finished=0, iteration=1)
        for number in range(2):
            progress.trial_ends(trial(number))
    assert "━" not in written(out)
    assert "2 of 4 trials" in written(out)


def test_a_full_disk_behind_the_progress_loses_no_trial(plan: Plan) -> None:
    """What cannot be said is not said; nothing is raised."""

    class Full(io.StringIO):
        def write(self, _text: str, /) -> int:
            raise OSError(28, "No space left on device")

    with Progress(Console(file=Full(), force_terminal=False)) as progress:
        progress.begins(plan, finished=0, iteration=1)
        progress.trial_ends(trial())
    assert progress.kept == "1 of 4 trials are finished and kept."


def test_a_cost_that_is_partly_unknown_is_a_lower_bound(plan: Plan) -> None:
    """One trial that does not tell its cost took something all the same."""
    out = console(terminal=True)
    with Progress(out) as progress:
        progress.begins(plan, finished=0, iteration=1)
        progress.trial_ends(trial(0))
        progress.trial_ends(trial(1).model_copy(update={"cost_usd": None}))
    assert "at least $0.25" in written(out)


def test_failed_tries_are_in_the_sum(plan: Plan) -> None:
    """0.25 of the last try and 0.50 of the one before."""
    failed = Attempt(outcome="harness_error", started_at="2026-01-01T00:00:00Z", duration_ms=1, cost_usd=0.5)
    out = console(terminal=True)
    with Progress(out) as progress:
        progress.begins(plan, finished=0, iteration=1)
        ended = trial(0)
        progress.trial_ends(ended.model_copy(update={"attempts": (failed, *ended.attempts)}))
    assert "$0.75" in written(out)
