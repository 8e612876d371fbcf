"""Tasks for somebody else's agent, and what they must not tell."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from bench import SUITE, Bench

from skilltrial.errors import PlanError, SpecError
from skilltrial.records.plan import Plan
from skilltrial.records.settings import ArmSettings


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A person with a skill of one case."""
    return Bench(root=tmp_path)


def test_each_trial_has_a_folder_in_the_plans_order(bench: Bench) -> None:
    """Prompt word for word, the case's files, one commit, and the skill in one arm alone."""
    bench.prepare(runs=2, harness="claude-code")
    tasks = bench.manifest().tasks
    assert len(tasks) == 4
    for task in tasks:
        assert (bench.out / task.prompt).read_bytes() == b"Summarise data.csv\nin one line"
        work = bench.out / task.work
        assert (work / "data.csv").read_text() == "apples,3\npears,4\n"
        log = subprocess.run(["git", "log", "--format=%s"], cwd=work, capture_output=True, text=True, check=True)
        assert log.stdout == "Initial files\n"
    has = [(bench.out / task.work / ".claude/skills/csv-report/SKILL.md").exists() for task in tasks]
    plan = Plan.model_validate_json((bench.workspace / "iteration-1/plan.json").read_bytes())
    assert has == [planned.key.arm == "with_skill" for planned in plan.trials]


def test_nothing_handed_out_tells_arm_skill_or_expectation(bench: Bench) -> None:
    """Neither names nor contents, the placed skill itself apart."""
    bench.prepare(harness="claude-code")
    words = (
        b"with_skill",
        b"without_skill",
        b"baseline",
        b"treatment",
        b"csv-report",
        b"kept-secret",
        b"Rows",
        b"skilltrial",
    )
    for path in bench.out.rglob("*"):
        inside = path.relative_to(bench.out).as_posix()
        if ".claude" in inside:
            continue
        texts = [inside.encode(), path.read_bytes() if path.is_file() else b""]
        assert not [word for word in words for text in texts if word in text], inside


def test_the_instructions_name_every_task_in_order(bench: Bench) -> None:
    """Whoever dispatches needs nothing else."""
    bench.prepare(runs=2, timeout_s=90.0)
    text = (bench.out / "INSTRUCTIONS.md").read_text()
    places = [text.index(f"`{task.id}`") for task in bench.manifest().tasks]
    assert places == sorted(places)
    assert "at most 90 seconds" in text
    assert "stream.jsonl" not in text  # nobody knows the format of an unknown agent


@pytest.mark.parametrize(
    ("harness", "options", "root", "form"),
    [
        ("claude-code", {}, ".claude/skills", "claude-code"),
        ("opencode", {}, ".opencode/skills", "opencode"),
        ("my-ide", {}, ".claude/skills", None),
        ("my-ide", {"skill_root": ".agents/skills/"}, ".agents/skills", None),
        (None, {}, ".claude/skills", None),
    ],
)
def test_the_skill_lies_where_that_agent_looks(
    bench: Bench, harness: str | None, options: dict[str, str], root: str, form: str | None
) -> None:
    """As its harness says, or as the person does."""
    bench.prepare(harness=harness, **options)
    assert bench.manifest().stream_format == form
    assert len(list(bench.out.glob(f"*/work/{root}/csv-report/SKILL.md"))) == 1


@pytest.mark.parametrize("harness", ["builtin", "command", "mini-swe-agent"])
def test_an_agent_that_nobody_can_dispatch_is_refused(bench: Bench, harness: str) -> None:
    """Ours, and one that discovers no skills; nothing is written."""
    with pytest.raises(PlanError, match="skilltrial run"):
        bench.prepare(harness=harness)
    assert not bench.out.exists()


@pytest.mark.parametrize("root", ["/etc", "~/skills", "a/../../b", ".git/skills", "."])
def test_a_place_for_skills_outside_the_folder_is_refused(bench: Bench, root: str) -> None:
    """It has to be in the work folder."""
    with pytest.raises(SpecError, match="--skill-root"):
        bench.prepare(skill_root=root)


def test_a_case_that_needs_more_than_one_prompt_is_refused(bench: Bench) -> None:
    """Turns would have to be played by a person."""
    case = {**SUITE["evals"][0], "turns": [{"prompt": "go on", "deliver_when": "always"}]}
    bench.write_suite({**SUITE, "evals": [case]})
    with pytest.raises(PlanError, match="turns"):
        bench.prepare()


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("harness", ArmSettings(harness="codex")),
        ("model", ArmSettings(model="m")),
        ("args", ArmSettings(args=())),
        ("env", ArmSettings(env={"MODE": "a"})),
    ],
)
def test_an_arm_with_more_than_its_skill_and_words_is_refused(bench: Bench, name: str, own: ArmSettings) -> None:
    """Nobody would be told of it, and the arms would be the same; no arguments at all are arguments of its own."""
    named = {"with_skill": own, "without_skill": ArmSettings()}
    with pytest.raises(PlanError, match=f"^mine.toml: the arm 'with_skill' has {name} of its own"):
        bench.prepare(named_arms=named, arms_file=Path("mine.toml"))
    assert not bench.out.exists()


def test_a_folder_in_a_project_or_with_something_in_it_is_refused(bench: Bench) -> None:
    """Agents read what lies above theirs."""
    (bench.root / "project/.git").mkdir(parents=True)
    with pytest.raises(SpecError, match="outside any project"):
        bench.prepare(out=bench.root / "project/tasks")
    full = bench.root / "full"
    full.mkdir()
    (full / "file").touch()
    with pytest.raises(SpecError, match="not empty"):
        bench.prepare(out=full)


def test_preparing_again_hands_out_what_is_missing(bench: Bench) -> None:
    """In the same iteration, in another folder; when all is there, nothing is left to hand out."""
    bench.prepare()
    first = bench.manifest().tasks[0].id
    bench.hand_back(first)
    bench.collect()
    again = bench.prepare(out=bench.root / "more")
    assert (again.iteration, again.n_tasks, again.n_finished) == (1, 1, 1)
    for task in bench.manifest().tasks:
        bench.hand_back(task.id)
    bench.collect()
    with pytest.raises(PlanError, match="has a result"):
        bench.prepare(out=bench.root / "third")
