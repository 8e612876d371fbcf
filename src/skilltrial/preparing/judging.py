"""Who judges the prose of a run: the judges that were asked for, and those that assertions ask for themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from skilltrial import wiring
from skilltrial.errors import SkilltrialError, SpecError
from skilltrial.grade.judge_prompt import JudgePrompt, own_prompt, read_prompt
from skilltrial.grade.panel import Panel
from skilltrial.ports import Confinement, LanguageModel
from skilltrial.records.grading import Grading
from skilltrial.records.plan import UNKNOWN_JUDGE, Plan
from skilltrial.records.settings import Settings
from skilltrial.records.suite import Case, LlmJudge
from skilltrial.spec.settings import find_settings, load_settings

_MOST_SAMPLES = 99


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesWanted:
    """What a person asks for."""

    names: str | None
    """One name, or several with commas; None: no judge."""
    samples: int | None = None
    """None: not said; once."""
    prompt: Path | None = None
    base_url: str | None = None
    settings: Path | None = None
    """The skilltrial.toml that names them; None where the person did."""
    env: Mapping[str, str] = field(repr=False)
    confinement: Confinement | None = None
    """What agent programs among them run in."""


def judge_names(text: str | None) -> tuple[str, ...]:
    """The names of a list with commas, each once."""
    return tuple(dict.fromkeys(name.strip() for name in (text or "").split(",") if name.strip()))


def prompt_of(path: Path | None) -> JudgePrompt:
    """The prompt in a file, or ours; `SpecError` where it cannot be used."""
    if path is None:
        return own_prompt()
    try:
        return read_prompt(path.read_text(encoding="utf-8"), where=str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"the judge's prompt cannot be read ({error}).", where=str(path)) from None


def planned_judges(names: str | None, *, samples: int | None, prompt: Path | None) -> dict[str, object]:
    """What plan.json says of the judges."""
    listed = judge_names(names)
    if not listed:
        return {"judge": None, "judge_samples": 1, "judge_prompt": None}
    return {
        "judge": ",".join(listed),
        "judge_samples": 1 if samples is None else samples,
        "judge_prompt": None if prompt is None else prompt_of(prompt).digest,
    }


def price_of_calls(n_calls: int, *, judges: str, gradings: Collection[Grading]) -> float | None:
    """US dollars, at the mean price of a call of the same judges in these gradings; None: unknown."""
    facts = [each.judge for each in gradings if each.judge and each.judge.model == judges]
    known = [(each.cost_usd, each.calls) for each in facts if each.cost_usd is not None and each.calls]
    if not n_calls:
        return 0.0
    return sum(cost for cost, _ in known) / sum(n for _, n in known) * n_calls if known else None


def settings_told(before: JudgesWanted, chosen: JudgesWanted) -> str:
    """The line that says what was taken from a skilltrial.toml; empty where nothing was."""
    if chosen.settings is None:
        return ""
    parts = [f"judge {chosen.names}"]
    parts += [f"judge samples {chosen.samples}"] if before.samples is None and chosen.samples is not None else []
    parts += [f"judge prompt {chosen.prompt}"] if before.prompt is None and chosen.prompt is not None else []
    return f"settings of {chosen.settings}: {', '.join(parts)}"


async def open_panel(wanted: JudgesWanted, cases: Collection[Case], *, stack: AsyncExitStack) -> Panel | None:
    """The judges, opened; the stack closes them. None where none was asked for: no suite spends a person's money by itself.

    Raises what opening them does. A judge that only assertions ask for and that cannot be opened leaves those open.
    """
    names = judge_names(wanted.names)
    if not names:
        if wanted.samples is not None or wanted.prompt:
            raise SpecError("--judge-samples and --judge-prompt need a judge.", hint="Add --judge NAME.")
        return None
    samples = 1 if wanted.samples is None else wanted.samples
    if not 1 <= samples <= _MOST_SAMPLES:
        raise SpecError(f"--judge-samples is {samples}.", hint=f"Give 1 to {_MOST_SAMPLES}.")
    prompt = prompt_of(wanted.prompt)
    judges = tuple([await _open(name, wanted, stack) for name in names])
    panel = Panel(judges=judges, samples=samples, prompt=prompt)
    asked = {each.model for case in cases for each in case.assertions if isinstance(each, LlmJudge) and each.model}
    own = {name: await _own(name, panel, wanted, stack) for name in sorted(asked)}
    return Panel(judges=judges, own=own, samples=samples, prompt=prompt)


def wanted_again(plan: Plan, wanted: JudgesWanted) -> JudgesWanted:
    """The judges asked for, else those of before, else those of the skill's skilltrial.toml.

    That file also says how they are asked, where nothing else does. `SpecError` where those of before had a prompt that is not at
    hand now or are unknown, and for a file that is wrong.
    """
    file = find_settings(Path(plan.skill.folder))
    told = load_settings(file) if file else Settings()
    prompt = wanted.prompt or (Path(told.judge.prompt) if told.judge.prompt else None)
    if wanted.names is None and plan.judge == UNKNOWN_JUDGE:
        raise SpecError("another tool graded before, and who judged is not known.", hint="Say who does: --judge NAME.")
    if wanted.names is None and plan.judge is not None:
        before = plan.judge_samples if wanted.samples is None else wanted.samples
        return replace(wanted, names=plan.judge, samples=before, prompt=_prompt_again(plan, wanted.prompt, prompt))
    names = wanted.names or told.run.judge
    if names is None:
        return wanted
    samples = told.judge.samples if wanted.samples is None else wanted.samples
    return replace(
        wanted, names=names, samples=samples, prompt=prompt, settings=None if wanted.names is not None else file
    )


def _prompt_again(plan: Plan, asked: Path | None, found: Path | None) -> Path | None:
    """The prompt of before, which is a file of the person's, or ours; or the one that is asked for now."""
    if plan.judge_prompt is None:
        return asked
    if found is None or prompt_of(found).digest != plan.judge_prompt:
        raise SpecError(
            "the judge had a prompt of its own before.", hint="Give that file with --judge-prompt, or another --judge."
        )
    return found


async def _open(name: str, wanted: JudgesWanted, stack: AsyncExitStack) -> LanguageModel:
    opened = wiring.open_judge(
        name, base_url=wanted.base_url, env=wanted.env, confinement=wanted.confinement, settings=wanted.settings
    )
    return await stack.enter_async_context(opened)


async def _own(name: str, panel: Panel, wanted: JudgesWanted, stack: AsyncExitStack) -> LanguageModel | str:
    """The judge that an assertion asks for. A bare name is a model of whatever the first judge is."""
    there = panel.seat(name)
    if there is not None:
        return there
    vendor, colon, _ = panel.judges[0].name.partition(":")
    has_vendor = ":" in name or wiring.is_agent(name, wanted.env)
    full = f"{vendor}:{name}" if not has_vendor and (colon or wiring.is_agent(vendor, wanted.env)) else name
    try:
        # The eval file names it, as a file of the project's.
        return await _open(full, replace(wanted, settings=Path("the eval file")), stack)
    except SkilltrialError as error:
        return f"the judge {name!r}, which it asks for, cannot be used: {error}"
