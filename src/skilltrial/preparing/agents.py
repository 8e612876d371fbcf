"""The agent program of each arm: chosen, probed, and able to do what its arm asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from skilltrial import wiring
from skilltrial.errors import PlanError
from skilltrial.ports import Harness
from skilltrial.preparing.forecasting import check_ceilings
from skilltrial.preparing.lineup import LineUp
from skilltrial.records.budget import Ceilings
from skilltrial.records.plan import Arm, HarnessChoice
from skilltrial.records.settings import ArmSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """Who executes the trials of each arm."""

    choice: HarnessChoice
    """The plan's: of the arms that name none of their own."""
    arms: tuple[Arm, ...]
    """With the choice of those that do."""
    harnesses: Mapping[str, Harness]
    """By arm; arms that say the same share one."""
    notices: tuple[str, ...]

    @property
    def choices(self) -> tuple[HarnessChoice, ...]:
        """Of all arms, each once."""
        return tuple(dict.fromkeys(arm.harness or self.choice for arm in self.arms))


async def choose_agents(
    wanted: wiring.Wanted, lineup: LineUp, *, settings: Path | None, ceilings: Ceilings, stack: AsyncExitStack
) -> Agents:
    """The agent program of the run, and those of arms that ask for another; the stack closes them.

    `settings` is the file of the arms. Where every arm names a program, the first arm's is the run's. Raises what
    `wiring.choose_harness` does, and `PlanError` where a program lacks what its arm or a ceiling needs.
    """
    made: dict[tuple[object, ...], wiring.Chosen] = {}

    async def chosen(asked: wiring.Wanted) -> wiring.Chosen:
        key = (asked.harness, asked.model, asked.base_url, asked.args)
        if key not in made:
            made[key] = await wiring.choose_harness(asked)
            stack.push_async_callback(made[key].harness.aclose)
            check_ceilings(ceilings, made[key].choice.name, made[key].harness.capabilities)
        return made[key]

    run: wiring.Chosen | None = None
    if not all((said := lineup.settings.get(arm.name)) and said.harness for arm in lineup.arms):
        run = await chosen(wanted)
        # The same, asked for by what was chosen: an arm that names it shares it.
        made[run.choice.name, run.choice.model, wanted.base_url, wanted.args] = run
    arms: list[Arm] = []
    harnesses: dict[str, Harness] = {}
    for arm in lineup.arms:
        said = lineup.settings.get(arm.name)
        one = await chosen(_asked(said, wanted, run, settings)) if said or run is None else run
        run = run or one
        harnesses[arm.name] = one.harness
        own = one.choice.model_copy(update={"why": "asked for by the arm"})
        arms.append(arm.model_copy(update={"harness": own}) if said else arm)
        _require_able(arm, one.harness)
    notices = dict.fromkeys(notice for one in made.values() for notice in one.notices)
    if run is None:
        raise PlanError("there is no arm.", hint="Name at least one.")
    return Agents(choice=run.choice, arms=tuple(arms), harnesses=harnesses, notices=tuple(notices))


def _asked(
    said: ArmSettings | None, wanted: wiring.Wanted, run: wiring.Chosen | None, settings: Path | None
) -> wiring.Wanted:
    """What an arm asks for; model, address and arguments of the run belong to the run's program."""
    said = said or ArmSettings()
    usual = run.choice.name if run else wanted.harness
    name = said.harness or usual
    same = name == usual
    model = said.model or ((run.choice.model if run else wanted.model) if same else None)
    by_person = name == wanted.harness and wanted.settings is None
    return replace(
        wanted,
        harness=name,
        model=model,
        base_url=wanted.base_url if same else None,
        args=said.args if said.args is not None else wanted.args if same else (),
        settings=settings if said.harness and not by_person else wanted.settings,
    )


def _require_able(arm: Arm, harness: Harness) -> None:
    able = harness.capabilities
    if arm.env and not able.takes_environment:
        raise PlanError(
            f"{arm.name} has variables of its own (env), and {harness.name} gives its agent none.",
            hint="Leave env out, or use another harness.",
        )
    if arm.beside and not able.finds_siblings:
        raise PlanError(
            f"{arm.name} has skills beside the one on trial, and {harness.name} offers only that one.",
            hint="Leave them out, or use another harness (claude-code, codex, …).",
        )
