"""From exceptions to one paragraph and an exit code."""

from __future__ import annotations

import os
import sys
import textwrap
import traceback
from collections.abc import Callable

import typer

from skilltrial.errors import SkilltrialError

INTERRUPTED = 130


def guarded(command: Callable[[], object]) -> int:
    """Call a command and return its exit code; tracebacks only with SKILLTRIAL_DEBUG, or for defects of ours."""
    try:
        command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except SkilltrialError as error:
        say_error(error)
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("skilltrial: stopped. Finished trials are kept; the same command goes on from there.\n")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has gone; nothing is wrong, and nothing more can be printed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the last line before a person
        traceback.print_exc()
        sys.stderr.write(
            f"skilltrial: a defect of skilltrial ({type(error).__name__}); please report the lines above.\n"
        )
        return 3
    return 0


def say_error(error: SkilltrialError) -> None:
    """One paragraph on standard error, without control characters that a file name or an agent may have brought in."""
    if os.environ.get("SKILLTRIAL_DEBUG"):
        traceback.print_exc()
    text = "".join(character if character.isprintable() else " " for character in str(error))
    sys.stderr.write(textwrap.fill(f"skilltrial: {text}", 100, break_long_words=False, break_on_hyphens=False) + "\n")
