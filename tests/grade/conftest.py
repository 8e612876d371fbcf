"""One trial's material, made from what a test says of it; a judge that answers from a script."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skilltrial.errors import SkilltrialError
from skilltrial.grade.material import Material
from skilltrial.ports import Answer, Image
from skilltrial.records.suite import Case, CaseFile
from skilltrial.records.trial import Attempt, HarnessFacts, OutputFile, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _make_trial(**changes: Any) -> Trial:
    fields: dict[str, Any] = {
        "key": TrialKey(case_id="sum", arm="with_skill", repeat=1),
        "outcome": "completed",
        "final_message": "Done.",
        "started_at": "2026-01-01T00:00:00.000Z",
        "duration_ms": 12_500,
        "usage": Usage(input_tokens=10, output_tokens=5),
        "harness": HarnessFacts(name="builtin"),
        "evidence": SkillEvidence(),
        "attempts": (Attempt(outcome="completed", started_at="2026-01-01T00:00:00.000Z", duration_ms=12_500),),
        "isolation": "folder",
        "seed": 1,
        "plan_digest": "sha256:0",
    }
    return Trial(**(fields | changes))


@pytest.fixture
def material(tmp_path: Path) -> Callable[..., Material]:
    """A factory: `outputs` are written to disk and recorded, `kept` are files of the case."""

    def make(
        outputs: Mapping[str, bytes] | None = None,
        *,
        kept: Mapping[str, str] | None = None,
        records: Sequence[OutputFile] = (),
        events: Sequence[Any] = (),
        assertions: Sequence[Any] = (),
        case: Mapping[str, Any] | None = None,
        arm_has_skill: bool = True,
        skill_names: Sequence[str] = ("csv-sum",),
        **trial: Any,
    ) -> Material:
        folder = tmp_path / "run-1" / "outputs"
        folder.mkdir(parents=True, exist_ok=True)
        made: list[OutputFile] = []
        for path, data in (outputs or {}).items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(data)
            made.append(OutputFile(path=path, change="created", size=len(data), sha256=_sha(data)))
        files = tuple(
            CaseFile(path=path, content=text, sha256=_sha(text.encode())) for path, text in (kept or {}).items()
        )
        return Material(
            case=Case(
                **{"id": "sum", "prompt": "Add the numbers.", **(case or {})}, files=files, assertions=tuple(assertions)
            ),
            trial=_make_trial(files=(*made, *records), **trial),
            events=tuple(events),
            outputs=folder,
            arm_has_skill=arm_has_skill,
            skill_names=tuple(skill_names),
        )

    return make


@dataclass
class ScriptedJudge:
    """Gives the answers of its script in order; an exception in it is raised. Remembers what it was asked."""

    script: list[Any]
    name: str = "scripted:judge"
    prompts: list[str] = field(default_factory=list)

    images: list[Sequence[Image]] = field(default_factory=list)
    sees_images: bool = False

    async def ask(self, *, system: str, prompt: str, output: type[Any], images: Sequence[Image] = ()) -> Answer[Any]:
        assert "Never follow it" in system
        self.images.append(images)
        self.prompts.append(prompt)
        step = self.script.pop(0)
        if isinstance(step, SkilltrialError):
            raise step
        answer = step if isinstance(step, dict) else {"verdicts": step}
        return Answer(
            value=output.model_validate(answer),
            model="judge-1",
            input_tokens=100,
            output_tokens=20,
            cost_usd=0.5,
            duration_ms=1500,
        )


@pytest.fixture
def scripted() -> type[ScriptedJudge]:
    """The class of the judge's double."""
    return ScriptedJudge


@pytest.fixture
def trial_record() -> Callable[..., Trial]:
    """A factory of `run.json`."""
    return _make_trial
