"""Checks that wait for another process: on what is in documents, by commands, and by functions of authors."""

from __future__ import annotations

from collections.abc import Mapping

from skilltrial.grade.checks.command import check_command
from skilltrial.grade.checks.document import check_document
from skilltrial.grade.checks.image import check_image
from skilltrial.grade.checks.json_path import check_json_path
from skilltrial.grade.checks.python_function import check_function
from skilltrial.grade.checks.table import check_table
from skilltrial.grade.decision import CheckResult
from skilltrial.grade.material import Material
from skilltrial.ports import Confinement
from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableMatches
from skilltrial.records.suite import Assertion, CommandCheck, JsonMatches


async def check_apart(  # noqa: PLR0911 - one line for each kind
    assertion: Assertion, material: Material, *, env: Mapping[str, str], walls: Confinement | None
) -> CheckResult | None:
    """The verdict on an assertion of these kinds, None for all others. Raises `Undecided`."""
    match assertion:
        case CommandCheck():
            return await check_command(assertion, material, env=env, walls=walls)
        case PythonCheck():
            return await check_function(assertion, material, env=env, walls=walls)
        case TableMatches():
            return await check_table(assertion, material)
        case DocumentMatches():
            return await check_document(assertion, material)
        case ImageMatches():
            return await check_image(assertion, material)
        case JsonMatches() if assertion.jsonpath is not None:
            return await check_json_path(assertion, material)
        case _:
            return None
