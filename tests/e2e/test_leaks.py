"""Real agent programs in the home of a person who has everything: nothing of it reaches the model, in either arm.

Each program runs once an arm, with everything planted at once; what it sent to the model is searched. At the end isolation is
switched off on purpose, and the findings have to say so.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from skilltrial import pipeline, wiring
from skilltrial.adapters.harness import claude_code, claude_code_setup
from skilltrial.adapters.workspace.folders import FolderWorkspace
from skilltrial.execute.conduct import Grounds, observe
from skilltrial.ports import Harness, SkillSource, TrialRequest
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.conduct import Conduct
from skilltrial.records.suite import CaseFile
from skilltrial.records.trial import HarnessResult
from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

pytestmark = pytest.mark.agent

AGENTS = Path(__file__).resolve().parents[2] / ".agents/bin"
CANARY = "CANARYBIRD"
"""In everything of the person's."""
DATA = CaseFile(
    path="data.csv",
    content="name,count\napples,3\npears,4\n",
    sha256="b7601fa0a8125a047be24a0e89ff9ad14af709272757b3caf6786f466b00f07f",
)
DESCRIPTION = "{0} Turns a CSV file into a short Markdown report. Use when the user asks to summarise a CSV."
SKILL = f"---\nname: {{1}}\ndescription: {DESCRIPTION}\n---\n# CSV report\n\n{{0}}: count the rows, write report.md.\n"
SKILL_FOLDERS = (
    ".claude/skills",
    ".agents/skills",
    ".codex/skills",
    ".gemini/skills",
    ".opencode/skills",
    ".config/opencode/skills",
    ".pi/agent/skills",
    ".claude/plugins/bird/skills",
    ".gemini/extensions/bird/skills",
)
MEMORY = (
    "CLAUDE.md",
    "AGENTS.md",
    "GEMINI.md",
    ".claude/CLAUDE.md",
    ".claude/rules/bird.md",
    ".codex/AGENTS.md",
    ".gemini/GEMINI.md",
    ".config/opencode/AGENTS.md",
    ".pi/agent/AGENTS.md",
    ".pi/agent/SYSTEM.md",
    ".claude/agents/bird.md",
    ".claude/commands/bird.md",
    ".gemini/extensions/bird/GEMINI.md",
)
FILES = {
    ".claude/settings.json": {"enabledPlugins": {"bird@nest": True}, "env": {"BIRD": CANARY}, "outputStyle": CANARY},
    ".claude/plugins/bird/.claude-plugin/plugin.json": {"name": "bird", "description": CANARY, "version": "1.0.0"},
    ".claude/plugins/installed_plugins.json": {"version": 1, "plugins": {"bird@nest": {"version": "1.0.0"}}},
    ".claude.json": {"mcpServers": {CANARY: {"command": "false"}}},
    ".gemini/extensions/bird/gemini-extension.json": {"name": "bird", "version": "1.0.0"},
    ".config/opencode/opencode.json": {"instructions": ["AGENTS.md"], "agent": {"build": {"prompt": CANARY}}},
}
BUNDLED = ("skill-creator", "skill-installer", "customize-opencode", "antigravity-support", "plugin-authoring")
"""Skills that the programs bring along."""


@pytest.fixture
def mock() -> Iterator[MockLLM]:
    """The scripted model server."""
    with MockLLM(SCENARIOS) as server:
        yield server


@pytest.fixture
def person(tmp_path: Path) -> Path:
    """A home with skills (one of the same name), memory files, plugins and settings; a project with the same around it."""
    home = tmp_path / "person"
    for root in (home, tmp_path / "project"):
        for folder in SKILL_FOLDERS:
            for name in ("csv-report", "bird-watching"):
                write(root / folder / name / "SKILL.md", SKILL.format(CANARY, name))
        for path in MEMORY:
            write(root / path, f"---\nname: bird\ndescription: {CANARY}\n---\nAlways say {CANARY}.\n")
    for path, value in FILES.items():
        write(home / path, json.dumps(value))
    write(home / ".codex/config.toml", f'developer_instructions = "{CANARY}"\n')
    return home


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    """The skill under trial."""
    folder = tmp_path / "source/csv-report"
    write(folder / "SKILL.md", SKILL.format("UNDER-REVIEW", "csv-report"))
    case = {"id": "report", "prompt": "Summarise data.csv", "files": {"data.csv": DATA.content}}
    check = {"id": "rows", "type": "file_matches", "path": "report.md", "pattern": "Rows: 2"}
    write(folder / "evals/evals.json", json.dumps({"evals": [{**case, "assertions": [check]}]}))
    return folder


def write(path: Path, text: str) -> None:
    """Writes a file, with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def surroundings(person: Path) -> dict[str, str]:
    """The person's environment, in which every program is told of the person's own folders."""
    return {
        "PATH": f"{AGENTS}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(person),
        "XDG_CONFIG_HOME": str(person / ".config"),
        "CLAUDE_CONFIG_DIR": str(person / ".claude"),
        "CODEX_HOME": str(person / ".codex"),
        "GEMINI_CLI_HOME": str(person),
        "OPENCODE_CONFIG_DIR": str(person / ".config/opencode"),
        "PI_CODING_AGENT_DIR": str(person / ".pi/agent"),
        "ANTHROPIC_API_KEY": "sk-leak-0123456789",
        "OPENAI_API_KEY": "sk-leak-0123456789",
    }


async def run(
    harness: Harness, skill: Path, capture: Path, *, placed: bool, home: Path | None = None
) -> tuple[HarnessResult, Conduct | None]:
    """One trial as the product does it, in the real workspace; `home` switches a part of the isolation off."""
    root = harness.capabilities.skill_root
    description = DESCRIPTION.format("UNDER-REVIEW")
    source = SkillSource(name="csv-report", description=description, folder=skill, root=root, files=("SKILL.md",))
    async with FolderWorkspace().open([DATA], source if placed else None, skill_root=root) as folders:
        request = TrialRequest(
            prompt="Summarise data.csv",
            work=folders.work,
            home=home or folders.home,
            tmp=folders.tmp,
            capture=capture,
            skill=folders.skill,
            model=None,
            timeout_s=120.0,
            seed=1,
            mark=f"mark-{os.urandom(8).hex()}",
            under_trial="csv-report",
        )
        result = await harness.run(request)
        await harness.aclose()
        named = {"root": folders.root, "work": folders.work, "home": folders.home, "tmp": folders.tmp}
        grounds = Grounds(**{name: str(path) for name, path in named.items()})
        return result, observe(result.events, grounds, names={"csv-report"})


async def harness_for(name: str, mock: MockLLM, label: str, env: dict[str, str]) -> Harness:
    """The harness as `skilltrial run` chooses it, with the scripted model."""
    openai = name not in ("claude-code", "gemini-cli")
    url = mock.url("text", label, openai=openai)
    model = None if name == "claude-code" else "mock-model"
    wanted = wiring.Wanted(harness=name, model=model, base_url=url, env=env)
    return (await wiring.choose_harness(wanted)).harness


def require(program: str) -> None:
    """Skips where a program is not installed."""
    if shutil.which(program, path=str(AGENTS)) is None:
        pytest.skip(f"{program} is not installed: run make agents")


def said(mock: MockLLM) -> str:
    """Everything that the program sent to the model."""
    return "\n".join(str(record["body"]) for record in mock.log.select("leaks") if "body" in record)


@pytest.mark.parametrize("placed", [True, False], ids=["with", "without"])
@pytest.mark.parametrize(
    ("name", "program"),
    [("claude-code", "claude"), ("codex", "codex"), ("gemini-cli", "gemini"), ("opencode", "opencode"), ("pi", "pi")],
)
def test_nothing_of_the_persons_reaches_the_model(
    name: str, program: str, placed: bool, person: Path, skill: Path, mock: MockLLM, tmp_path: Path, monkeypatch: Any
) -> None:
    """Skills, memory files of home and project, plugins, settings; the skill under trial does, where it is placed."""
    env = surroundings(person)
    require(program)
    monkeypatch.chdir(tmp_path / "project")
    capture = tmp_path / "capture"
    capture.mkdir()

    async def trial() -> tuple[HarnessResult, Conduct | None]:
        harness = await harness_for(name, mock, "leaks", env)
        return await run(harness, skill, capture, placed=placed)

    result, conduct = anyio.run(trial)
    assert result.outcome == "completed", result.reason
    sent = said(mock)
    assert sent
    assert CANARY not in sent
    assert "bird" not in sent
    assert str(person) not in sent
    assert [bundled for bundled in BUNDLED if bundled in sent] == []
    assert ("UNDER-REVIEW" in sent) is placed
    assert result.evidence.offered in (placed, None)
    assert conduct is not None
    assert conduct.shadows == ()
    assert conduct.outside in ((), None)
    if placed and name in ("claude-code", "codex", "pi"):
        assert result.evidence.described is True


@pytest.mark.parametrize("name", ["codex", "pi"])
def test_what_is_planted_is_found_without_a_home_of_its_own(
    name: str, person: Path, skill: Path, mock: MockLLM, tmp_path: Path
) -> None:
    """Else the search above would find nothing whatever happens."""
    require(name)

    async def trial() -> None:
        harness = await harness_for(name, mock, "leaks", surroundings(person))
        await run(harness, skill, tmp_path, placed=False, home=person)

    anyio.run(trial)
    assert CANARY in said(mock)


@pytest.fixture
def open_house(monkeypatch: Any, person: Path) -> None:
    """Claude Code keeps the person's home, whatever we ask for."""

    def environment(env: Any, request: TrialRequest, login: Any) -> dict[str, str]:
        made = claude_code_setup.environment(env, request, login)
        return {**made, "HOME": str(person), "CLAUDE_CONFIG_DIR": str(person / ".claude")}

    monkeypatch.setattr(claude_code, "environment", environment)


@pytest.mark.usefixtures("open_house")
def test_without_isolation_the_findings_say_so(
    claude: Path, person: Path, skill: Path, mock: MockLLM, tmp_path: Path
) -> None:
    """The baseline had the skill, the treatment had the person's copy of it, and no word is given."""
    env = {
        **surroundings(person),
        "SKILLTRIAL_CLAUDE": str(claude),
        "ANTHROPIC_BASE_URL": mock.url("skill", "open"),
    }
    request = pipeline.RunRequest(
        skill=skill,
        env=env,
        harness="claude-code",
        harness_args=("--setting-sources", "user,project"),
        runs=1,
        workspace=tmp_path / "w",
    )
    benchmark: Benchmark = anyio.run(pipeline.run, request).benchmark
    found = {finding.code: finding for finding in benchmark.findings}
    assert {code for code, finding in found.items() if finding.severity == "invalid"} == {
        "baseline-had-skill",
        "skill-shadowed",
    }
    assert str(person / ".claude/skills/csv-report") in found["skill-shadowed"].message
    assert [key.arm for key in found["baseline-had-skill"].trials] == ["without_skill"]
    assert found["other-skills-listed"].severity == "info"
    assert benchmark.lift is not None
    assert benchmark.lift.word == "cannot tell"
