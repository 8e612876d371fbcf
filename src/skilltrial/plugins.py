"""Entry points -> objects, by name and only when asked for.

Groups: `skilltrial.harness`, a function `create(settings) -> ports.Harness`; `skilltrial.exporter`, a function
`create() -> ports.Exporter`. The built-in ones are registered the same way as other packages' are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from skilltrial.errors import NotInstalled, SpecError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

HARNESSES = "skilltrial.harness"
EXPORTERS = "skilltrial.exporter"


def names(group: str) -> list[str]:
    """The names registered in a group, sorted; nothing is imported."""
    return sorted({point.name for point in _points(group)})


def load(group: str, name: str) -> Any:
    """The object registered under a name.

    Raises `SpecError` for an unknown name, and `NotInstalled` naming the plug-in and the missing part where its import fails.
    """
    found = [point for point in _points(group) if point.name == name]
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


def _points(group: str) -> list[EntryPoint]:
    from importlib.metadata import entry_points  # noqa: PLC0415 - it brings much of the standard library along

    return list(entry_points(group=group))
