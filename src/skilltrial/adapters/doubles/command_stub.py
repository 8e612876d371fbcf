"""A fake command: one call, one reply."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from skilltrial.adapters.doubles.channel import Caller
from skilltrial.adapters.doubles.playbook import Playbook, TooManyCallsError, fits
from skilltrial.adapters.doubles.relay import MAX_STDIN_BYTES
from skilltrial.adapters.doubles.written import write_files
from skilltrial.records.doubles import CommandDouble, CommandReply, DoubleCall

NOT_FITTING = 1
"""Exit code of a call that no reply fits."""


class CommandStub:
    """Answers calls of one fake command."""

    def __init__(self, double: CommandDouble, playbook: Playbook, *, folders: Sequence[Path]) -> None:
        self._double, self._playbook, self._folders = double, playbook, folders

    async def serve(self, caller: Caller) -> None:
        """One call from start to end."""
        args = " ".join(caller.args)
        stdin = await _all(caller) if self._double.reads_stdin else ""
        try:
            reply, state = self._playbook.take(
                f"command:{self._double.name}", self._double.replies, lambda one: fits(one.args_match, args)
            )
        except TooManyCallsError:
            await caller.answer(NOT_FITTING, stderr=f"{self._double.name}: too many calls\n".encode())
            return
        code, stdout, stderr = outcome(
            reply, f"{self._double.name}: not available here: {args}".rstrip(": ") + "\n", caller.cwd, self._folders
        )
        self._playbook.record(
            DoubleCall(
                kind="command",
                name=self._double.name,
                input=f"{args}\n{stdin}" if stdin else args,
                output=stdout + stderr,
                exit_code=code,
                expected=reply is not None,
                state=state,
            )
        )
        await caller.answer(code, stdout.encode("utf-8", "replace"), stderr.encode("utf-8", "replace"))


def outcome(reply: CommandReply | None, otherwise: str, cwd: str, folders: Sequence[Path]) -> tuple[int, str, str]:
    """Exit code, standard output and error; the reply's files are written. `otherwise` is said where there is no reply."""
    if reply is None:
        return NOT_FITTING, "", otherwise
    try:
        write_files(reply.writes, cwd=cwd, within=folders)
    except (OSError, ValueError) as error:
        return NOT_FITTING, "", f"cannot write: {getattr(error, 'strerror', None) or error}\n"
    return reply.exit_code, reply.stdout, reply.stderr


async def _all(caller: Caller) -> str:
    parts = [caller.rest]
    while sum(map(len, parts)) <= MAX_STDIN_BYTES and (chunk := await caller.read()):
        parts.append(chunk)
    return b"".join(parts).decode("utf-8", "replace")
