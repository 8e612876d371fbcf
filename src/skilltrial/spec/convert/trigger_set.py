"""Trigger sets of skill-creator and of agentskills.io's guide: a list of queries with `should_trigger`."""

from __future__ import annotations

from skilltrial.records.json_value import Json
from skilltrial.records.trigger import TriggerQuery, TriggerSuite
from skilltrial.spec.convert.converted import TargetName
from skilltrial.spec.convert.ledger import Ledger
from skilltrial.spec.findings import invalid

_HOLDS = ("agentskills", "skill-creator")


def write(triggers: TriggerSuite, ledger: Ledger, *, skill_name: str | None, to: TargetName) -> Json:
    """The list. Raises `SpecError` for a tool without trigger sets, and where it is not known which skill is meant."""
    if to not in _HOLDS:
        hint = f"Convert it to {' or '.join(_HOLDS)}."
        raise invalid("no-trigger-sets", f"{to} has no form for a trigger set.", file=triggers.path, hint=hint)
    skill = triggers.skill_name or skill_name
    if skill is None and any(query.expects is not None for query in triggers.queries):
        hint = "Put it into the skill's folder."
        message = "the file names skills, and it is not known which of them is meant."
        raise invalid("skill-unknown", message, file=triggers.path, hint=hint)
    if triggers.skill_name not in {None, skill_name}:
        ledger.lose(
            "the file", f"skill_name {triggers.skill_name!r}, which is not the name of the skill that it lies in"
        )
    for key in triggers.extra:
        ledger.lose("the file", f"the key {key!r} has no place in a list")
    return [_query(query, skill or "", ledger) for query in triggers.queries]


def _query(query: TriggerQuery, skill: str, ledger: Ledger) -> Json:
    others = [name for name in query.expects or () if name != skill]
    if others:
        names = ", ".join(map(repr, others))
        ledger.lose(f"query {query.id!r}", f"that it should load {names}")
    fields: dict[str, Json] = {
        "id": query.written_id,
        "query": query.query,
        "should_trigger": query.wants(skill),
        "split": query.split,
        "note": query.note,
    }
    value = {key: field for key, field in fields.items() if field is not None}
    for key, field in query.extra.items():
        if key in value or key in fields:
            ledger.lose(f"query {query.id!r}", f"the key {key!r} has another meaning there")
        else:
            value[key] = field
    return value
