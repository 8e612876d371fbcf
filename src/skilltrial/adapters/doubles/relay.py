"""The programs in the trial's folders that stand for doubles: they pass on what they get, and hold nothing.

Shell and named pipes, since nothing else is in every sandbox and every container. A call makes a folder with three pipes beside
the one named `door`, writes its name into that, then who calls, from where, and the arguments, each with a NUL behind it. The
answer begins with the exit code on a line of its own. A program keeps both ends of its pipes open until that line, so that nothing
is lost or seen as closed before the other side has opened them.
"""

from __future__ import annotations

import shlex
from pathlib import Path

DOOR, IN, OUT, ERR = "door", "in", "out", "err"
MAX_STDIN_BYTES = 1_000_000

_CALL = """#!/bin/sh
PATH=/usr/bin:/bin:/run/current-system/sw/bin
c={channel}
d=$(mktemp -d "$c/XXXXXXXX") || exit 126
trap 'rm -rf "$d"' EXIT
mkfifo "$d/in" "$d/out" "$d/err" || exit 126
exec 3<>"$d/in" 4<>"$d/out" 5<>"$d/err"
exec 6<"$d/out" 7<"$d/err" 8<"$d/in"
printf '%s\\n' "${{d##*/}}" 1<>"$c/door"
"""
_COMMAND = (
    _CALL
    + """{{
printf '%s\\0' {token} "$(pwd -P)" "$#"
if [ "$#" -gt 0 ]; then printf '%s\\0' "$@"; fi
{stdin}}} >&3
exec 3>&-
IFS= read -r s <&4
exec 4>&- 5>&-
cat <&7 >&2 &
cat <&6
wait
exit "${{s:-1}}"
"""
)
_STREAM = (
    _CALL
    + """printf '%s\\0' {token} "$(pwd -P)" 0 >&3
IFS= read -r s <&4
exec 4>&- 5>&-
cat <&6 3>&- &
cat >&3
exec 3>&-
wait
exit "${{s:-1}}"
"""
)


def command(channel: Path, token: str, *, reads_stdin: bool) -> str:
    """A program that passes on one call."""
    stdin = f"head -c {MAX_STDIN_BYTES}\n" if reads_stdin else ""
    return _COMMAND.format(channel=shlex.quote(str(channel)), token=token, stdin=stdin)


def stream(channel: Path, token: str) -> str:
    """A program that passes on its standard input and output as long as they are open."""
    return _STREAM.format(channel=shlex.quote(str(channel)), token=token)
