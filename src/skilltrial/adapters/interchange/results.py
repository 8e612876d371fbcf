"""Files that hold the results of several runs: a benchmark, or gradings of a whole round in one file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from skilltrial.adapters.interchange.gradings import counts, lone_verdict
from skilltrial.adapters.interchange.metadata import name_of
from skilltrial.adapters.interchange.roles import arm_inside, is_arm_name
from skilltrial.adapters.interchange.statements import criteria_key, is_rows
from skilltrial.adapters.interchange.values import child, finite, objects, text
from skilltrial.records.json_value import Json, is_list, is_object

_ARM_KEYS = ("configuration", "config", "condition", "arm", "variant", "mode")
_CASE_KEYS = ("eval_id", "id", "case_id", "task_id", "entry_point", "eval", "run_id", "file")
_ROWS = ("evals", "results", "runs", "eval_results", "entries", "cases", "evaluations")
_SETUPS = ("configs", "configurations", "conditions", "arms")


class Entry(NamedTuple):
    """One run's part of a shared file."""

    case: str | int | None
    name: str | None
    arm: str | None
    number: int | None
    body: dict[str, Json]
    path: str
    """Inside the file."""


def arm_of(value: Mapping[str, Json]) -> str | None:
    """The arm that an object says it is of."""
    for key in _ARM_KEYS:
        found = value.get(key)
        if isinstance(found, str) and found and (key != "mode" or is_arm_name(found)):
            return found
    return None


def entries(value: Json) -> list[Entry]:
    """The runs in a shared file; empty where it holds none."""
    if is_list(value):
        return list(_rows(value, "", None)) if is_rows(value) else []
    if not is_object(value):
        return []
    found: list[Entry] = []
    for key in _SETUPS:
        found += _setups(value.get(key), key)
    for key in _ROWS:
        if not found:
            found += _under(value.get(key), key)
    if not found:
        found += _by_arm(value, "", case=None, name=None)
    return found or list(_by_round(value))


def is_graded(entry: Entry) -> bool:
    """Whether an entry has a verdict or counts, in itself or in its `result` or `summary`."""
    if criteria_key(entry.body) is not None or lone_verdict(entry.body) is not None:
        return True
    inside = (entry.body, child(entry.body, "result"), child(entry.body, "summary"))
    return any(counts(dict(each)) is not None for each in inside)


def _setups(value: Json, key: str) -> Iterator[Entry]:
    """`configs`: by name, or a list with names."""
    if is_object(value):
        named = [(name, each, f"{key}.{name}") for name, each in value.items()]
    else:
        named = [(text(each.get("name")) or "", each, f"{key}[{index}]") for index, each in enumerate(objects(value))]
    for name, each, path in named:
        if not name or not is_object(each):
            continue
        for rows in _ROWS:
            inside = each.get(rows)
            if is_list(inside):
                yield from _rows(inside, f"{path}.{rows}", name)
                break


def _under(value: Json, key: str) -> Iterator[Entry]:
    if is_list(value):
        if (
            key == "runs"
            or is_rows(value)
            or any(_by_arm(row, "", case=_case(row), name=None) for row in objects(value))
        ):
            yield from _rows(value, key, None)
    elif is_object(value):
        for name, each in value.items():
            if not is_object(each):
                return
            split = arm_inside(name)
            by_arm = list(_by_arm(each, f"{key}.{name}", case=name, name=name_of(each)))
            if by_arm:
                yield from by_arm
            elif split is not None:
                yield _entry(each, f"{key}.{name}", split[0])._replace(case=_case(each) or split[1].strip("-_"))


def _rows(value: list[Json], path: str, arm: str | None) -> Iterator[Entry]:
    for index, row in enumerate(value):
        if not is_object(row):
            continue
        place = f"{path}[{index}]"
        by_arm = list(_by_arm(row, place, case=_case(row), name=name_of(row)))
        if by_arm:
            yield from by_arm
        else:
            yield _entry(row, place, arm)


def _by_arm(value: Mapping[str, Json], path: str, *, case: str | int | None, name: str | None) -> list[Entry]:
    """An object with arms for keys: both arms of one case, or one arm's rows under each."""
    found: list[Entry] = []
    for key, each in value.items():
        place = f"{path}.{key}" if path else key
        if not is_object(each):
            continue
        rows = next((rows for rows in _ROWS if is_list(each.get(rows)) and is_rows(each[rows])), None)
        if rows is not None and arm_inside(key) is not None:
            found += _rows(each[rows], f"{place}.{rows}", key)
        elif is_arm_name(key) and _looks_graded(each, case):
            found.append(Entry(case, name, key, None, each, place))
    return found


def _looks_graded(value: Mapping[str, Json], case: str | int | None) -> bool:
    if criteria_key(value) is not None:
        return True
    return case is not None and bool(value)


def _by_round(value: Mapping[str, Json]) -> Iterator[Entry]:
    """A benchmark over several rounds: the newest is this one's."""
    rounds = objects(value.get("iterations"))
    if rounds:
        for key in _ROWS:
            yield from _under(rounds[-1].get(key), f"iterations[{len(rounds) - 1}].{key}")


def _entry(row: dict[str, Json], path: str, arm: str | None) -> Entry:
    number = finite(row.get("run_number", row.get("run_index", row.get("run"))))
    return Entry(
        case=_case(row),
        name=name_of(row),
        arm=arm or arm_of(row),
        number=int(number) if number is not None and number >= 1 else None,
        body=row,
        path=path,
    )


def _case(row: Mapping[str, Json]) -> str | int | None:
    for key in _CASE_KEYS:
        found = row.get(key)
        if isinstance(found, str) and found and (key != "run_id" or name_of(row) is None):
            return found
        if isinstance(found, int) and not isinstance(found, bool):
            return found
    return name_of(row)
