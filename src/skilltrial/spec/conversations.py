"""The `turns` and the `responder` of a case: what is said after its prompt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from skilltrial.records.conversation import Responder, Turn
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record
from skilltrial.spec.findings import Findings, Invalid, shown, unknown_key
from skilltrial.spec.json_source import Node
from skilltrial.spec.patterns import BadPattern, compile_pattern

_TURN_HINT = 'Write {"prompt": …, "deliver_when": "always"}, or "agent_asks".'
_RESPONDER_HINT = 'Write {"type": "llm"}, with "max_turns" and "instructions" where they are wanted.'


def read_turns(node: Node, findings: Findings) -> tuple[Turn, ...]:
    """What the user says later: objects, or texts that are said whatever the agent answers.

    Raises `SpecError` for the first that cannot be said, or waits for what cannot be searched.
    """
    if not isinstance(node.value, list):
        raise node.error("bad-turn", f"must be a list, not {shown(node.value)}.", hint=_TURN_HINT)
    return tuple(_turn(entry, findings) for entry in node.elements())


def read_responder(node: Node, findings: Findings) -> Responder:
    """Who plays the user. Raises `SpecError` where it is none that is known."""
    return Responder(**_checked(node, Responder, findings, "bad-responder", _RESPONDER_HINT))


def turns_as_written(turns: tuple[Turn, ...], extra: Mapping[str, Json]) -> Json:
    """As their author wrote them; None where there are none."""
    return extra.get("written_turns") or [turn.model_dump(mode="json", exclude_unset=True) for turn in turns] or None


def responder_as_written(responder: Responder | None, extra: Mapping[str, Json]) -> Json:
    """As its author wrote it; None where there is none."""
    return extra.get("written_responder") or (responder and responder.model_dump(mode="json", exclude_unset=True))


def written_beside(
    turns: Node | None, responder: Node | None, *, read: tuple[tuple[Turn, ...], Responder | None]
) -> dict[str, Json]:
    """The author's own values, where what was read of them does not hold all."""
    kept: dict[str, Json] = {}
    if turns is not None and turns.value != turns_as_written(read[0], {}):
        kept["written_turns"] = turns.value
    if responder is not None and responder.value != responder_as_written(read[1], {}):
        kept["written_responder"] = responder.value
    return kept


def _turn(node: Node, findings: Findings) -> Turn:
    given: dict[str, Any] = {"prompt": node.value}
    if not isinstance(node.value, str):
        given = _checked(node, Turn, findings, "bad-turn", _TURN_HINT)
    turn = Turn(**given) if given.get("prompt") else None
    if turn is None or not turn.prompt.strip() or "\0" in turn.prompt:
        raise node.error("bad-turn", "has no prompt.", hint="Write what the user says.")
    pattern = turn.agent_response_matches
    if pattern is not None:
        if turn.deliver_when != "agent_asks":
            what = "has 'agent_response_matches', and is delivered always."
            raise node.error("bad-turn", what, hint="Set 'deliver_when' to 'agent_asks', or leave the pattern out.")
        try:
            compile_pattern(pattern)
        except BadPattern as error:
            raise node.error("bad-turn", f"its pattern {shown(pattern)} {error}.") from error
    return turn


def _checked(node: Node, form: type[Record], findings: Findings, code: str, hint: str) -> dict[str, Any]:
    """The known keys of an object, as its form takes them; others are reported."""
    if not isinstance(node.value, dict):
        raise node.error(code, f"must be an object, not {shown(node.value)}.", hint=hint)
    given = {str(key): child.value for key, child in node.children.items() if child.value is not None}
    for key in given.keys() - form.model_fields.keys():
        if not key.startswith("$"):
            findings.repair(node.children[key].repair("unknown-key", unknown_key(key, form.model_fields)))
    known = {key: given[key] for key in form.model_fields if key in given}
    try:
        form.model_validate(known, strict=True)
    except ValidationError as error:
        raise _invalid(node, error, code, hint) from None
    return known


def _invalid(node: Node, error: ValidationError, code: str, hint: str) -> Invalid:
    first = error.errors()[0]
    key = first["loc"][0] if first["loc"] else ""
    place = node.child(key) or node
    if first["type"] == "missing":
        return node.error(code, f"has no {key}.", hint=hint)
    said = first["msg"][0].lower() + first["msg"][1:]
    return place.error(code, f"is {shown(place.value)}: {said}.", hint=hint)
