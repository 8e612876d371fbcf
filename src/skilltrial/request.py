"""What a person asks of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from skilltrial.records.budget import Ceilings
from skilltrial.records.settings import ArmSettings
from skilltrial.records.suite import Suite


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A trial of a skill, as a person asks for it. The command line's options, under the same names."""

    skill: Path
    env: Mapping[str, str] = field(repr=False)
    """The person's environment: keys and PATH are taken from it by name."""
    evals: Path | None = None
    suite: Suite | None = None
    """The cases themselves, where they are in no eval file."""
    until_loaded: bool = False
    """End each trial once the skill was loaded; nothing else is asked."""
    runs: int = 3
    until_decided: bool = False
    """Round by round, at most `runs` of them, until pairs of trials decide (`deciding`)."""
    harness: str | None = None
    model: str | None = None
    base_url: str | None = None
    harness_args: tuple[str, ...] = ()
    settings: Path | None = None
    """The skilltrial.toml that names `harness` or `model`; None where the person did."""
    sandbox: str = "none"
    """What the agent runs in: `none`, `bwrap`, `landlock`, or `auto` for the best that holds on this machine."""
    network: str = "all"
    """What an agent in a sandbox may reach: `all`, `model`, or `HOST:PORT` and more with commas."""
    recordings: Path | None = None
    judge: str | None = None
    """A name, or several with commas."""
    judge_samples: int | None = None
    """None: once."""
    judge_prompt: Path | None = None
    judge_settings: Path | None = None
    """The skilltrial.toml that names `judge`; None where the person did."""
    responder: str | None = None
    """The model that plays the user of cases with a responder; None: the judge's."""
    arms: tuple[str, ...] | None = None
    """Names, or `NAME=FOLDER` for an arm with a skill of its own. None: `baseline`, `named_arms`, or with and without it."""
    baseline: str | None = None
    """What the skill is compared with: a folder, `git:REF`, `iteration:N` or `none`."""
    named_arms: Mapping[str, ArmSettings] = field(default_factory=dict[str, ArmSettings])
    """Of skilltrial.toml; `arms` and `baseline` come before them."""
    arms_file: Path | None = None
    """The skilltrial.toml of `named_arms`."""
    beside: tuple[Path, ...] = ()
    """Folders of skills that lie beside the one on trial in every arm."""
    ablate: str | None = None
    """`sections`: besides, the skill without one section each."""
    reuse_baseline: bool = False
    """Take over trials of the baseline from earlier iterations where nothing that they depend on has changed."""
    only: tuple[str, ...] = ()
    workspace: Path | None = None
    against_itself: Path | None = None
    """The workspace whose baseline is run in both arms, to see how often nothing looks like something. None: an ordinary run."""
    iteration: int | str | None = None
    concurrency: int = 4
    timeout_s: float = 600.0
    seed: int = 1
    ceilings: Ceilings = field(default_factory=Ceilings)


def default_workspace(skill: Path) -> Path:
    """`<skill>-workspace` beside the skill, but out of folders in which agents look for skills."""
    name = f"{skill.name}-workspace"
    parents = list(skill.parents)
    inside = [parent for parent in parents if parent.name == "skills" or parent.name.startswith(".")]
    if not inside:
        return skill.parent / name
    project = next((parent for parent in parents if (parent / ".git").exists()), inside[-1].parent)
    return project / ".skilltrial" / name
