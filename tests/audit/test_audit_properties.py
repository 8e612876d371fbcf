"""Whatever a benchmark or a grading says, an audit comes to its end and can be written as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.records.foreign import ForeignTiming, Tally

TABLE = {"eval-0": {"with_skill": ["PF", "?"], "without_skill": ["FU"]}, "eval-1": {"with_skill": ["!"]}}
KEYS = st.sampled_from(
    [
        "metadata", "runs", "run_summary", "delta", "configs", "comparison", "evals", "with_skill", "without_skill", "result",
        "pass_rate", "time_seconds", "tokens", "duration_ms", "mean", "stddev", "min", "max", "n", "eval_id", "configuration",
        "run_number", "runs_per_configuration", "direction", "pass_rate_delta", "overall_pass_rate", "iteration", "pass_count",
    ]
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.just(10**400)
    | st.sampled_from(["eval-0", "0", "with_skill", "+0.50", "50%", "<x>", "\ud800", ""])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=40,
)
FLOATS = st.none() | st.floats()
QUIET = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@QUIET
@given(VALUES)
def test_any_value_can_be_a_benchmark(scene, value) -> None:
    """Junk in every place where a figure is looked for."""
    json.dumps(asdict(scene(TABLE).audit(value)), allow_nan=False)


@QUIET
@given(st.builds(Tally, passed=FLOATS, failed=FLOATS, total=FLOATS, pass_rate=FLOATS))
def test_any_number_can_be_in_a_summary(scene, tally) -> None:
    """And none of them is believed."""
    made = scene(TABLE).with_grading("iteration-1/eval-0/with_skill/run-1", tally=tally)
    audit = made.audit({"run_summary": {"with_skill": {"pass_rate": {"mean": 0.9}}}})
    json.dumps(asdict(audit), allow_nan=False)
    assert audit.iterations[0].arms[0].pass_rate.mean == 0.5


@QUIET
@given(st.lists(st.tuples(st.none() | st.integers(), FLOATS), min_size=4, max_size=4))
def test_any_number_can_be_a_time(scene, figures) -> None:
    """What is absurd is unknown, and the rest has a finite mean."""
    left = iter(figures)

    def timed(_):
        tokens, seconds = next(left)
        return {"timing": ForeignTiming(place="t", total_tokens=tokens, duration_s=seconds)}

    audit = scene(TABLE).with_runs(timed).audit()
    json.dumps(asdict(audit), allow_nan=False)
