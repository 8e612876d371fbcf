"""Trials in one event loop."""

from __future__ import annotations

import anyio
import pytest

from skilltrial.adapters.executor.local import LocalExecutor
from skilltrial.errors import AuthFailed
from skilltrial.records.trial import TrialKey

KEYS = [TrialKey(case_id=str(n), arm="a", repeat=1) for n in range(6)]


def test_every_key_is_done_once_in_order_of_start_and_within_the_limit() -> None:
    """Two at a time, none twice."""
    started: list[str] = []
    running = most = 0

    async def work(key: TrialKey) -> None:
        nonlocal running, most
        started.append(key.case_id)
        running += 1
        most = max(most, running)
        await anyio.sleep(0.01)
        running -= 1

    anyio.run(lambda: LocalExecutor().run(KEYS, work, limit=2))
    assert started == ["0", "1", "2", "3", "4", "5"]
    assert most == 2


def test_an_error_cancels_the_rest_and_is_raised_as_itself() -> None:
    """A refused key stops the plan; nobody sees a group of exceptions."""
    ended: list[str] = []

    async def work(key: TrialKey) -> None:
        if key.case_id == "1":
            raise AuthFailed("no")
        try:
            await anyio.sleep(5)
        finally:
            ended.append(key.case_id)

    with pytest.raises(AuthFailed, match="no"):
        anyio.run(lambda: LocalExecutor().run(KEYS, work, limit=2))
    assert ended == ["0"]


def test_no_keys_is_no_work() -> None:
    """A finished plan ends at once."""

    async def work(key: TrialKey) -> None:
        raise AssertionError(key)

    anyio.run(lambda: LocalExecutor().run([], work, limit=3))
