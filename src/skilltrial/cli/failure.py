"""From exceptions to one paragraph and an exit code."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import traceback
from collections.abc import Callable
from contextlib import suppress

from skilltrial.errors import SkilltrialError

INTERRUPTED = 130
_WIDTH = 80


def guarded(command: Callable[[], object]) -> int:
    """Call a command and return its exit code; tracebacks only with SKILLTRIAL_DEBUG, or for defects of ours."""
    try:
        command()
    except SystemExit as end:
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):  # typer's way to say it
            _say_stopped()
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except SkilltrialError as error:
        say_error(error)
        return error.exit_code
    except KeyboardInterrupt:
        _say_stopped()
        return INTERRUPTED
    except OSError as error:
        _trace()
        if error.filename is None:
            silence(1)
        say(_system_error(error))
        return SkilltrialError.exit_code
    except Exception as error:  # noqa: BLE001 - the last line before a person
        traceback.print_exc()
        say(f"a defect of skilltrial ({type(error).__name__}); please report the lines above.")
        return SkilltrialError.exit_code
    return 0


def _say_stopped() -> None:
    with suppress(OSError):  # the terminal may be what has gone
        say("stopped.")


def say_error(error: SkilltrialError) -> None:
    """One paragraph on standard error."""
    _trace()
    say(str(error))


def say(text: str) -> None:
    """One paragraph on standard error, without control characters that a file name or an agent may have brought in."""
    shown = "".join(character if character.isprintable() else " " for character in text)
    # Python's standard error takes characters that its encoding lacks as escapes.
    width = min(_WIDTH, shutil.get_terminal_size().columns)
    told = textwrap.fill(f"skilltrial: {shown}", width, break_long_words=False, break_on_hyphens=False)
    try:
        sys.stderr.write(f"{told}\n")
    except BrokenPipeError:  # nobody reads it; the exit code is what remains
        silence(2)


def _system_error(error: OSError) -> str:
    """What reaches this place is the output (a full disk), a folder that vanished, or rights: no defect of ours."""
    if error.filename is not None:
        return f"{str(error.filename)!r}: {error.strerror}."
    if isinstance(error, FileNotFoundError):
        return "the folder that this was started in is no more. Change to another one."
    return f"the output cannot be written: {error.strerror or error}."


def silence(descriptor: int) -> None:
    """Let what is still buffered go nowhere, so that it does not fail once more when the program ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _trace() -> None:
    if os.environ.get("SKILLTRIAL_DEBUG"):
        traceback.print_exc()
