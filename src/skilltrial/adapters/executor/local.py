"""Trials on this machine, in one event loop."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

import anyio

from skilltrial.errors import SkilltrialError
from skilltrial.records.trial import TrialKey


class LocalExecutor:
    """Satisfies `ports.Executor` with `limit` workers that take the keys in order."""

    async def run(self, keys: Sequence[TrialKey], work: Callable[[TrialKey], Awaitable[None]], *, limit: int) -> None:
        """See `ports.Executor`."""
        waiting = iter(keys)

        async def worker() -> None:
            # All workers share one iterator; between two awaits nobody else runs, so that no key is taken twice.
            for key in waiting:
                await work(key)

        try:
            async with anyio.create_task_group() as group:
                for _ in range(min(limit, len(keys))):
                    group.start_soon(worker)
        except* SkilltrialError as errors:
            # A group says less to a person than what is in it; all of them mean that the rest makes no sense.
            raise _leaves(errors)[0] from None


def _leaves(errors: BaseExceptionGroup[SkilltrialError]) -> list[SkilltrialError]:
    found: list[SkilltrialError] = []
    for error in errors.exceptions:
        found += _leaves(error) if isinstance(error, BaseExceptionGroup) else [error]
    return found
