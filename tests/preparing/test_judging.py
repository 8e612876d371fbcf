"""Who judges again: the person's word, then who judged before, then the skill's skilltrial.toml."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from skilltrial.errors import SpecError
from skilltrial.grade.judge_prompt import read_prompt
from skilltrial.plan.arms import make_arms
from skilltrial.plan.plan import make_plan
from skilltrial.preparing.judging import JudgesWanted, price_of_calls, settings_told, wanted_again
from skilltrial.records.grading import Grading, JudgeFacts
from skilltrial.records.plan import UNKNOWN_JUDGE, HarnessChoice, Plan
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Case, Suite
from skilltrial.records.trial import TrialKey

PROMPT = "# System\nBe fair.\n# Request\n{{material}} {{statements}}\n# Again\nOnce more.\n"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    """Of a skill with settings beside it that name a panel, samples and a prompt."""
    (tmp_path / "tidy").mkdir()
    (tmp_path / "judge.md").write_text(PROMPT)
    (tmp_path / "skilltrial.toml").write_text('[judge]\nmodels = ["a", "b"]\nsamples = 3\nprompt = "judge.md"\n')
    skill = Skill(name="tidy", folder=str(tmp_path / "tidy"), frontmatter={}, body="", files=(), fingerprint="sha256:a")
    return make_plan(
        skill,
        Suite(dialect="agentskills", path="/e", digest="d", cases=(Case(id="c", prompt="do"),)),
        arms=make_arms(("with_skill", "without_skill"), skill, {}),
        harness=HarnessChoice(name="fake"),
        runs=1,
        seed=1,
        timeout_s=60,
        now="2026-01-01T00:00:00Z",
        version="0",
    )


def _again(plan: Plan, **asked: Any) -> tuple[str | None, int | None, str | None]:
    wanted = wanted_again(plan, JudgesWanted(**{"names": None, "env": {}, **asked}))
    return wanted.names, wanted.samples, wanted.prompt and wanted.prompt.name


def test_the_settings_say_it_where_nobody_else_does(plan: Plan) -> None:
    """And what was taken from them is told."""
    asked = JudgesWanted(names=None, env={})
    chosen = wanted_again(plan, asked)
    assert (chosen.names, chosen.samples, chosen.prompt and chosen.prompt.name) == ("a,b", 3, "judge.md")
    told = settings_told(asked, chosen)
    assert told.startswith("settings of ")
    assert "skilltrial.toml: judge a,b, judge samples 3, judge prompt " in told


def test_the_persons_word_wins_and_the_settings_fill_the_rest(plan: Plan) -> None:
    """Each option by itself; a judge of the person's is not the file's."""
    assert _again(plan, names="c", samples=1) == ("c", 1, "judge.md")
    assert wanted_again(plan, JudgesWanted(names="c", env={})).settings is None


def test_who_judged_before_stays_whatever_the_settings_say_by_now(plan: Plan) -> None:
    """With as many samples, and with our own prompt, which it had."""
    before = plan.model_copy(update={"judge": "old", "judge_samples": 2})
    assert _again(before) == ("old", 2, None)
    assert _again(before, samples=5) == ("old", 5, None)


def test_who_judged_for_another_tool_has_to_be_told(plan: Plan) -> None:
    """Its name is no model that could be asked; a name of the person's is taken."""
    imported = plan.model_copy(update={"judge": UNKNOWN_JUDGE})
    with pytest.raises(SpecError, match="who judged is not known") as caught:
        _again(imported)
    assert "--judge NAME" in str(caught.value)
    assert _again(imported, names="c")[0] == "c"


def test_a_prompt_of_before_has_to_be_at_hand(plan: Plan) -> None:
    """The settings may have it; another one is refused rather than used."""
    digest = read_prompt(PROMPT).digest
    before = plan.model_copy(update={"judge": "old", "judge_prompt": digest})
    assert _again(before) == ("old", 1, "judge.md")
    with pytest.raises(SpecError, match="had a prompt of its own"):
        _again(plan.model_copy(update={"judge": "old", "judge_prompt": "sha256:other"}))


def test_calls_are_priced_by_the_mean_of_those_of_the_same_judges() -> None:
    """0.06 for three calls; nothing is known of other judges, and no call costs nothing."""
    key = TrialKey(case_id="c", arm="with_skill", repeat=1)
    facts = [JudgeFacts(model="a", calls=1, cost_usd=0.01), JudgeFacts(model="a", calls=2, cost_usd=0.05)]
    gradings = [Grading(key=key, results=(), digest="", judge=each) for each in facts]
    assert price_of_calls(6, judges="a", gradings=gradings) == pytest.approx(0.12)
    assert price_of_calls(6, judges="b", gradings=gradings) is None
    assert price_of_calls(0, judges="b", gradings=gradings) == 0.0
