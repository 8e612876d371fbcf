"""How many tries run at a time."""

from __future__ import annotations

import anyio
import pytest

from skilltrial.execute.throttle import Slot, Throttle


async def end(throttle: Throttle, *, refused: bool, beside: int = 0) -> None:
    """One try to its end, with others running beside it."""
    async with anyio.create_task_group() as group:
        for _ in range(beside):
            group.start_soon(hold, throttle)
        await anyio.wait_all_tasks_blocked()
        async with throttle.place() as place:
            assert await place.take()
            await place.ended(refused=refused)
        group.cancel_scope.cancel()


async def hold(throttle: Throttle) -> None:
    """A try that does not end."""
    async with throttle.place() as place:
        assert await place.take()
        await anyio.sleep_forever()


def test_a_rate_limit_halves_what_runs_and_good_ends_raise_it_one_by_one() -> None:
    """Eight at a time; 429: four. Four good ends: five; five more: six. The changes are told."""
    told: list[int] = []
    throttle = Throttle(8, on_change=told.append)

    async def scene() -> None:
        await end(throttle, refused=True, beside=7)
        assert throttle.limit == 4
        for _ in range(4 + 5):
            await end(throttle, refused=False)

    anyio.run(scene)
    assert told == [4, 5, 6]


def test_one_burst_of_refusals_halves_once() -> None:
    """All eight began before the first refusal; a ninth that begins after it and is refused halves again."""
    throttle = Throttle(8)

    async def scene() -> None:
        early = Slot(0)
        for _ in range(8):
            await throttle.ended(early, refused=True)
        first = throttle.limit
        await throttle.ended(Slot(1), refused=True)
        assert (first, throttle.limit) == (1, 1)

    anyio.run(scene)


def test_it_never_rises_above_what_was_asked_for() -> None:
    """A hundred good ends change nothing."""
    throttle = Throttle(2)

    async def scene() -> None:
        for _ in range(100):
            await end(throttle, refused=False)

    anyio.run(scene)
    assert throttle.limit == 2


def test_nobody_starts_while_a_provider_asks_to_wait() -> None:
    """A rest for all holds back the next slot until it ends."""
    throttle = Throttle(4)
    order: list[str] = []

    async def rests(over: anyio.Event) -> None:
        await throttle.rest(over.wait, all_wait=True)
        order.append("rested")

    async def starts() -> None:
        async with throttle.place() as place:
            assert await place.take()
            order.append("started")

    async def scene() -> None:
        over = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(rests, over)
            await anyio.wait_all_tasks_blocked()
            group.start_soon(starts)
            await anyio.wait_all_tasks_blocked()
            assert order == []
            over.set()

    anyio.run(scene)
    assert order == ["rested", "started"]


@pytest.mark.parametrize("all_wait", [True, False])
def test_closing_ends_rests_and_gives_no_slot(all_wait: bool) -> None:
    """A retry that waits is given up; who waits for a place gets none."""
    throttle = Throttle(1)
    ends: list[bool] = []

    async def rests() -> None:
        ends.append(await throttle.rest(anyio.sleep_forever, all_wait=all_wait))

    async def scene() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(rests)
            await anyio.wait_all_tasks_blocked()
            await throttle.close()
        async with throttle.place() as place:
            assert not await place.take()

    anyio.run(scene)
    assert ends == [False]


def test_agent_programs_share_the_places_of_the_run() -> None:
    """Two in all: the second program's waits though its own two are free, and starts once the first gives one back."""
    taken: list[str] = []

    async def scene() -> None:
        within = anyio.Semaphore(2)
        first, second = Throttle(2, within=within), Throttle(2, within=within)
        slots = [await first.take(), await first.take()]

        async def wait() -> None:
            taken.append("some" if await second.take() else "none")

        async with anyio.create_task_group() as group:
            group.start_soon(wait)
            group.start_soon(wait)
            await anyio.wait_all_tasks_blocked()
            assert (len(slots), taken) == (2, [])
            await first.give_back()
            await anyio.wait_all_tasks_blocked()
            assert taken == ["some"]
            await second.close()
            await first.give_back()
        assert taken == ["some", "none"]
        # The one that came too late has left its place.
        assert within.value == 1

    anyio.run(scene)
