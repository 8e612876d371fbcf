"""`skilltrial run` with arms of all kinds, through the command line, with the built-in agent and a scripted model."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from command import SKILL, Person, trial_records, write_skill

from skilltrial.testing.mock_llm import MockLLM

AGENT = {"name": "agent", "rules": [{"reply": {"text": "Hello."}}]}
GREETS = [{"id": "greets", "type": "answer_matches", "pattern": "Hello"}]
CASES: list[dict[str, Any]] = [{"id": name, "prompt": name, "assertions": GREETS} for name in ("one", "two")]
TEXT = f"{SKILL}\n## First things\n\nCount.\n\n## Output format\n\nMarkdown.\n"


@dataclass(kw_only=True)
class Bench:
    """A person with a skill in a repository, and an agent that always greets."""

    folder: Path
    agent: MockLLM

    @property
    def skill(self) -> Path:
        """In a sub-folder of the repository."""
        return self.folder / "repo/skills/csv-report"

    @property
    def workspace(self) -> Path:
        """Outside of it."""
        return self.folder / "w"

    def write(self, text: str, *, commit: str = "") -> None:
        """Change the skill, and perhaps commit it under a tag."""
        (self.skill / "SKILL.md").write_text(text)
        if commit:
            self.git("add", "--all")
            self.git("commit", "-qm", commit)
            self.git("tag", commit)

    def git(self, *arguments: str) -> None:
        """Run git in the repository."""
        argv = ["git", "-c", "user.name=a", "-c", "user.email=a@localhost", *arguments]
        subprocess.run(argv, cwd=self.folder / "repo", check=True, capture_output=True)

    def run(self, *more: str | Path, model: str = "anthropic:m") -> tuple[int, dict[str, Any], str]:
        """Exit code, benchmark and what was said."""
        variables = {"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": self.agent.url()}
        person = Person(home=self.folder / "home", variables=variables)
        options = (
            *(("--model", model) if model and "--model" not in more else ()),
            "--json",
            "--workspace",
            self.workspace,
        )
        done = person.run("run", self.skill, *options, *more)
        assert "Traceback" not in done.stderr
        return done.returncode, json.loads(done.stdout or "{}"), " ".join(done.stderr.split())

    @property
    def n_calls(self) -> int:
        """How often the model was asked so far."""
        return len(self.agent.log.select())


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """One version of the skill, committed as v1."""
    with MockLLM(AGENT) as agent:
        made = Bench(folder=tmp_path, agent=agent)
        (tmp_path / "home").mkdir()
        write_skill(made.skill, CASES, text=TEXT)
        made.git("init", "-q", "-b", "main")
        made.write(TEXT, commit="v1")
        yield made


def arms_of(benchmark: dict[str, Any]) -> dict[str, tuple[str, str | None]]:
    """Role and origin of each arm's skill."""
    return {
        arm["name"]: (arm["role"], arm["skill"] and arm["skill"]["origin"]) for arm in benchmark["metadata"]["arms"]
    }


def test_the_skill_as_it_was_in_git_is_the_baseline(bench: Bench) -> None:
    """Names, roles, both fingerprints, and the copies that the trials got: the old text and the new one."""
    bench.write(TEXT + "More.\n")
    code, benchmark, said = bench.run("--baseline", "git:v1", "--runs", "1")
    assert code == 0, said
    arms = {arm["name"]: arm for arm in benchmark["metadata"]["arms"]}
    assert (arms["new_skill"]["role"], arms["old_skill"]["role"]) == ("treatment", "baseline")
    assert arms["old_skill"]["skill"]["origin"].startswith("git:v1 (")
    assert arms["new_skill"]["skill"]["fingerprint"] == benchmark["metadata"]["skill_fingerprint"]
    assert arms["old_skill"]["skill"]["fingerprint"] != arms["new_skill"]["skill"]["fingerprint"]
    copies = bench.workspace / "iteration-1/skills"
    assert (copies / "old_skill/SKILL.md").read_text() == TEXT
    assert (copies / "new_skill/SKILL.md").read_text() == TEXT + "More.\n"
    assert not (copies / "old_skill/evals").exists()
    page = (bench.workspace / "iteration-1/benchmark.md").read_text()
    assert "| skill of old_skill | git:v1 (" in page


def test_nothing_is_spent_where_nothing_differs(bench: Bench) -> None:
    """The same content under another name is no comparison."""
    code, _, said = bench.run("--baseline", "git:HEAD", "--runs", "1")
    assert (code, bench.n_calls) == (2, 0)
    assert "new_skill and old_skill both hold the same skill (sha256:" in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--baseline", "git:v9"), "no commit, tag or branch 'v9'"),
        (("--baseline", "git:"), "--baseline is 'git:'. Write a folder, git:REF"),
        (("--baseline", "iteration:x"), "--baseline is 'iteration:x'"),
        (("--baseline", "iteration:3"), "there is no iteration 3 in this workspace. It has none yet."),
        (("--baseline", "/no/such"), "/no/such: there is no such file or folder."),
        (("--baseline", "none", "--arms", "with_skill"), "--arms and --baseline both say what is compared"),
        (("--ablate", "files"), "--ablate is 'files'. Known: sections."),
        (("--config", "/no/such.toml"), "/no/such.toml: there is no such file."),
    ],
)
def test_what_cannot_be_compared_is_refused(bench: Bench, options: tuple[str, ...], said: str) -> None:
    """One paragraph, exit code 2, no workspace, and no agent."""
    code, _, heard = bench.run(*options)
    assert code == 2
    assert said in heard
    assert bench.n_calls == 0
    assert not bench.workspace.exists()


def test_an_iterations_own_copy_is_the_baseline(bench: Bench) -> None:
    """The skill may be changed and never committed: the workspace has what was tried."""
    bench.run("--arms", "with_skill", "--runs", "1")
    bench.write(TEXT + "More.\n")
    code, benchmark, said = bench.run("--baseline", "iteration:1", "--runs", "1")
    assert code == 0, said
    assert arms_of(benchmark) == {
        "new_skill": ("treatment", ""),
        "old_skill": ("baseline", "iteration:1 (with_skill)"),
    }
    (bench.workspace / "iteration-1/skills/with_skill/SKILL.md").write_text(SKILL)
    code, _, said = bench.run("--baseline", "iteration:1", "--runs", "1")
    assert code == 2
    assert "this is not the skill that iteration 1 had" in said


def test_a_baseline_that_still_fits_is_not_run_again(bench: Bench) -> None:
    """Four calls; then only the two of the changed skill; run.json, plan and report say where the others are from."""
    bench.run("--runs", "1")
    assert bench.n_calls == 4
    bench.write(TEXT + "More.\n")
    code, benchmark, said = bench.run("--runs", "1", "--reuse-baseline")
    assert (code, bench.n_calls) == (0, 6), said
    records = {f"{r['key']['case_id']}/{r['key']['arm']}": r for r in trial_records(bench.workspace, 2)}
    origin = records["one/without_skill"]["reused_from"]
    assert origin["iteration"] == 1
    assert origin["key"] == {"case_id": "one", "arm": "without_skill", "repeat": 1}
    assert records["one/with_skill"]["reused_from"] is None
    plan = json.loads((bench.workspace / "iteration-2/plan.json").read_text())
    marked = [item["key"]["arm"] for item in plan["trials"] if item["reused_from"]]
    assert marked == ["without_skill", "without_skill"]
    (finding,) = [finding for finding in benchmark["findings"] if finding["code"] == "reused-trials"]
    assert "from iteration 1, not run again: 2 of 2 trials of without_skill" in finding["message"]
    assert bench.run("--runs", "1")[0] == 0
    assert bench.n_calls == 6, "the same plan without the option goes on with what is there"
    assert json.loads((bench.workspace / "iteration-2/plan.json").read_text()) == plan


def test_what_was_the_treatment_may_be_the_next_baseline(bench: Bench) -> None:
    """Agents never see an arm's name; gradings come along under the new one."""
    bench.run("--runs", "1")
    bench.write(TEXT + "More.\n")
    code, benchmark, said = bench.run("--runs", "1", "--baseline", "iteration:1", "--reuse-baseline")
    assert (code, bench.n_calls) == (0, 6), said
    assert benchmark["run_summary"]["old_skill"]["trials_graded"] == 2
    folder = bench.workspace / "iteration-2/eval-one/old_skill/run-1"
    grading, timing = (json.loads((folder / name).read_text()) for name in ("grading.json", "timing.json"))
    assert (grading["config"], grading["key"]["arm"], timing["config"]) == ("old_skill", "old_skill", "old_skill")


@pytest.mark.parametrize(
    "change", [("--timeout", "500"), ("--seed", "2"), ("--model", "anthropic:other"), ("--harness-arg", "inject")]
)
def test_trials_under_other_conditions_are_not_taken_over(bench: Bench, change: tuple[str, str]) -> None:
    """Time limit, seed, model, arguments: anything that differs but the skill means that the baseline runs again."""
    bench.run("--runs", "1")
    before = bench.n_calls
    bench.write(TEXT + "More.\n")
    code, benchmark, said = bench.run("--runs", "1", "--reuse-baseline", *change)
    assert code == 0, said
    assert bench.n_calls == before + 4
    assert "reused-trials" not in {finding["code"] for finding in benchmark["findings"]}


def test_each_section_is_left_out_once(bench: Bench) -> None:
    """Two sections, two more arms; each lacks one section and nothing else, and the notes compare them."""
    code, benchmark, said = bench.run("--ablate", "sections", "--runs", "1")
    assert code == 0, said
    assert arms_of(benchmark) == {
        "with_skill": ("treatment", ""),
        "minus_first_things": ("treatment", "the skill without the section 'First things'"),
        "minus_output_format": ("treatment", "the skill without the section 'Output format'"),
        "without_skill": ("baseline", None),
    }
    assert (benchmark["lift"]["treatment"], benchmark["lift"]["baseline"]) == ("with_skill", "without_skill")
    left = (bench.workspace / "iteration-1/skills/minus_first_things/SKILL.md").read_text()
    assert left == TEXT.replace("## First things\n\nCount.\n\n", "")
    assert any("+0 without 'First things'" in note for note in benchmark["notes"])
    page = (bench.workspace / "iteration-1/benchmark.md").read_text()
    assert "<summary>All arms</summary>" in page


def test_settings_give_defaults_and_arms_and_the_command_line_wins(bench: Bench) -> None:
    """Two runs in the file, one on the command line; arms of the file, unless --baseline says others."""
    terse = write_skill(bench.folder / "repo/terse", [], text=SKILL)
    (bench.folder / "repo/skilltrial.toml").write_text(
        '[run]\nruns = 2\nmodel = "anthropic:other"\n\n[arms.with_skill]\n\n'
        '[arms.terse]\nskill = "terse"\n\n[arms.old]\nskill = "none"\nrole = "baseline"\n'
    )
    code, benchmark, said = bench.run()
    assert code == 0, said
    assert arms_of(benchmark) == {
        "with_skill": ("treatment", ""),
        "terse": ("treatment", ""),
        "old": ("baseline", None),
    }
    assert benchmark["metadata"]["runs_per_configuration"] == 2
    assert benchmark["metadata"]["harness"]["model_asked"] == "anthropic:m"
    assert terse.name in benchmark["metadata"]["arms"][1]["skill"]["folder"]
    code, benchmark, said = bench.run("--baseline", "none", "--runs", "1")
    assert code == 0, said
    assert list(arms_of(benchmark)) == ["with_skill", "without_skill"]
    assert benchmark["metadata"]["runs_per_configuration"] == 1


def test_arms_of_the_settings_need_one_baseline(bench: Bench) -> None:
    """None and two are said with what to write."""
    settings = bench.folder / "settings.toml"
    settings.write_text('[arms.a]\n[arms.b]\nskill = "none"\n')
    code, _, said = bench.run("--config", settings)
    assert code == 2
    assert 'none is the baseline; there has to be exactly one. Write role = "baseline"' in said
    settings.write_text('[arms.a]\n[arms.old_skill]\nskill = "git:v1"\n[arms.without_skill]\n')
    code, _, said = bench.run("--config", settings)
    assert code == 2
    assert "old_skill and without_skill are the baseline" in said


def test_the_model_of_the_settings_goes_with_their_harness(bench: Bench) -> None:
    """Taken where the command line says neither; left out where it names another harness."""
    settings = bench.folder / "settings.toml"
    settings.write_text('[run]\nruns = 1\nmodel = "anthropic:told"\n')
    _, benchmark, said = bench.run("--config", settings, "--arms", "with_skill", model="")
    assert benchmark["metadata"]["harness"]["model_asked"] == "anthropic:told", said
    settings.write_text('[run]\nruns = 1\nharness = "claude-code"\nmodel = "sonnet"\n')
    _, benchmark, said = bench.run("--config", settings, "--harness", "builtin", "--arms", "with_skill", model="")
    assert benchmark["metadata"]["harness"]["model_asked"].startswith("anthropic:claude"), said
