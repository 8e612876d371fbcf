"""Converting an eval file in front of a person: the document on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path

from skilltrial.cli.failure import say
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.ports import ExportFile, Loss
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.spec.convert.conversion import convert, convert_triggers
from skilltrial.spec.convert.converted import Converted, TargetName
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.convert.origin import contents, origin_of
from skilltrial.spec.findings import Invalid, invalid
from skilltrial.spec.skill import SKILL_FILE, load_skill
from skilltrial.spec.suite import examine_suite, find_evals, nearest_skill
from skilltrial.spec.whole_file import write_whole

INVALID = 2
_WIDTH = 80
_INTERPRETED = {"text-made", "skill-name-not-text"}


def convert_and_print(file: Path, *, to: TargetName, out: Path | None, lossy: bool, force: bool, as_json: bool) -> int:
    """Convert, write and say what was lost; returns the exit code."""
    file, skill = _eval_file(file)
    converted = _converted(file, skill, to=to, out=out)
    refused = bool(converted.losses) and not lossy
    written = [] if refused or out is None else _write(converted, out, force=force)
    if as_json:
        put(json.dumps(_summary(converted, to=to, refused=refused, written=written), indent=2) + "\n")
    else:
        _say(converted, to=to, refused=refused, written=written)
        if out is None and not refused:
            put(_encodable(converted))
    return INVALID if refused else 0


def _eval_file(path: Path) -> tuple[Path, Skill | None]:
    """The eval file that was given, or that of the skill that was given; and the skill that it lies in."""
    if (path / SKILL_FILE).is_file():
        skill = load_skill(path)
        return find_evals(skill, None), skill
    folder = nearest_skill(path)
    try:
        return path, load_skill(folder) if folder is not None else None
    except SpecError as error:
        say(f"{error} The eval file is converted all the same.")
        return path, None


def _converted(file: Path, skill: Skill | None, *, to: TargetName, out: Path | None) -> Converted:
    reading = examine_suite(file, skill)
    for first in reading.errors[:1]:
        if len(reading.errors) > 1:
            say(f"there are {len(reading.errors):,} errors in the file: `skilltrial validate` lists all of them.")
        raise Invalid(first)
    losses: list[Loss] = []
    notes = [repair.message for repair in reading.repairs if repair.code in _INTERPRETED]
    if reading.suite is not None:
        converted = convert(reading.suite, to=to, skill=skill)
        if out is not None and to != "skill-builder" and _leaves_skill(reading.suite, skill, out):
            notes.append("input files are named from the skill's folder, and this is written to another one")
        if reading.triggers is not None:
            losses.append(Loss(place="the file", what=f"its {len(reading.triggers.queries)} trigger queries"))
    elif reading.triggers is not None:
        converted = convert_triggers(reading.triggers, to=to, skill=skill)
    else:
        raise invalid("no-cases", "has neither cases nor queries.", file=str(file))
    if out is None:
        what = "an input file has to stand beside the document; --out writes both"
        losses += [Loss(place=made.path, what=what) for made in converted.files]
    return replace(converted, losses=(*converted.losses, *losses), notes=(*notes, *converted.notes))


def _leaves_skill(suite: Suite, skill: Skill | None, out: Path) -> bool:
    """Whether input files that stay where they are would not be found from the new place."""
    named = any(file.source is not None for case in suite.cases for file in case.files)
    return named and _root(out).resolve() != Path(origin_of(suite.path, skill, contents).folder).resolve()


def _root(out: Path) -> Path:
    """The folder of the skill that a document lies in."""
    folder = out.absolute().parent
    return folder.parent if folder.name == "evals" else folder


def _write(converted: Converted, out: Path, *, force: bool) -> list[str]:
    """Write the input files and then the document, each whole or not at all; nothing where one would be overwritten."""
    root = _root(out)
    data_by_path = {root / made.path: _bytes(made) for made in converted.files}
    data_by_path[out.absolute()] = json_text(converted.value).encode()
    if len(data_by_path) == len(converted.files):
        message = "an input file of the suite would have to stand where the document is to be written."
        raise invalid("file-exists", message, file=str(out), hint="Give another name with --out.")
    for path, data in data_by_path.items():
        if path.is_dir():
            raise invalid("not-a-file", "this is a folder.", file=str(path), hint="Give the name of a file.")
        if os.path.lexists(path) and not force and not _holds(path, data):
            hint = "Give --force to overwrite it, or another name with --out."
            raise invalid("file-exists", "the file is there already.", file=str(path), hint=hint)
    for path, data in data_by_path.items():
        _write_file(path, data)
    return [str(path) for path in data_by_path]


def _bytes(made: ExportFile) -> bytes:
    return made.content.read_bytes() if isinstance(made.content, Path) else str(made.content).encode()


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.stat().st_size == len(data) and path.read_bytes() == data


def _write_file(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()  # it was to be overwritten, and not what it points to
    write_whole(path, data)


def _encodable(converted: Converted) -> str:
    """The document; with escapes throughout where standard output is not UTF-8."""
    text = json_text(converted.value)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(converted.value, indent=2) + "\n"
    return text


def _summary(converted: Converted, *, to: TargetName, refused: bool, written: list[str]) -> dict[str, object]:
    return {
        "ok": not refused,
        "to": to,
        "losses": [asdict(loss) for loss in converted.losses],
        "notes": list(converted.notes),
        "files": [made.path for made in converted.files],
        "written": written,
        "value": None if refused else converted.value,
    }


def _say(converted: Converted, *, to: TargetName, refused: bool, written: list[str]) -> None:
    for note in converted.notes:
        _put_entry(note)
    n_losses = len(converted.losses)
    if n_losses:
        things = "one thing" if n_losses == 1 else f"{n_losses:,} things"
        end = "; nothing was written." if refused else ":"
        say(f"{to} cannot hold {things} of this file{end}")
        for loss in converted.losses:
            _put_entry(f"{loss.place}: {loss.what}")
    if refused:
        say("give --lossy to write it without them.")
    for path in written:
        _put_entry(f"written: {path}")


def _put_entry(text: str) -> None:
    sys.stderr.write(paragraph(text, _WIDTH, indent="  ", further="    ") + "\n")
