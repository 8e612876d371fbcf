"""The input files of a case in the forms of other tools: lists of paths, or a map of paths to contents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from skilltrial.ports import ExportFile
from skilltrial.records.json_value import Json
from skilltrial.records.layout import slug
from skilltrial.records.suite import Case, CaseFile
from skilltrial.spec.case_files import is_named, place_for_agent
from skilltrial.spec.convert.ledger import Ledger, of_case
from skilltrial.spec.convert.origin import MAX_CONTENT, Origin

_EVALS = "evals/"
_FILES = "evals/files/"
_EVALS_FILE = "evals/evals.json"


def paths_from_skill(case: Case, origin: Origin, ledger: Ledger) -> list[str]:
    """Paths from the skill's folder. What lies elsewhere gets a place under `evals/files/`."""

    def path_of(file: CaseFile) -> str:
        return origin.path_of(file) or _new_file(case, file, _FILES, ledger)

    return _listed(case, path_of, ledger, keeps_paths=False)


def paths_from_evals(case: Case, origin: Origin, ledger: Ledger) -> list[str]:
    """Paths from the skill's folder `evals`. What lies elsewhere gets a place in it."""

    def path_of(file: CaseFile) -> str:
        path = origin.path_of(file)
        inside = path is not None and path.startswith(_EVALS)
        return (path if path and inside else _new_file(case, file, _EVALS, ledger)).removeprefix(_EVALS)

    return _listed(case, path_of, ledger, keeps_paths=True)


def contents_by_path(case: Case, origin: Origin, ledger: Ledger) -> dict[str, str]:
    """What each file holds, by the path where the agent finds it. Files that are no text are losses."""
    found: dict[str, str] = {}
    for file in case.files:
        text = file.content if file.content is not None else _text(case, file, origin, ledger)
        if text is not None:
            found[file.path] = text
    return found


def placed(case: Case, origin: Origin, ledger: Ledger) -> list[Json]:
    """Our own form: a path where that says everything, else an object with the place and the content or the source."""
    entries: list[Json] = []
    for file in case.files:
        if file.content is not None:
            entries.append({"path": file.path, "content": file.content})
            continue
        source = origin.path_of(file) or _new_file(case, file, _FILES, ledger)
        exact = place_for_agent(source, case.prompt, keeps_paths=False) == file.path
        entries.append(source if exact else {"path": file.path, "source": source})
    return entries


def _new_file(case: Case, file: CaseFile, folder: str, ledger: Ledger) -> str:
    """A path below the skill for a file that has none, or none that can be named: as the agent sees it, where that is free."""
    content = file.content if file.source is None else Path(file.source)
    return next(
        path
        for path in _places(case, file, folder)
        if path != _EVALS_FILE and ledger.claim(path, file, ExportFile(path=path, content=content))
    )


def _places(case: Case, file: CaseFile, folder: str) -> Iterator[str]:
    yield f"{folder}{file.path}"
    yield f"{_FILES}{slug(case.id)}/{file.path}"
    for number in count(2):
        yield f"{_FILES}{slug(case.id)}-{number}/{file.path}"


def _listed(case: Case, path_of: Callable[[CaseFile], str], ledger: Ledger, *, keeps_paths: bool) -> list[str]:
    paths: list[str] = []
    for file in case.files:
        path = path_of(file)
        paths.append(path)
        to = place_for_agent(path, case.prompt, keeps_paths=keeps_paths)
        if to == file.path:
            continue
        if is_named(case.prompt, file.path):
            ledger.lose(of_case(case), f"the prompt names {file.path!r}, and the agent would find the file at {to!r}")
        else:
            ledger.note(of_case(case), "the agent finds input files at other paths there")
    return paths


def _text(case: Case, file: CaseFile, origin: Origin, ledger: Ledger) -> str | None:
    data = origin.read(file)
    if len(data) > MAX_CONTENT:
        ledger.lose(of_case(case), f"the input file {file.path!r} is too large to be put into the document")
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        ledger.lose(of_case(case), f"the input file {file.path!r} is no UTF-8 text")
        return None
