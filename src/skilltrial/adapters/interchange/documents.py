"""What a JSON file that is no run's is about, by what is in it; by its name only where that says nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from skilltrial.adapters.interchange.values import child, objects
from skilltrial.records.foreign import DocumentKind
from skilltrial.records.json_value import Json, is_list, is_object

_BY_NAME: dict[str, DocumentKind] = {
    "plan.json": "manifest",
    "dispatch.json": "manifest",
    "judge-tasks.json": "manifest",
    "stray-writes.json": "manifest",
    "guard-denials.json": "manifest",
    "permission-denials.json": "manifest",
    "session-surface.json": "manifest",
    "plugin-shadow.json": "manifest",
    "run_config.json": "manifest",
    ".promoted.json": "manifest",
    ".snapshot-meta.json": "manifest",
    ".agent_map.json": "manifest",
    "eval_metadata.json": "eval_metadata",
}
_IN_NAME: tuple[tuple[str, DocumentKind], ...] = (
    ("benchmark", "benchmark"),
    ("manifest", "manifest"),
    ("notes", "notes"),
    ("history", "history"),
    ("feedback", "feedback"),
)
_TRIGGERS = frozenset({"should_trigger", "trigger_rate", "triggered", "triggers", "shouldTrigger"})
_REMARKS = ("reviews", "general_feedback", "eval_feedback")


def kind_of(value: Json, name: str) -> DocumentKind:
    """The kind of a document; `other` where nothing says it."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    found = _of_list(value) if is_list(value) else _of_object(value) if is_object(value) else None
    if found is not None:
        return found
    if is_object(value) or is_list(value):
        for part, kind in _IN_NAME:
            if part in name.lower():
                return kind
    return "other"


def _of_list(value: list[Json]) -> DocumentKind | None:
    if not value:
        return None
    if all(isinstance(each, str) for each in value):
        return "notes"
    first = value[0]
    if is_object(first):
        if not _TRIGGERS.isdisjoint(first):
            return "trigger_result" if "trigger_rate" in first else "suite"
        if "prompt" in first:
            return "suite"
    return None


def _of_object(value: Mapping[str, Json]) -> DocumentKind | None:
    for kind, test in _TESTS:
        if test(value):
            return kind
    return None


def _is_comparison(value: Mapping[str, Json]) -> bool:
    return "winner" in value and any(
        key in value for key in ("rubric", "reasoning", "output_quality", "expectation_results")
    )


def _is_loop(value: Mapping[str, Json]) -> bool:
    return "best_description" in value or ("exit_reason" in value and "history" in value)


def _is_trigger(value: Mapping[str, Json]) -> bool:
    return any(not _TRIGGERS.isdisjoint(each) for each in objects(value.get("results"))[:1])


def _is_feedback(value: Mapping[str, Json]) -> bool:
    if is_list(value.get("reviews")) or "general_feedback" in value:
        return True
    remarks = objects(value.get("eval_feedback"))
    return bool(remarks) and "comment" in remarks[0]


def _is_history(value: Mapping[str, Json]) -> bool:
    return "current_best" in value or (
        is_list(value.get("iterations"))
        and any("version" in each or "changes" in each for each in objects(value["iterations"]))
    )


def _is_benchmark(value: Mapping[str, Json]) -> bool:
    if "run_summary" in value or ("runs" in value and "metadata" in value):
        return True
    return bool(child(value, "configs") and "comparison" in value)


def _is_conditions(value: Mapping[str, Json]) -> bool:
    return any("skill_path" in each for each in objects(value.get("conditions")))


def _is_suite(value: Mapping[str, Json]) -> bool:
    return any(
        "prompt" in each for key in ("evals", "test_cases", "cases", "tasks") for each in objects(value.get(key))[:1]
    )


_TESTS: tuple[tuple[DocumentKind, Callable[[Mapping[str, Json]], bool]], ...] = (
    ("comparison", _is_comparison),
    ("analysis", lambda value: "comparison_summary" in value),
    ("loop_result", _is_loop),
    ("trigger_result", _is_trigger),
    ("conditions", _is_conditions),
    ("benchmark", _is_benchmark),
    ("feedback", _is_feedback),
    ("history", _is_history),
    ("suite", _is_suite),
)
