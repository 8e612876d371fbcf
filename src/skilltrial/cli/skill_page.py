"""Installing our skill in front of a person."""

from __future__ import annotations

import json
import os
from pathlib import Path

from rich.text import Text

from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.own_skill.install import Action, install
from skilltrial.own_skill.place import own_skill
from skilltrial.report.plain_text import line as one_line
from skilltrial.wiring.harnesses import CLAUDE_CODE
from skilltrial.wiring.skill_folders import SkillFolder, skill_folder_of

_DONE: dict[Action, tuple[str, str]] = {
    "installed": ("installed", "would be installed"),
    "updated": ("updated", "would be updated"),
    "replaced": ("replaced", "would be replaced"),
    "up-to-date": ("up to date, nothing was written", "up to date"),
}


def install_and_print(
    agent: str | None, *, user: bool, to: Path | None, force: bool, dry_run: bool, as_json: bool
) -> None:
    """Install it and say where. Raises as `install` and `skill_folder_of` do."""
    place = _place(agent, user=user, to=to)
    done = install(own_skill(), *place, force=force, dry_run=dry_run)
    if as_json:
        said = {"schema_version": 1, "folder": str(done.folder), "action": done.action, "dry_run": dry_run}
        put(json.dumps({**said, "files": list(done.files)}, indent=2) + "\n")
        return
    console = Screen()
    console.print(Text(one_line(f"{done.folder}: {_DONE[done.action][dry_run]}", 400)), soft_wrap=True)
    if done.action != "up-to-date":
        for path in done.files:
            console.print(Text(f"  {path}", "dim"), soft_wrap=True)
    if not dry_run:
        console.print("Start the agent anew and ask it, for example: does my skill help?")


def _place(agent: str | None, *, user: bool, to: Path | None) -> SkillFolder:
    if to is None:
        return skill_folder_of(agent or CLAUDE_CODE, project=None if user else Path.cwd(), env=os.environ)
    if agent is not None or not user:
        hint = "Leave out --agent and --project, or --to."
        raise SpecError("--to names the folder already.", hint=hint, code="options")
    return SkillFolder(Path(os.path.abspath(to)), ".")  # noqa: PTH100 - links above it are the person's choice
