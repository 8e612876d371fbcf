"""How many tries run at a time: fewer after rate limits, slowly more again, none once a run has to stop."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import anyio


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for one try."""

    cut: int
    """How often the limit had been cut when the try began."""


class Throttle:
    """Shared by all trials of one agent program with one model, which its provider limits. `within` are the whole run's places.

    A rate limit halves the number of tries that run at a time, at least one is left; tries that began before that do
    not halve it once more. As many good ends as the limit raise it by one, up to where it was. While a provider's own waiting
    time runs, nothing starts. `on_change` hears of every new limit.
    """

    def __init__(
        self,
        most: int,
        *,
        within: anyio.Semaphore | None = None,
        on_change: Callable[[int], None] = lambda _limit: None,
    ) -> None:
        self._most = self._limit = max(1, most)
        self._running = self._holds = self._good = self._cuts = 0
        self._changed = anyio.Condition()
        self._closed = anyio.Event()
        self._within = within
        self._on_change = on_change

    @property
    def limit(self) -> int:
        """Tries at a time now."""
        return self._limit

    @property
    def is_closed(self) -> bool:
        """True once nothing may start any more."""
        return self._closed.is_set()

    @asynccontextmanager
    async def place(self) -> AsyncGenerator[Place]:
        """A place for one trial, not taken yet, and given back at the end."""
        place = Place(self)
        try:
            yield place
        finally:
            await place.leave()

    async def take(self) -> Slot | None:
        """Wait for a free slot and take it; None where nothing may start any more."""
        while await self._reserve():
            try:
                if self._within is None:
                    return Slot(self._cuts)
                await self._within.acquire()
            except BaseException:
                await self._release()
                raise
            if not self.is_closed and not self._holds:
                return Slot(self._cuts)
            await self.give_back()
        return None

    async def give_back(self) -> None:
        """Give a slot back."""
        if self._within is not None:
            self._within.release()
        await self._release()

    async def rest(self, sleep: Callable[[], Awaitable[None]], *, all_wait: bool) -> bool:
        """Sleep before a retry, `all_wait`: with nobody starting meanwhile. False where the run stops before its end."""
        self._holds += all_wait
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._end_with_the_run, group.cancel_scope)
                await sleep()
                group.cancel_scope.cancel()
        finally:
            with anyio.CancelScope(shield=True):
                self._holds -= all_wait
                await self._notify()
        return not self.is_closed

    async def close(self) -> None:
        """Let nothing start any more; what runs is not touched."""
        self._closed.set()
        await self._notify()

    async def ended(self, slot: Slot, *, refused: bool) -> None:
        """A try came to its end, still in its slot; `refused`: by a rate limit."""
        if refused:
            self._good = 0
            if slot.cut == self._cuts:
                self._cuts += 1
                self._set(max(1, min(self._limit, self._running) // 2))
            return
        self._good += 1
        if self._limit < self._most and self._good >= self._limit:
            self._good = 0
            self._set(self._limit + 1)
            await self._notify()

    def _set(self, limit: int) -> None:
        if limit != self._limit:
            self._limit = limit
            self._on_change(limit)

    async def _end_with_the_run(self, scope: anyio.CancelScope) -> None:
        await self._closed.wait()
        scope.cancel()

    async def _reserve(self) -> bool:
        async with self._changed:
            while not self.is_closed and (self._running >= self._limit or self._holds):
                await self._changed.wait()
            self._running += not self.is_closed
            return not self.is_closed

    async def _release(self) -> None:
        with anyio.CancelScope(shield=True):
            self._running -= 1
            async with self._changed:
                self._changed.notify()  # one place, for one of those that wait

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()


class Place:
    """Of one trial: taken for each of its tries, given back as soon as others may start."""

    def __init__(self, throttle: Throttle) -> None:
        self._throttle = throttle
        self._slot: Slot | None = None

    async def take(self) -> bool:
        """Wait for it; False where nothing may start any more."""
        self._slot = await self._throttle.take()
        return self._slot is not None

    async def ended(self, *, refused: bool) -> None:
        """The try came to its end; `refused`: by a rate limit."""
        if self._slot is not None:
            await self._throttle.ended(self._slot, refused=refused)

    async def leave(self) -> None:
        """Give it back; nothing happens where it is not taken."""
        if self._slot is not None:
            self._slot = None
            await self._throttle.give_back()
