#!/usr/bin/env python3
"""record_demo.py ITERATION FOLDER: make recordings for `skilltrial demo` from a finished iteration of real trials.

The iteration comes from the real thing, with the runs and the seed of `skilltrial.recordings`:

    skilltrial run examples/commit-style --harness builtin --model embedded --runs 2 --seed 1 --workspace demo-workspace
    tools/record_demo.py demo-workspace/iteration-1 src/skilltrial/recordings/commit-style
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from pydantic import TypeAdapter

from skilltrial.adapters.harness.recorded import Recording, sha256_of
from skilltrial.records import layout
from skilltrial.records.events import Event
from skilltrial.records.plan import Plan
from skilltrial.records.trial import HarnessResult, Trial

MAX_BYTES = 300_000

_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def recording_of(folder: Path, plan: Plan) -> Recording:
    """One finished trial as a recording."""
    trial = Trial.model_validate_json((folder / layout.TRIAL).read_bytes())
    if trial.outcome != "completed":
        raise SystemExit(f"{folder}: the trial is {trial.outcome}; only completed trials are recorded.")
    arm = plan.arm(trial.key.arm)
    skill = (
        None if arm.skill is None else (folder.parents[2] / "skills" / layout.slug(arm.name) / "SKILL.md").read_bytes()
    )
    events = [_EVENT.validate_json(line) for line in (folder / layout.TRANSCRIPT).read_bytes().splitlines()]
    return Recording(
        prompt_sha256=sha256_of(plan.case(trial.key.case_id).prompt.encode()),
        skill_sha256=None if skill is None else sha256_of(skill),
        seed=trial.seed,
        result=HarnessResult(
            outcome=trial.outcome,
            events=tuple(events),
            final_message=trial.final_message,
            usage=trial.usage,
            cost_usd=trial.cost_usd,
            model=trial.harness.model_served,
            version=trial.harness.version,
            evidence=trial.evidence,
            duration_ms=trial.duration_ms,
            facts={**trial.harness.facts, "recorded_at": trial.started_at},
        ),
        files={file.path: (folder / layout.OUTPUTS / file.path).read_text(encoding="utf-8") for file in trial.files},
        stream=(folder / "stream.jsonl").read_text(encoding="utf-8"),
    )


def main() -> None:
    """Writes a file a trial, and nothing where any trial cannot be recorded."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("iteration", type=Path)
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    plan = Plan.model_validate_json((options.iteration / layout.PLAN).read_bytes())
    number = int(options.iteration.name.removeprefix("iteration-"))
    made: dict[str, str] = {}
    for planned in plan.trials:
        key = planned.key
        folder = options.iteration.parent / layout.trial_dir(number, key)
        recording = recording_of(folder, plan)
        text = json.dumps(recording.model_dump(mode="json"), ensure_ascii=False, indent=1)
        made[f"{layout.slug(key.case_id)}.{layout.slug(key.arm)}.{key.repeat}.json"] = text + "\n"
    if (size := sum(len(text.encode()) for text in made.values())) > MAX_BYTES:
        raise SystemExit(f"the recordings have {size} bytes; at most {MAX_BYTES} go into the package.")
    options.target.mkdir(parents=True, exist_ok=True)
    for old in options.target.glob("*.json"):
        old.unlink()
    for name, text in made.items():
        (options.target / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
