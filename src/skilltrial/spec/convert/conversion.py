"""A suite or a trigger set -> a document in another tool's form."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.records.trigger import TriggerSuite
from skilltrial.spec.convert import agentskills, skill_builder, skill_creator, slow_powers, trigger_set
from skilltrial.spec.convert.converted import Converted, TargetName
from skilltrial.spec.convert.ledger import Ledger
from skilltrial.spec.convert.origin import Contents, Origin, contents, origin_of

_WRITERS: Mapping[TargetName, Callable[[Suite, Origin, Ledger], Json]] = {
    "agentskills": agentskills.write,
    "skill-creator": skill_creator.write,
    "skill-builder": skill_builder.write,
    "slow-powers": slow_powers.write,
}


def convert(suite: Suite, *, to: TargetName, skill: Skill | None = None, read: Contents = contents) -> Converted:
    """The suite in the form of `to`, with everything that this form cannot hold.

    A file that has that form already comes back with the author's own values. `read` gives the bytes of an input file.
    Raises `SpecError` where one cannot be read.
    """
    ledger, origin = Ledger(), origin_of(suite.path, skill, read)
    for file in (file for case in suite.cases for file in case.files):
        path = origin.path_of(file)
        if path is not None:
            ledger.reserve(path, file)
    value = _WRITERS[to](suite, origin, ledger)
    return Converted(value=value, files=ledger.files, losses=tuple(ledger.losses), notes=ledger.notes)


def convert_triggers(triggers: TriggerSuite, *, to: TargetName, skill: Skill | None = None) -> Converted:
    """The trigger set in the form of `to`. Raises `SpecError` where that tool knows none."""
    ledger = Ledger()
    value = trigger_set.write(triggers, ledger, skill_name=skill.name if skill else None, to=to)
    return Converted(value=value, losses=tuple(ledger.losses), notes=ledger.notes)
