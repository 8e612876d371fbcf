"""The newest check of the baseline against itself."""

from __future__ import annotations

from skilltrial.ports import Store
from skilltrial.records import layout
from skilltrial.records.self_check import SelfCheck


def read_self_check(store: Store) -> SelfCheck | None:
    """None where there is none that can be read."""
    data = store.read(f"{layout.SELF_CHECKS}/{layout.SELF_CHECK}")
    try:
        return None if data is None else SelfCheck.model_validate_json(data)
    except ValueError:
        return None
