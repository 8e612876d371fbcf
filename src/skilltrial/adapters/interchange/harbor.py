"""Trials of harbor: `result.json` and `config.json`, with the verifier's test report and reward beside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from skilltrial.adapters.interchange.json_files import ForeignFiles
from skilltrial.adapters.interchange.timings import merged, read_timing
from skilltrial.adapters.interchange.tree import Folder
from skilltrial.adapters.interchange.values import child, first_text, number, objects, words
from skilltrial.records.foreign import ForeignGrading, ForeignTiming, Statement, Tally
from skilltrial.records.json_value import Json, is_object


class HarborTrial(NamedTuple):
    """What a trial's files say."""

    grading: ForeignGrading | None
    timing: ForeignTiming | None
    model: str | None
    extra: dict[str, Json]


def is_harbor(value: Mapping[str, Json]) -> bool:
    """Whether an object is a result or a configuration of a harbor trial."""
    return "trial_name" in value and ("agent" in value or "agent_info" in value)


def read_harbor(value: dict[str, Json], place: str, folder: Folder, files: ForeignFiles) -> HarborTrial:
    """One of the two files, with the verifier's."""
    name = place.rpartition("/")[2]
    extra: dict[str, Json] = {name: value}
    if "agent_result" not in value and "agent_info" not in value:
        return HarborTrial(None, None, first_text(child(value, "agent"), "model_name"), extra)
    spent = read_timing(child(value, "agent_result"), place)
    clock = read_timing(child(value, "agent_execution") or value, place)
    timing = merged(spent, clock)
    model = first_text(child(child(value, "agent_info"), "model_info"), "name")
    grading = _grading(value, place, folder, files, extra)
    return HarborTrial(grading, replace(timing, extra={}) if timing else None, model, extra)


def _grading(
    value: dict[str, Json], place: str, folder: Folder, files: ForeignFiles, extra: dict[str, Json]
) -> ForeignGrading | None:
    verifier = folder.child("verifier")
    reward = number(child(child(value, "verifier_result"), "rewards").get("reward"))
    if verifier is not None and "reward.txt" in verifier.files:
        said = files.text(verifier.at("reward.txt"))
        extra["verifier/reward.txt"] = said
        reward = number((said or "").strip()) if reward is None else reward
    if verifier is not None and "ctrf.json" in verifier.files:
        report = files.load(verifier.at("ctrf.json"))
        if report.fault:
            files.refuse(verifier.at("ctrf.json"), report.fault)
        elif is_object(report.value):
            return _read_ctrf(report.value, verifier.at("ctrf.json"), reward=reward)
    if reward is None:
        return None
    passed = bool(reward) if reward in {0, 1} else None
    return ForeignGrading(
        place=place, statements=(Statement(id="reward", text="reward", passed=passed, evidence=str(reward)),)
    )


def _read_ctrf(value: Mapping[str, Json], place: str, *, reward: float | None = None) -> ForeignGrading | None:
    """A test report in the Common Test Report Format: each test is a criterion; skipped ones have no verdict."""
    results = child(value, "results")
    tests = objects(results.get("tests"))
    if not tests:
        return None
    summary = child(results, "summary")
    statements = tuple(
        Statement(
            id=words(test.get("name")) or None,
            text=words(test.get("name")),
            passed={"passed": True, "failed": False}.get(words(test.get("status"))),
            evidence=first_text(test, "message", "trace") or "",
            grader="test",
            extra={key: each for key, each in test.items() if key not in {"name", "status", "message"}},
        )
        for test in tests
    )
    tally = Tally(
        passed=number(summary.get("passed")), failed=number(summary.get("failed")), total=number(summary.get("tests"))
    )
    extra: dict[str, Json] = {key: each for key, each in value.items() if key != "results"}
    extra["results"] = {key: each for key, each in results.items() if key != "tests"}
    if reward is not None:
        extra["reward"] = reward
    return ForeignGrading(place=place, statements=statements, tally=tally, extra=extra)
