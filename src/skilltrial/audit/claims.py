"""What an old benchmark claims, whichever of the known shapes it has: rows, figures of arms, differences, labels.

Rates are as written (perhaps per cent), times in seconds. Anything that is not understood is left out; nothing here raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from skilltrial.records.json_value import Json, is_list, is_object, real

Metric = Literal["pass_rate", "time_seconds", "tokens", "passed", "failed", "total"]
Kind = Literal["difference", "percent"]

METRICS: Mapping[str, tuple[Metric, float]] = {
    "pass_rate": ("pass_rate", 1),
    "time_seconds": ("time_seconds", 1),
    "duration_seconds": ("time_seconds", 1),
    "duration_ms": ("time_seconds", 0.001),
    "tokens": ("tokens", 1),
    "total_tokens": ("tokens", 1),
    "passed": ("passed", 1),
    "failed": ("failed", 1),
    "total": ("total", 1),
    "pass_count": ("passed", 1),
    "fail_count": ("failed", 1),
}
"""Names of figures, with the factor to our units."""
STATISTICS = ("mean", "stddev", "min", "max", "n")
_NUMBER = re.compile(r"\s*([-+−]?[0-9]+(?:\.[0-9]+)?)\s*(%|s|pp)?\s*")
_OF_A_HUNDRED = ("%", "pp")
_PLACEHOLDER = re.compile(r"\s*<[^<>]+>\s*")


@dataclass(frozen=True, slots=True)
class Claim:
    """One number of a benchmark."""

    path: str
    value: float
    """In our units."""
    written: Json
    factor: float = 1
    """From the written unit to ours."""

    def in_its_unit(self, right: float | None) -> float | None:
        """A value of ours in the unit in which this one is written."""
        return right if right is None or self.factor == 1 else round(right / self.factor, 6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One run, as the benchmark has it."""

    path: str
    names: frozenset[str]
    """What its case is called: id and name."""
    arm: str
    run_number: int | None
    figures: Mapping[Metric, Claim]


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """A difference between two arms."""

    metric: Metric
    kind: Kind
    claim: Claim


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Everything that can be checked in one benchmark."""

    rows: tuple[Row, ...] | None = None
    """None where there is no list of rows, or none that is understood; empty where the list is."""
    summary: Mapping[str, Mapping[tuple[Metric, str], Claim]] = field(
        default_factory=dict[str, Mapping[tuple[Metric, str], Claim]]
    )
    """By arm: the figures by metric and statistic."""
    deltas: tuple[Delta, ...] = ()
    direction: str | None = None
    """What the benchmark itself says of its differences, like `old_skill - new_skill`."""
    runs_per_configuration: Claim | None = None
    placeholders: tuple[tuple[str, str], ...] = ()
    """Path and text."""
    is_hand_made: bool = False
    """The shape does not define its means; any usual one is right."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was understood."""
        return not self.rows and not self.summary and not self.deltas


def read_claims(value: Json) -> tuple[Claims, ...]:
    """The claims of a benchmark's JSON value, one of each shape that it holds; none of a list or of an unknown shape."""
    if not is_object(value):
        return ()
    configs = value.get("configs")
    shapes = [_run_summary(value), *([_skill_builder(configs, value)] if is_object(configs) else [])]
    return tuple(claims for claims in shapes if claims.rows == () or not claims.is_empty)


def claim(value: Json, path: str, factor: float = 1) -> Claim | None:
    """A number, or a text that is one: `+0.50`, `+12 %`, `−3.0s`."""
    number = _number(value)
    if number is None:
        return None
    if isinstance(value, str) and value.rstrip().endswith(_OF_A_HUNDRED):
        factor *= 0.01
    return Claim(path, number * factor, value, factor)


def _number(value: Json) -> float | None:
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return real(value)
    return float(match[1].replace("−", "-"))


def _run_summary(value: Mapping[str, Json]) -> Claims:
    """skill-creator's shape, and its relatives of slow-powers and agentskills.io."""
    summary = value.get("run_summary")
    arms = {
        arm: figures
        for arm, entry in (summary.items() if is_object(summary) else ())
        if arm != "delta" and is_object(entry) and (figures := _statistics(entry, f"run_summary.{arm}"))
    }
    inner = summary.get("delta") if is_object(summary) else None
    delta, path = (inner, "run_summary.delta") if is_object(inner) else (value.get("delta"), "delta")
    deltas = tuple(_deltas(delta, path)) if is_object(delta) else ()
    direction = delta.get("direction") if is_object(delta) else None
    metadata = value.get("metadata")
    meta = metadata if is_object(metadata) else {}
    runs = value.get("runs")
    return Claims(
        rows=(tuple(_rows(runs)) or (None if runs else ())) if is_list(runs) else None,
        summary=arms,
        deltas=deltas,
        direction=direction if isinstance(direction, str) else None,
        runs_per_configuration=claim(meta.get("runs_per_configuration"), "metadata.runs_per_configuration"),
        placeholders=tuple(
            (f"metadata.{key}", text)
            for key, text in meta.items()
            if isinstance(text, str) and _PLACEHOLDER.fullmatch(text)
        ),
    )


def _statistics(entry: Mapping[str, Json], path: str) -> dict[tuple[Metric, str], Claim]:
    found: dict[tuple[Metric, str], Claim] = {}
    for key, inner in entry.items():
        if key not in METRICS:
            continue
        metric, factor = METRICS[key]
        values = inner if is_object(inner) else {"mean": inner}
        for statistic in STATISTICS:
            inside = f"{path}.{key}.{statistic}" if is_object(inner) else f"{path}.{key}"
            number = claim(values.get(statistic), inside, 1 if statistic == "n" else factor)
            if number is not None:
                found[metric, statistic] = number
    return found


def _deltas(entry: Mapping[str, Json], path: str) -> Iterator[Delta]:
    for key, value in entry.items():
        if key in METRICS:
            metric, factor = METRICS[key]
            written = value.get("mean") if is_object(value) else value
            number = claim(written, f"{path}.{key}", factor)
            if number is not None:
                yield Delta(metric=metric, kind="difference", claim=number)


def _rows(runs: list[Json]) -> Iterator[Row]:
    for number, run in enumerate(runs):
        if not is_object(run):
            continue
        result, path = (
            (run["result"], f"runs[{number}].result") if is_object(run.get("result")) else (run, f"runs[{number}]")
        )
        arm = next(
            (run[key] for key in ("configuration", "config", "condition") if isinstance(run.get(key), str)), None
        )
        repeat = claim(run.get("run_number"), "")
        if arm is not None:
            yield Row(
                path=f"runs[{number}]",
                names=_names(run),
                arm=arm,
                run_number=int(repeat.value) if repeat and repeat.value.is_integer() else None,
                figures=_figures(result, path),
            )


def _names(entry: Mapping[str, Json]) -> frozenset[str]:
    names = (entry.get(key) for key in ("eval_id", "eval_name", "id", "name"))
    return frozenset(str(name) for name in names if isinstance(name, str | int))


def _figures(entry: Mapping[str, Json], path: str) -> dict[Metric, Claim]:
    found: dict[Metric, Claim] = {}
    for key, value in entry.items():
        if key in METRICS:
            metric, factor = METRICS[key]
            number = claim(value, f"{path}.{key}", factor)
            if number is not None:
                found[metric] = number
    return found


def _skill_builder(configs: Mapping[str, Json], value: Mapping[str, Json]) -> Claims:
    rows: list[Row] = []
    summary: dict[str, dict[tuple[Metric, str], Claim]] = {}
    for arm, entry in configs.items():
        if not is_object(entry):
            continue
        path = f"configs.{arm}"
        summary[arm] = _flat_statistics(entry, path)
        evals = entry.get("evals")
        rows += [
            Row(
                path=f"{path}.evals[{number}]",
                names=_names(row),
                arm=arm,
                run_number=None,
                figures=_figures(row, f"{path}.evals[{number}]"),
            )
            for number, row in enumerate(evals if is_list(evals) else [])
            if is_object(row)
        ]
    comparison = value.get("comparison")
    return Claims(
        rows=tuple(rows) or None,
        summary=summary,
        deltas=tuple(_comparison(comparison)) if is_object(comparison) else (),
        is_hand_made=True,
    )


_FLAT: Mapping[str, tuple[Metric, str, float]] = {
    "overall_pass_rate": ("pass_rate", "mean", 1),
    "total_tokens_mean": ("tokens", "mean", 1),
    "total_tokens_stddev": ("tokens", "stddev", 1),
    "duration_ms_mean": ("time_seconds", "mean", 0.001),
    "duration_ms_stddev": ("time_seconds", "stddev", 0.001),
}
_COMPARISON: Mapping[str, tuple[Metric, Kind, float]] = {
    "pass_rate_delta": ("pass_rate", "difference", 1),
    "token_overhead_percent": ("tokens", "percent", 1),
    "time_overhead_percent": ("time_seconds", "percent", 1),
}


def _flat_statistics(entry: Mapping[str, Json], path: str) -> dict[tuple[Metric, str], Claim]:
    return {
        (metric, statistic): number
        for key, (metric, statistic, factor) in _FLAT.items()
        if (number := claim(entry.get(key), f"{path}.{key}", factor)) is not None
    }


def _comparison(entry: Mapping[str, Json]) -> Iterator[Delta]:
    for key, (metric, kind, factor) in _COMPARISON.items():
        written = entry.get(key)
        in_words = kind == "percent" and isinstance(written, str) and written.rstrip().endswith("%")
        number = claim(written, f"comparison.{key}", 100 if in_words else factor)
        if number is not None:
            yield Delta(metric=metric, kind=kind, claim=number)
