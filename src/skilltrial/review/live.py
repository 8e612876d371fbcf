"""Telling open pages what changes in the workspace while they look (server-sent events)."""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import AsyncGenerator
from itertools import count

import anyio
import anyio.to_thread
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from skilltrial.errors import SkilltrialError
from skilltrial.review.subject import Subject
from skilltrial.review.watch import Event, Watch

_EVERY_S = 1.0
_SHARE = 100
"""How much longer we rest than a look takes: a hundredth of a core, however large the workspace is."""
_QUIET_S = 15.0
"""After so long without news a line is sent, which tells us whether the page is still there."""
_KEPT = 1000


class Following:
    """The news of a workspace for any number of pages, with one look for all of them, and none while nobody follows."""

    def __init__(self, subject: Subject) -> None:
        self._watch = Watch(subject)
        self._lock = anyio.Lock()
        self._due = 0.0
        self._numbers = count(1)
        self._news: deque[tuple[int, Event]] = deque(maxlen=_KEPT)
        self._ended = False

    def end(self) -> None:
        """Let all who follow end; from the thread of the server."""
        self._ended = True

    async def follow(self) -> AsyncGenerator[Event | None]:
        """How far the run is, then all that happens; None where nothing did for a while."""
        await self._look()
        last = self._news[-1][0] if self._news else 0
        if self._watch.progress:
            yield self._watch.progress
        quiet_since = time.monotonic()
        while not self._ended:
            await self._look()
            for number, event in [each for each in self._news if each[0] > last]:
                last = number
                quiet_since = time.monotonic()
                yield event
            if time.monotonic() - quiet_since > _QUIET_S:
                quiet_since = time.monotonic()
                yield None
            await anyio.sleep(0.2)

    async def _look(self) -> None:
        async with self._lock:
            if time.monotonic() < self._due:
                return
            begun = time.thread_time()
            try:
                found, cost_s = await anyio.to_thread.run_sync(self._timed)
            except SkilltrialError:
                found, cost_s = [], time.thread_time() - begun  # half-written plan: the next look sees it whole
            self._news += [(next(self._numbers), event) for event in found]
            self._due = time.monotonic() + max(_EVERY_S, cost_s * _SHARE)

    def _timed(self) -> tuple[list[Event], float]:
        begun = time.thread_time()
        return self._watch.look(), time.thread_time() - begun


def live_route(following: Following) -> Route:
    """`live`: a stream that ends with the server or the page."""

    async def live(request: Request) -> StreamingResponse:
        del request
        return StreamingResponse(_lines(following), media_type="text/event-stream")

    return Route("/live", live)


async def _lines(following: Following) -> AsyncGenerator[str]:
    yield "retry: 3000\n\n"
    async for event in following.follow():
        yield ": still here\n\n" if event is None else f"data: {json.dumps(event)}\n\n"
