"""The variables that an arm of `skilltrial.toml` may set for its agent."""

from __future__ import annotations

import re
from collections.abc import Mapping

from skilltrial.spec.findings import invalid, shown

REFERENCE = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")
"""A value that stands for the person's own variable."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL")
_TAKEN = re.compile(
    r"(HOME|PATH|SHELL|USER|LOGNAME|PWD|OLDPWD|TMPDIR|TMP|TEMP|IS_SANDBOX|CODEX_HOME|.*_BASE_URL|.*_API_BASE"
    r"|(XDG|LD|DYLD|GIT|ANTHROPIC|CLAUDE|OPENAI|GEMINI|GOOGLE|SKILLTRIAL)_.*)"
)
"""Of the isolation and of the agent programs: another value would make the arms differ in more than is said."""


def check_variables(env: Mapping[str, str], *, key: str, file: str) -> None:
    """Raise `SpecError` for a variable that cannot be an arm's own, or for a secret that is written down."""
    for name, value in env.items():
        if not _NAME.fullmatch(name):
            hint = "Use letters, digits and '_'."
            raise invalid("bad-variable", f"{key} has the name {shown(name)}.", file=file, hint=hint)
        if _TAKEN.fullmatch(name.upper()):
            message = f"{key}.{name} belongs to the isolation or to an agent program."
            raise invalid("bad-variable", message, file=file, hint="Leave it out; `model` and `harness` say the rest.")
        if REFERENCE.fullmatch(value):
            continue
        if _SECRET.search(name.upper()):
            message = f"{key}.{name} looks like a secret, and its value is written down."
            hint = f'Write {name} = "${name}": your own variable is used, and its value is in no record.'
            raise invalid("written-secret", message, file=file, hint=hint)
        if value.startswith("$") or "\0" in value:
            hint = 'Write "$NAME" alone for a variable of yours, or the plain value.'
            raise invalid("bad-variable", f"{key}.{name} is {shown(value)}.", file=file, hint=hint)
