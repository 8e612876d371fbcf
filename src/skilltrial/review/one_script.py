"""The page's modules as one script, for a page in one file.

The modules keep to a few rules for it (docs/view.md): imports and exports by name, no cycles, and names of the top
level that no two of them share.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

_IMPORT = re.compile(r'^import \{\s+([\w$,\s]+?),?\s+\} from "\./([\w.-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|let|class)\b)", re.MULTILINE)
_DECLARED = re.compile(r"^(export )?(?:async )?(?:function\*?|const|let|class) ([\w$]+)", re.MULTILINE)
_FORBIDDEN = re.compile(
    r"^(?:import|export)\b.*|\bimport\(.*|</script.*|<!--.*|^(?:const|let|var) [{\[].*|^var .*", re.MULTILINE
)


@cache
def page_script() -> str:
    """All modules of the page, so that a browser asks once and not fifty times; read once a process."""
    folder = files("skilltrial.review").joinpath("static")
    modules = {each.name: each.read_text("utf-8") for each in folder.iterdir() if each.name.endswith(".js")}
    return one_script(modules, "app.js")


def one_script(modules: Mapping[str, str], first: str) -> str:
    """The module `first` and all that it imports, each after what it needs. Raises `ValueError` for what breaks a rule."""
    order: list[str] = []
    _visit(first, modules, order, above=())
    owners: dict[str, str] = {}
    parts: list[str] = []
    for name in order:
        text = modules[name]
        for _, declared in _DECLARED.findall(text):
            if declared in owners:
                raise ValueError(f"{name} and {owners[declared]} both declare {declared}")
            owners[declared] = name
        text = _EXPORT.sub("", _IMPORT.sub("", text))
        if wrong := _FORBIDDEN.search(text):
            raise ValueError(f"{name}: {wrong[0][:80]!r} cannot be put into one script")
        parts.append(text)
    return "\n".join(parts)


def _visit(name: str, modules: Mapping[str, str], order: list[str], *, above: tuple[str, ...]) -> None:
    if name in order:
        return
    if name in above:
        raise ValueError(f"{' > '.join(above)} > {name} is a cycle")
    if name not in modules:
        raise ValueError(f"{above[-1]} imports {name}, which is not there")
    for names, source in _IMPORT.findall(modules[name]):
        _visit(source, modules, order, above=(*above, name))
        exported = {declared for export, declared in _DECLARED.findall(modules[source]) if export}
        if missing := {each.strip() for each in names.split(",")} - exported:
            raise ValueError(f"{name} imports {sorted(missing)} of {source}, which does not export it")
    order.append(name)
