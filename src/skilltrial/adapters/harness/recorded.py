"""Replays recorded trials: no agent, no model, no network, the same result each time.

A recording is one JSON file a trial. It answers a request with the same prompt, the same skill text (or none) and the same
seed, and nothing else: there is no nearest match, so that a replay never stands for a trial that was not made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from pydantic import ValidationError, field_validator

from skilltrial.errors import SpecError
from skilltrial.ports import Capabilities, HarnessSettings, HarnessStatus, TrialRequest
from skilltrial.records.record import Record
from skilltrial.records.trial import HarnessResult, Reason

NAME = "recorded"
SKILL_ROOT = ".agents/skills"
STREAM = "stream.jsonl"

NOTICE = (
    "These trials are recorded: they were made before, by the model named in them, and are replayed here. "
    "Times are those of the recorded trials."
)


class Recording(Record):
    """One recorded trial."""

    prompt_sha256: str
    skill_sha256: str | None
    """Of SKILL.md; None in the arm without a skill."""
    seed: int
    result: HarnessResult
    files: Mapping[str, str]
    """Text files that the agent left in its folder, by relative path."""
    stream: str
    """The raw stream."""

    @field_validator("files")
    @classmethod
    def _stay_inside(cls, files: Mapping[str, str]) -> Mapping[str, str]:
        for path in files:
            if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts:
                raise ValueError(f"the path {path!r} leads out of the folder")
        return files

    @property
    def key(self) -> tuple[str, str | None, int]:
        """What a request is matched by."""
        return self.prompt_sha256, self.skill_sha256, self.seed


def create(settings: HarnessSettings) -> RecordedHarness:
    """The harness; SpecError where no folder of recordings is given, or one cannot be read."""
    if settings.recordings is None:
        raise SpecError("the recorded harness needs recordings.", hint="Run `skilltrial demo`.")
    return RecordedHarness(settings.recordings)


def sha256_of(data: bytes) -> str:
    """The digest used in recordings."""
    return hashlib.sha256(data).hexdigest()


class RecordedHarness:
    """Satisfies `ports.Harness`."""

    def __init__(self, folder: Path) -> None:
        self._recordings = {recording.key: recording for recording in _read(folder)}
        self._folder = folder

    @property
    def name(self) -> str:
        """`recorded`."""
        return NAME

    @property
    def capabilities(self) -> Capabilities:
        """Like those of the built-in agent, that the recordings are of."""
        return Capabilities(skill_root=SKILL_ROOT, discovery="recorded", paid=False)

    async def probe(self) -> HarnessStatus:
        """Ready where there are recordings."""
        count = len(self._recordings)
        detail = f"{count} recorded trials."
        return HarnessStatus(name=NAME, installed=True, ready=count > 0, detail=detail, notices=(NOTICE,))

    async def run(self, request: TrialRequest) -> HarnessResult:
        """Writes the raw stream and the files, and returns the recorded result, labelled."""
        (request.capture / "stderr.txt").touch()
        recording = self._recordings.get(_key(request))
        if recording is None:
            (request.capture / STREAM).touch()
            message = f"There is no recording of this prompt, this skill text and the seed {request.seed}."
            return HarnessResult(
                outcome="harness_error", reason=Reason(code="setup_failed", message=message), discovery="recorded"
            )
        (request.capture / STREAM).write_text(recording.stream, encoding="utf-8")
        for path, text in recording.files.items():
            target = request.work.joinpath(*PurePosixPath(path).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        facts = {**recording.result.facts, "recorded": "yes"}
        return recording.result.model_copy(update={"discovery": "recorded", "facts": facts})

    async def aclose(self) -> None:
        """Nothing is open."""


def _key(request: TrialRequest) -> tuple[str, str | None, int]:
    skill = None if request.skill is None else sha256_of((request.skill.folder / "SKILL.md").read_bytes())
    return sha256_of(request.prompt.encode()), skill, request.seed


def _read(folder: Path) -> list[Recording]:
    found: list[Recording] = []
    for file in sorted(folder.glob("*.json")):
        try:
            found.append(Recording.model_validate_json(file.read_bytes()))
        except OSError as error:
            raise SpecError(f"the recorded trial cannot be read: {error.strerror}.", where=str(file)) from error
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "the whole file"
            raise SpecError(f"this is not a recorded trial: {place}: {first['msg']}.", where=str(file)) from error
    return found
