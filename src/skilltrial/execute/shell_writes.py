"""Which places a shell command writes to, as far as its words say.

Seen are redirections and the usual programs that make, move, change or remove files, after a `cd` and inside `sh -c` too.
Not seen: what scripts and other programs do, names in variables other than HOME, PWD and TMPDIR, and commands in `$(…)`.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import dropwhile

_HEREDOC = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1([^\n]*)\n.*?^\t*\2[ \t]*$", re.DOTALL | re.MULTILINE)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash", "ash"})
_BEFORE = frozenset({"sudo", "env", "command", "time", "nohup", "exec", "nice", "then", "do", "else", "!", "{"})
_ALL = frozenset({"tee", "touch", "mkdir", "rm", "rmdir", "unlink", "truncate", "shred"})
"""Every argument is written to."""
_AFTER_FIRST = frozenset({"chmod", "chown", "chgrp"})
_LAST = frozenset({"cp", "mv", "ln", "install", "rsync", "scp"})
_OUTPUTS: Mapping[str, tuple[str, ...]] = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "sort": ("-o", "--output"),
    "tar": ("-C", "--directory"),
    "unzip": ("-d",),
}
_TARGET = ("-t", "--target-directory")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DEEPEST = 3
_LONGEST = 20_000


def written_places(command: str, *, work: str, home: str, tmp: str) -> Iterator[str]:
    """Absolute, normalised paths; a command that begins in `work`."""
    yield from _places(command[:_LONGEST], work, {"HOME": home, "TMPDIR": tmp}, _DEEPEST)


def place(word: str, cwd: str, variables: Mapping[str, str]) -> str | None:
    """The absolute path that a word of a command names; None where that hangs on what cannot be known."""
    if word == "~" or word.startswith("~/"):
        word = variables["HOME"] + word[1:]
    for name, value in {**variables, "PWD": cwd}.items():
        word = re.sub(rf"\$(?:{name}\b|\{{{name}\}})", lambda _match, value=value: value, word)
    if not word or "$" in word or "`" in word or word.startswith("~"):
        return None
    return posixpath.normpath(posixpath.join(cwd, word))


def _places(command: str, cwd: str, variables: Mapping[str, str], left: int) -> Iterator[str]:
    for simple in _simple_commands(_HEREDOC.sub(r"\3", command)):
        rest, targets = _redirections(simple)
        yield from _known(targets, cwd, variables)
        words = list(dropwhile(lambda word: word in _BEFORE or _ASSIGNMENT.match(word), rest))
        if not words:
            continue
        name, arguments = posixpath.basename(words[0]), words[1:]
        if name == "cd":
            cwd = place(arguments[0] if arguments else "~", cwd, variables) or cwd
        elif name in _SHELLS:
            inner = next((arguments[n + 1] for n, word in enumerate(arguments[:-1]) if re.match(r"-\w*c$", word)), "")
            if left:
                yield from _places(inner, cwd, variables, left - 1)
        else:
            yield from _known(_targets(name, arguments), cwd, variables)


def _known(words: Sequence[str], cwd: str, variables: Mapping[str, str]) -> Iterator[str]:
    found = (place(word, cwd, variables) for word in words)
    yield from (path for path in found if path is not None)


def _simple_commands(command: str) -> Iterator[list[str]]:
    """The words of each command, without what joins the commands. A quote that is left open ends the reading."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="();<>|&\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    words: list[str] = []
    try:
        for word in lexer:
            if word and not set(word) - set("();|&\n"):
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:
        pass
    yield words


def _redirections(words: list[str]) -> tuple[list[str], list[str]]:
    """The words without redirections, and what is redirected to."""
    rest: list[str] = []
    targets: list[str] = []
    skip = False
    for number, word in enumerate(words):
        if skip:
            skip = False
        elif set(word) <= set("<>&|") and ("<" in word or ">" in word):
            target = words[number + 1] if number + 1 < len(words) else ""
            skip = True
            if ">" in word and not (word.endswith("&") and (target.isdigit() or target == "-")):
                targets.append(target)
            if rest and rest[-1].isdigit():
                rest.pop()
        else:
            rest.append(word)
    return rest, targets


def _targets(name: str, arguments: Sequence[str]) -> list[str]:
    plain = [word for word in arguments if not word.startswith("-")]
    if name in _ALL:
        return plain
    if name in _AFTER_FIRST:
        return plain[1:]
    if name in _LAST:
        named = _options(arguments, _TARGET)
        moved = plain[:-1] if name == "mv" else []
        return [*moved, *(named or plain[-1:])]
    if name == "dd":
        return [word[3:] for word in arguments if word.startswith("of=")]
    if name in {"sed", "perl"} and any(re.match(r"-\w*i", word) for word in arguments):
        return plain[1:]
    return _options(arguments, _OUTPUTS.get(name, ()))


def _options(arguments: Sequence[str], names: Sequence[str]) -> list[str]:
    following = [arguments[n + 1] for n, word in enumerate(arguments[:-1]) if word in names]
    joined = [word.partition("=")[2] for word in arguments if word.partition("=")[0] in names and "=" in word]
    return following + joined
