"""Entry points -> objects, by name and only when asked for.

Groups: `skilltrial.harness`, a function `create(settings) -> ports.Harness`; `skilltrial.exporter`, a function
`create() -> ports.Exporter`. The built-in ones are registered the same way as other packages' are.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Any

from skilltrial.errors import NotInstalled, SpecError

HARNESSES = "skilltrial.harness"
EXPORTERS = "skilltrial.exporter"


def names(group: str) -> list[str]:
    """The names registered in a group, sorted; nothing is imported."""
    return sorted({point.name for point in entry_points(group=group)})


def load(group: str, name: str) -> Any:
    """The object registered under a name.

    Raises `SpecError` for an unknown name, and `NotInstalled` naming the plug-in and the missing part where its import fails.
    """
    found: list[EntryPoint] = [point for point in entry_points(group=group) if point.name == name]
    if not found:
        known = ", ".join(names(group)) or "none; is skilltrial installed?"
        raise SpecError(f"there is no {group.removeprefix('skilltrial.')} named {name!r}.", hint=f"Known: {known}.")
    try:
        return found[0].load()
    except ImportError as error:
        package = found[0].dist.name if found[0].dist else "?"
        raise NotInstalled(
            f"the plug-in {name!r} of package {package!r} cannot be loaded: {error}.",
            hint="Install what it needs, for our own ones: pip install 'skilltrial[llm]'.",
        ) from error
