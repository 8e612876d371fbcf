"""From what a person asked for to objects."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from skilltrial import wiring
from skilltrial.errors import SpecError
from skilltrial.plan.plan import harness_facts
from skilltrial.records.json_value import Json

URL = "http://127.0.0.1:9/v1"


def test_a_judge_behind_an_address_may_have_a_colon_in_its_name() -> None:
    """Local servers name models like `llama3:8b`; only the vendors before a colon have addresses of their own."""

    async def name() -> str:
        async with wiring.open_judge("llama3:8b", base_url=URL, env={}) as judge:
            return judge.name

    assert anyio.run(name) == "llama3:8b"


@pytest.mark.parametrize("harness", ["builtin", "claude-code"])
def test_a_password_in_an_address_is_not_in_the_plan(harness: str) -> None:
    """The plan is written; the password stays with the client."""
    url = "http://me:hunter2-hunter2@127.0.0.1:9/v1"
    # Any program that tells a version will do: no trial is started.
    env = {"ANTHROPIC_API_KEY": "sk-ant-12345678", "SKILLTRIAL_CLAUDE": "git", "PATH": os.environ["PATH"]}
    wanted = wiring.Wanted(harness=harness, model="llama3:8b", base_url=url, env=env)

    async def choice() -> str:
        chosen = await wiring.choose_harness(wanted)
        await chosen.harness.aclose()
        return repr((chosen.choice, chosen.notices))

    said = anyio.run(choice)
    assert "hunter2" not in said
    assert URL in said


def test_settings_of_a_repository_do_not_start_a_program_that_the_repository_describes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two of its files would be enough to run anything; on the command line the name is a person's decision."""
    folder = tmp_path / ".skilltrial/harnesses"
    folder.mkdir(parents=True)
    (folder / "theirs.toml").write_text(
        'schema = 1\nname = "theirs"\ntitle = "T"\nprogram = "git"\n[stream]\nformat = "text"\n'
    )
    monkeypatch.chdir(tmp_path)
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}

    async def choose(settings: Path | None) -> str:
        chosen = await wiring.choose_harness(wiring.Wanted(harness="theirs", settings=settings, env=env))
        await chosen.harness.aclose()
        return chosen.choice.why

    with pytest.raises(SpecError, match=r"only taken from the command line\. .*add --harness theirs"):
        anyio.run(choose, tmp_path / "skilltrial.toml")
    assert anyio.run(choose, None) == "asked for with --harness theirs"

    async def judge(settings: Path | None) -> str:
        async with wiring.open_judge("theirs", base_url=None, env=env, settings=settings) as opened:
            return opened.name

    with pytest.raises(SpecError, match=r"only taken from the command line\. .*or --judge theirs"):
        anyio.run(judge, tmp_path / "skilltrial.toml")
    assert anyio.run(judge, None) == "theirs"


def test_the_reason_for_an_agent_names_the_file_that_asked_for_it() -> None:
    """Not an option that nobody gave."""
    env = {"SKILLTRIAL_CLAUDE": "git", "ANTHROPIC_API_KEY": "sk-ant-12345678", "PATH": os.environ["PATH"]}
    wanted = wiring.Wanted(harness="claude-code", settings=Path("/r/skilltrial.toml"), env=env)

    async def why() -> str:
        chosen = await wiring.choose_harness(wanted)
        await chosen.harness.aclose()
        return chosen.choice.why

    assert anyio.run(why) == "asked for in /r/skilltrial.toml"


def test_another_description_of_an_agent_program_is_another_plan(tmp_path: Path) -> None:
    """Its arguments stand in the file, so trials of the old one must not be taken for those of the new one."""
    file = tmp_path / "skilltrial/harnesses/mine.toml"
    file.parent.mkdir(parents=True)
    env = {"PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(tmp_path)}
    text = 'schema = 1\nname = "mine"\ntitle = "T"\nprogram = "git"\n[stream]\nformat = "text"\n'

    async def facts() -> Json:
        chosen = await wiring.choose_harness(wiring.Wanted(harness="mine", env=env))
        await chosen.harness.aclose()
        return harness_facts(chosen.choice)

    found: list[Json] = []
    for written in (text, f"# a comment\n{text}", text + '[run]\nargs = ["--model", "other"]\n'):
        file.write_text(written)
        found.append(anyio.run(facts))
    assert found[0] == found[1]
    assert found[0] != found[2]
