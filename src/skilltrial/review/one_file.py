"""The page as one file that needs no server: our own files, and answers to the questions that its pages ask.

The answers are packed (gzip) in parts: one for the pages of the whole, then for each case one with its verdicts and one with its
files and transcripts, for as long as there is room. A part is unpacked when somebody looks at it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import mimetypes
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import cast

from skilltrial.errors import SkilltrialError, SpecError, StoreError
from skilltrial.plan.iteration import iterations
from skilltrial.records.trial import TrialKey
from skilltrial.review.contents.place import Closed, place_of
from skilltrial.review.contents.rendition import DOCUMENTS, renditions
from skilltrial.review.one_script import page_script
from skilltrial.review.plans import plan_of
from skilltrial.review.reading import QUESTIONS
from skilltrial.review.subject import Query, Subject

_ROOM = 1_500_000
"""Bytes of the whole file."""
_CASE_ROOM = 400_000
"""Bytes of one case's files and transcripts, before they are packed."""
_FILE_ROOM = 60_000
"""Bytes of one answer on a file or a transcript."""
_PICTURE_ROOM = 40_000
"""Bytes of a picture."""
_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_FILES = 20
"""Files of one trial."""
_MISSES = 10
"""So many answers in a row for which a case had no room are enough."""
_RENDERED = 40
"""Files of more trials than these are shown as they are."""
_OF_ALL = ("workspace", "history")
_OF_ITERATION = (
    "overview",
    "cases",
    "benchmark",
    "assertions",
    "trials",
    "feedback",
    "labels",
    "comparisons",
    "triggers",
)
_OF_CASE = ("case", "feedback", "labels")
_OF_TRIAL = ("trial",)
_SETTLED = frozenset({"overview", "cases"})
"""Questions that are quicker where figures may be old; here they are to be those of the files."""

Answers = dict[str, object]
"""By the question's name and parameters, as `embedded.js` spells them."""


def write_one_file(subject: Subject, file: Path) -> int:
    """Write the page of a workspace; returns its size in bytes. Raises `SpecError` without an iteration, `StoreError`."""
    text = one_file(subject)
    data = text.encode("utf-8")
    try:
        file.write_bytes(data)
    except OSError as error:
        raise StoreError(f"cannot be written ({error.strerror}).", where=str(file)) from error
    return len(data)


def one_file(subject: Subject) -> str:
    """The page as HTML."""
    there = iterations(subject.store)
    if not there:
        raise SpecError("there is no iteration in this workspace.", where=subject.name)
    subject = replace(subject, read_only=True)
    script, style, icon = _own_files()
    room = _ROOM - len(script.encode()) - len(style.encode()) - len(icon)
    parts = _packed(subject, there, room)
    policy = (
        f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">\n<title>skilltrial</title>',
            f'<link rel="icon" href="data:image/svg+xml;base64,{icon}">',
            f"<style>{style}</style>\n</head>\n<body>\n<noscript>This page needs JavaScript.</noscript>",
            f'<script type="application/json" id="answers">{json.dumps(parts)}</script>',
            f'<script type="module">{script}</script>\n</body>\n</html>\n',
        ]
    )


def _own_files() -> tuple[str, str, str]:
    """The script, the style, and the icon as base64."""
    folder = files("skilltrial.review").joinpath("static")
    index = folder.joinpath("index.html").read_text("utf-8")
    sheets = re.findall(r'rel="stylesheet" href="static/([\w.-]+)"', index)
    style = "\n".join(folder.joinpath(name).read_text("utf-8") for name in sheets)
    icon = base64.b64encode(folder.joinpath("icon.svg").read_bytes()).decode()
    return page_script(), style, icon


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(subject: Subject, there: list[int], room: int) -> list[str]:
    """The parts: the whole, then two a case (empty where there was no room)."""
    newest = there[-1]
    keys: dict[str, list[TrialKey]] = {}
    for trial in plan_of(subject, newest).trials:
        keys.setdefault(trial.key.case_id, []).append(trial.key)
    whole: Answers = {"parts": list(keys), "iteration": newest}
    for name in _OF_ALL:
        _answer(whole, subject, name, {})
    for name in _OF_ITERATION:
        _answer(whole, subject, name, {"iteration": newest})
    _answer(whole, subject, "comparisons", {"iteration": newest, "unblind": 1})
    for earlier in there[:-1]:
        _answer(whole, subject, "overview", {"iteration": earlier})
    _tell_static(whole, subject)
    parts = [_pack(whole)]
    room -= len(parts[0])
    verdicts = [_with_room(_pack(_of_case(subject, newest, case, keys[case])), room // len(keys)) for case in keys]
    room -= sum(map(len, verdicts))
    every = [key for case in keys.values() for key in case]
    rendered = _rendered(subject, newest, every) if len(every) <= _RENDERED else {}
    for place, case in enumerate(keys):
        least = room // (len(keys) - place)
        files_ = _of_files(subject, newest, keys[case], rendered, least) if verdicts[place] else {}
        packed = _with_room(_pack(files_), least) if files_ else ""
        room -= len(packed)
        parts += [verdicts[place], packed]
    return parts


def _tell_static(whole: Answers, subject: Subject) -> None:
    """What only such a page has to know: that it is one, and under which name a browser keeps what is typed into it."""
    key = _key("workspace", {})
    told = cast("dict[str, object]", whole[key])
    place = hashlib.sha256(str(subject.store.path("")).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    whole[key] = {**told, "static": True, "drafts": f"skilltrial:{place}"}


def _of_case(subject: Subject, iteration: int, case: str, keys: list[TrialKey]) -> Answers:
    answers: Answers = {}
    for name in _OF_CASE:
        _answer(answers, subject, name, {"iteration": iteration, "case": case})
    for key in keys:
        for name in _OF_TRIAL:
            _answer(answers, subject, name, _named(iteration, key))
    return answers


def _of_files(subject: Subject, iteration: int, keys: list[TrialKey], rendered: Answers, room: int) -> Answers:
    """Files first, round by round over the arms, then transcripts: so that what there is room for is of all of them.

    `room` is for all of them packed; where little of it is left no more are looked at.
    """
    answers: Answers = {}
    left, packing, misses = _CASE_ROOM, _Packing(room), 0
    for key in sorted(keys, key=lambda each: each.repeat):
        for found in _answers_on_files(subject, iteration, key, rendered):
            text = json.dumps(found)
            if len(text) > min(_FILE_ROOM, left):
                continue
            if packing.takes(text):
                answers |= found
                left -= len(text)
                misses = 0
            else:
                misses += 1
        if misses > _MISSES:
            break
    return answers


class _Packing:
    """How large a part becomes, while it grows."""

    def __init__(self, room: int) -> None:
        self._left = room * 3 // 4 - 100
        """Bytes before base64, without gzip's head and end."""
        self._packer = zlib.compressobj(9)

    def takes(self, text: str) -> bool:
        """Add it, where it fits in."""
        packer = self._packer.copy()
        size = len(packer.compress(text.encode())) + len(packer.flush(zlib.Z_SYNC_FLUSH))
        if size > self._left:
            return False
        self._left -= size
        self._packer = packer
        return True


def _add_pictures(found: Answers, subject: Subject, trial: Mapping[str, object]) -> None:
    """Where there is no server, small pictures come with the answer on their file."""
    for answer in found.values():
        told = cast("dict[str, object]", answer)
        kind = mimetypes.guess_type(str(told.get("path")))[0] or ""
        if told.get("view") != "image" or cast("int", told["size"]) > _PICTURE_ROOM or kind not in _PICTURES:
            continue
        place = place_of(subject, Query({name: str(value) for name, value in trial.items()}))
        with suppress(Closed), place.open(str(told["path"])) as stream:
            told["picture"] = f"data:{kind};base64,{base64.b64encode(stream.read(_PICTURE_ROOM)).decode()}"


def _answers_on_files(subject: Subject, iteration: int, key: TrialKey, rendered: Answers) -> Iterator[Answers]:
    trial = _named(iteration, key)
    listed: Answers = {}
    _answer(listed, subject, "files", trial)
    yield listed
    for path in [path for answer in listed.values() for path in _paths(answer)[:_FILES]]:
        found: Answers = {}
        _answer(found, subject, "file", {**trial, "path": path})
        _add_pictures(found, subject, trial)
        yield found
        name = _key("rendition", {**trial, "path": path})
        if name in rendered:
            yield {name: rendered[name]}
    found = {}
    _answer(found, subject, "transcript", trial)
    yield found


def _rendered(subject: Subject, iteration: int, keys: list[TrialKey]) -> Answers:
    """What libraries make of the files, those that there may be room for."""
    asked: list[dict[str, object]] = []
    for key in keys:
        listed: Answers = {}
        _answer(listed, subject, "files", _named(iteration, key))
        paths = [path for answer in listed.values() for path in _paths(answer, rendered=True)[:_FILES]]
        asked += [{**_named(iteration, key), "path": path} for path in paths]
    queries = (Query({name: str(value) for name, value in each.items()}) for each in asked)
    return {
        _key("rendition", each): answer
        for each, answer in zip(asked, renditions(subject, queries), strict=True)
        if answer is not None and len(json.dumps(answer)) <= _FILE_ROOM
    }


def _paths(answer: object, *, rendered: bool = False) -> list[str]:
    """Of the entries; with `rendered` without texts that there is no room for."""
    entries = cast("Mapping[str, object]", answer).get("entries") if isinstance(answer, Mapping) else None
    listed = cast("list[Mapping[str, object]]", entries) if isinstance(entries, list) else []
    if rendered:
        listed = [
            entry
            for entry in listed
            if entry.get("view") in DOCUMENTS or cast("int", entry.get("size") or 0) <= _FILE_ROOM
        ]
    return [path for entry in listed if isinstance(path := entry.get("path"), str)]


def _named(iteration: int, key: TrialKey) -> dict[str, object]:
    return {"iteration": iteration, "case": key.case_id, "arm": key.arm, "repeat": key.repeat}


def _answer(answers: Answers, subject: Subject, name: str, values: Mapping[str, object]) -> None:
    """Add the answer to a question; nothing where it is not known or has none."""
    if name not in QUESTIONS:
        return
    asked = {each: str(value) for each, value in values.items()}
    more = {"wait": "1"} if name in _SETTLED else {}
    try:
        answers[_key(name, asked)] = QUESTIONS[name](subject, Query({**asked, **more}))
    except SkilltrialError:
        return


def _key(name: str, values: Mapping[str, object]) -> str:
    pairs = [[each, str(values[each])] for each in sorted(values)]
    return json.dumps([name, *pairs], ensure_ascii=False, separators=(",", ":"))


def _pack(answers: Answers) -> str:
    data = json.dumps(answers, allow_nan=False, separators=(",", ":")).encode("ascii")
    return base64.b64encode(gzip.compress(data, compresslevel=9, mtime=0)).decode()


def _with_room(packed: str, room: int) -> str:
    return packed if len(packed) <= room else ""
