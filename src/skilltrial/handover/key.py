"""Where the key to a prepared folder is: in its workspace, and the way there in the person's own state folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from pydantic import ValidationError

from skilltrial.errors import SpecError, StoreError
from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.handover import Handover

_FOLDER = "handovers"


class Key(NamedTuple):
    """A handover and the iteration that it belongs to."""

    handover: Handover
    iteration: int


def write_key(store: Store, iteration: int, handover: Handover) -> None:
    """Keep the key in the workspace."""
    path = f"{layout.iteration_dir(iteration)}/{_FOLDER}/{handover.id}.json"
    store.write(path, handover.model_dump_json(indent=2).encode() + b"\n")


def read_key(store: Store, token: str) -> Key:
    """The key of this id; `SpecError` where the workspace has none, `StoreError` where it cannot be read."""
    found = store.find(f"iteration-*/{_FOLDER}/{token}.json")
    if not found:
        hint = "Give --workspace as `prepare` was given it."
        raise SpecError(f"nothing was prepared here under the id {token}.", where=str(store.path("")), hint=hint)
    try:
        handover = Handover.model_validate_json(store.read(found[0]) or b"")
        return Key(handover, int(found[0].partition("/")[0].removeprefix("iteration-")))
    except (ValidationError, ValueError) as error:
        raise StoreError("this key cannot be read.", where=str(store.path(found[0]))) from error


def remember(token: str, workspace: Path, env: Mapping[str, str]) -> None:
    """Note which workspace has the key, so that `collect` finds it; nothing happens where that cannot be written."""
    note = _note(token, env)
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps({"workspace": str(workspace.absolute())}) + "\n", encoding="utf-8")
    except OSError:
        return  # `collect --workspace` is the other way


def workspace_of(token: str, env: Mapping[str, str]) -> Path:
    """The workspace that has the key; `SpecError` where that was not noted."""
    note = _note(token, env)
    try:
        data: Any = json.loads(note.read_bytes())
    except (OSError, ValueError):
        data = None
    place = cast("dict[str, Any]", data).get("workspace") if isinstance(data, dict) else None
    if not isinstance(place, str):
        hint = "Give --workspace, as `prepare` printed it."
        raise SpecError(f"which workspace prepared {token} is not known here.", where=str(note), hint=hint)
    return Path(place)


def _note(token: str, env: Mapping[str, str]) -> Path:
    state = env.get("XDG_STATE_HOME") or os.path.join(env.get("HOME") or Path.home(), ".local/state")  # noqa: PTH118 - either
    return Path(state) / "skilltrial/handovers" / f"{token}.json"
