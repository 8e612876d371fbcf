"""Times, tokens and costs in all their spellings come out in seconds, tokens and dollars."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.adapters.interchange.timings import merged, read_timing
from skilltrial.records.foreign import ForeignTiming


def timing(value: Any) -> ForeignTiming:
    """Read from an object."""
    found = read_timing(value, "timing.json")
    assert found is not None
    return found


def test_skill_creator() -> None:
    """The agent's own time where the file tells it apart; what else it says is kept."""
    found = timing({
        "total_tokens": 84852, "duration_ms": 23332, "total_duration_seconds": 191.0,
        "executor_start": "2026-01-15T10:30:00Z", "executor_duration_seconds": 165.0, "grader_duration_seconds": 26.0,
    })  # fmt: skip
    assert (found.total_tokens, found.duration_s, found.grader_s) == (84852, 165.0, 26.0)
    assert found.started_at == "2026-01-15T10:30:00Z"
    assert found.extra == {
        "duration_ms": 23332, "total_duration_seconds": 191.0, "executor_start": "2026-01-15T10:30:00Z",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ({"duration_ms": 12450}, 12.45),
        ({"elapsed_ms": 172715, "elapsed_s": 172.7}, 172.715),
        ({"total_duration_seconds": 23.3}, 23.3),
        ({"elapsed_seconds": 55, "start_ts": 1776451225}, 55),
        ({"duration_seconds": "45"}, 45),
        ({"start_ms": 1776451252478, "end_ms": 1776451326800}, 74.322),
        ({"started_at": "2026-04-17T18:57:45Z", "finished_at": "2026-04-17T18:59:10Z"}, 85),
        ({"start_ts": 1776451225, "end_ts": 1776451280}, 55),
        ({"started_at": "2026-04-17T18:59:10Z", "finished_at": "2026-04-17T18:57:45Z"}, None),
        ({"duration_ms": None, "note": "lost"}, None),
        ({"duration_ms": float("nan")}, None),
        ({"duration_ms": True}, None),
        ({"duration_ms": 10**400}, None),
    ],
)
def test_durations(value: dict[str, Any], seconds: float | None) -> None:
    """In seconds; unknown is not zero."""
    assert timing(value).duration_s == (None if seconds is None else pytest.approx(seconds, abs=1e-4))


@pytest.mark.parametrize(
    ("value", "tokens"),
    [
        ({"total_tokens": 4523}, 4523),
        ({"tokens": 4523.0}, 4523),
        ({"input_tokens": 1200, "output_tokens": 895}, 2095),
        ({"input_tokens": 1200}, None),
        ({"output_chars": 9000}, None),
        ({"usage": {"input_tokens": 27, "cache_creation_input_tokens": 100, "cache_read_input_tokens": 1000,
                    "output_tokens": 7}}, 1134),
        ({"total_tokens": 0}, 0),
    ],
)  # fmt: skip
def test_tokens(value: dict[str, Any], tokens: int | None) -> None:
    """Input with caches, and output; characters are no tokens."""
    assert timing(value).total_tokens == tokens


def test_costs() -> None:
    """In dollars."""
    assert timing({"total_cost_usd": 0.0696}).cost_usd == 0.0696


def test_no_figure_is_lost() -> None:
    """A note and a task's name are all that is known."""
    found = timing({"note": "not measured", "task_id": "t1"})
    assert (found.total_tokens, found.duration_s) == (None, None)
    assert found.extra == {"note": "not measured", "task_id": "t1"}


def test_what_is_no_object_is_no_timing() -> None:
    """A list has no figures."""
    assert read_timing([1], "timing.json") is None


def test_the_second_fills_what_the_first_lacks() -> None:
    """And changes nothing else."""
    first = timing({"total_tokens": 5})
    both = merged(first, timing({"total_tokens": 7, "duration_ms": 1000}))
    assert both is not None
    assert (both.total_tokens, both.duration_s) == (5, 1.0)
