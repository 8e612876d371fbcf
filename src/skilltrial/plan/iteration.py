"""Which iteration of a workspace a plan belongs to."""

from __future__ import annotations

import re

from pydantic import ValidationError

from skilltrial.errors import PlanError, StoreError
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.plan import Plan


def iterations(store: Store) -> list[int]:
    """The numbers of the iterations that have a plan, ascending."""
    found = (re.fullmatch(r"iteration-(\d+)/plan\.json", path) for path in store.find(f"iteration-*/{layout.PLAN}"))
    return sorted(int(match[1]) for match in found if match)


def read_plan(store: Store, iteration: int) -> Plan:
    """The plan of an iteration; StoreError where it is missing or of another form."""
    path = f"{layout.iteration_dir(iteration)}/{layout.PLAN}"
    data = store.read(path)
    if data is None:
        raise StoreError("there is no plan here.", where=str(store.path(path)), hint="Start with `skilltrial run`.")
    try:
        return Plan.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        place = f"{place}: " if place else ""
        raise StoreError(
            f"this plan cannot be read ({place}{first['msg']}).",
            where=str(store.path(path)),
            hint="It was changed by hand or written by another version; use --iteration new.",
        ) from error


def choose_iteration(store: Store, plan: Plan, wanted: int | str | None) -> int:
    """The iteration to work on.

    By default the newest one goes on where its plan has the same digest; any change of skill, suite, agent, model or
    numbers begins a new one. `wanted` is `"new"` or a number; the number of an iteration with another plan is a `PlanError`.
    """
    existing = iterations(store)
    newest = existing[-1] if existing else 0
    if wanted == "new" or not existing:
        return newest + 1 if not isinstance(wanted, int) else wanted
    number = newest if wanted is None else int(wanted)
    if number not in existing:
        return number
    if read_plan(store, number).digest == plan.digest:
        return number
    if wanted is None:
        return newest + 1
    raise PlanError(
        f"iteration {number} has another plan (the skill, the suite, the agent or the numbers differ).",
        hint="Use --iteration new, or leave the option out.",
    )


def freeze(store: Store, plan: Plan, iteration: int) -> Plan:
    """Write `plan.json`; what an earlier freeze said of the same trials is kept beside.

    Judges and assertions may change under the same digest: then only the grading is done again.
    """
    path = f"{layout.iteration_dir(iteration)}/{layout.PLAN}"
    if store.read(path) is not None:
        before = read_plan(store, iteration)
        plan = plan.model_copy(update={"created_at": before.created_at})
        if before == plan:
            return plan
        earlier = len(store.find(f"{layout.iteration_dir(iteration)}/superseded/plan-*.json"))
        store.write(
            f"{layout.iteration_dir(iteration)}/superseded/plan-{earlier + 1}.json",
            before.model_dump_json(indent=2).encode(),
        )
    store.write(path, plan.model_dump_json(indent=2).encode())
    return plan
