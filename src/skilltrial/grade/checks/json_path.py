"""`json_matches` with a JSONPath: the values that it finds in the document."""

from __future__ import annotations

import json
from functools import partial
from typing import cast

from anyio import to_thread

from skilltrial.grade.checks.json_document import check_json, is_same, read_json, short
from skilltrial.grade.decision import CheckResult, decided, failed
from skilltrial.grade.material import Material
from skilltrial.grade.reading import read_document
from skilltrial.records.json_value import Json
from skilltrial.records.suite import JsonMatches

_SHOWN = 5


async def check_json_path(assertion: JsonMatches, material: Material) -> CheckResult:
    """The document is JSON, fits the schema, and the path finds values: all equal to the wanted one, or one that is not null.

    The expression runs in a process with limits, since its patterns and its reach meet what an agent wrote. Raises `Undecided` as
    `check_json` does, and where the library is not installed.
    """
    plain = assertion.model_copy(update={"jsonpath": None, "equals": None})
    result = await to_thread.run_sync(check_json, plain, material)
    if result.verdict == "FAIL":
        return result
    document = await to_thread.run_sync(partial(read_json, assertion, material))
    data = json.dumps(document.value).encode()
    answer = await read_document("jsonpath", data, place=document.place, asked={"jsonpath": assertion.jsonpath})
    return _verdict(assertion, document.place, cast("list[Json]", answer))


def _verdict(assertion: JsonMatches, place: str, found: list[Json]) -> CheckResult:
    if not found:
        return failed(f"{place}: nothing is at {assertion.jsonpath!r}")
    shown = ", ".join(map(short, found[:_SHOWN])) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
    what = f"{place}: at {assertion.jsonpath!r} is {shown}"
    if assertion.equals is None:
        return decided(any(value is not None for value in found), what)
    wrong = [value for value in found if not is_same(value, assertion.equals)]
    return failed(f"{what}; {short(wrong[0])} is not {short(assertion.equals)}") if wrong else decided(True, what)
