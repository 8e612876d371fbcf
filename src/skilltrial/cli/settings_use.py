"""What a run takes from its skilltrial.toml, and the line that says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from skilltrial.records.settings import ArmSettings, JudgeSettings, RunSettings
from skilltrial.spec.settings import find_settings, require_named, settings_of


class _Judging(TypedDict):
    judge: str | None
    judge_samples: int | None
    judge_prompt: Path | None
    judge_settings: Path | None


class _Agents(TypedDict):
    runs: int
    harness: str | None
    model: str | None
    settings: Path | None
    concurrency: int
    timeout_s: float
    seed: int


class _Asked(_Judging, _Agents):
    named_arms: Mapping[str, ArmSettings]
    arms_file: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What holds: the word of the command line, else of the file, else the default."""

    runs: int = 3
    harness: str | None = None
    model: str | None = None
    judge: str | None = None
    judge_samples: int | None = None
    judge_prompt: Path | None = None
    timeout: float = 600.0
    concurrency: int = 4
    seed: int = 1
    arms: Mapping[str, ArmSettings]
    """Of the file."""
    file: Path | None
    names_agent: bool
    """Whether the agent program, or the model that says which, is the file's."""
    names_judge: bool
    line: str
    """See `settings_line`."""

    @property
    def judging(self) -> _Judging:
        """What a `RunRequest` says of judges."""
        return {
            "judge": self.judge or None,
            "judge_samples": self.judge_samples,
            "judge_prompt": self.judge_prompt,
            "judge_settings": self.file if self.names_judge else None,
        }

    @property
    def agents(self) -> _Agents:
        """What it says of agents and their trials."""
        return {
            "runs": self.runs,
            "harness": self.harness,
            "model": self.model,
            "settings": self.file if self.names_agent else None,
            "concurrency": self.concurrency,
            "timeout_s": self.timeout,
            "seed": self.seed,
        }

    @property
    def asked(self) -> _Asked:
        """What a `RunRequest` says of all that settings may say."""
        return {**self.judging, **self.agents, "named_arms": self.arms, "arms_file": self.file}


def use_settings(skill: Path, config: Path | None, *, asked: Mapping[str, Any], arms: bool) -> Used:
    """Read the file the person names (`config`), or the skill's own.

    `asked` has what the command line says, by name, None where it says nothing; `arms`: the file's arms are wanted. Raises
    `SpecError` for a file that is wrong, and for one that nobody names whose arms have what only a named file may give.
    """
    file = config or find_settings(skill)
    settings = settings_of(skill, file)
    if file and config is None and arms:
        require_named(settings, file)
    told = taken(settings.run, asked)
    judge = taken_of_judge(settings.judge, asked, judges=bool(told.judge or asked.get("judge")))
    prompt: dict[str, Any] = {"judge_samples": judge.samples, "judge_prompt": judge.prompt and Path(judge.prompt)}
    sources: list[Mapping[str, Any]] = [told.model_dump(), prompt, asked]
    said = {name: value for source in sources for name, value in source.items() if value is not None}
    return Used(
        **said,
        arms=settings.arms,
        file=file,
        names_agent=bool(told.harness or (told.model and not asked.get("harness"))),
        names_judge=told.judge is not None,
        line=settings_line(file, told, settings.arms if arms else (), judge=judge),
    )


def taken(told: RunSettings, asked: Mapping[str, object]) -> RunSettings:
    """The settings that the command line does not overrule; `asked` has its values by name, None where nothing was said."""
    values = {name: value for name, value in told.model_dump().items() if asked.get(name) is None}
    # A model belongs to its harness: another one on the command line may not know it.
    other = asked.get("harness") not in {None, told.harness}
    return RunSettings(**{**values, **({"model": None} if other else {})})


def taken_of_judge(told: JudgeSettings, asked: Mapping[str, object], *, judges: bool) -> JudgeSettings:
    """How often and with which prompt is asked, where the command line does not say it and there is a judge (`judges`)."""
    return JudgeSettings(
        samples=told.samples if judges and asked.get("judge_samples") is None else None,
        prompt=told.prompt if judges and asked.get("judge_prompt") is None else None,
    )


def settings_line(
    file: Path | None, used: RunSettings, arms: Iterable[str], *, judge: JudgeSettings | None = None
) -> str:
    """`settings of FILE: judge openai:m, runs 5, arms a and b`; empty where nothing is taken from a file."""
    judge = judge or JudgeSettings()
    values: dict[str, object] = {**used.model_dump(), "judge samples": judge.samples, "judge prompt": judge.prompt}
    values = {name: value for name, value in values.items() if value is not None}
    parts = [f"{name} {value}" for name, value in values.items()]
    if names := list(arms):
        parts.append(f"arms {', '.join(names)}")
    return f"settings of {file}: {', '.join(parts)}" if file and parts else ""
