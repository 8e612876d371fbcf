"""Findings as SARIF 2.1.0, the form that code scanning services take."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from skilltrial.records.json_value import Json
from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.rule import Rule
from skilltrial.spec.lint.rules import RULES

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"


def sarif(problems: Sequence[Problem], *, root: Path, version: str) -> dict[str, Json]:
    """One SARIF log with one run. Files below `root` (absolute) are named relative to it, others by their `file:` address."""
    places = {rule.code: index for index, rule in enumerate(RULES)}
    driver = {"name": "skilltrial", "version": version, "rules": [_rule(rule) for rule in RULES]}
    run: dict[str, Json] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_ROOT: {"uri": f"{root.as_uri().rstrip('/')}/"}},
        "results": [_result(problem, places, root) for problem in problems],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(rule: Rule) -> dict[str, Json]:
    text = {"text": rule.summary}
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": text,
        "fullDescription": text,
        "help": {"text": f"{rule.summary} See docs/lint.md, {rule.code}."},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {"tags": ["skill" if rule.code < "ST3" else "evals"]},
    }


def _result(problem: Problem, places: dict[str, int], root: Path) -> dict[str, Json]:
    artifact = _artifact(problem.file, root)
    physical: dict[str, Json] = {"artifactLocation": artifact}
    if problem.line is not None:
        physical["region"] = {"startLine": problem.line}
    location: dict[str, Json] = {"physicalLocation": physical}
    if problem.place:
        location["logicalLocations"] = [{"fullyQualifiedName": problem.place}]
    result: dict[str, Json] = {
        "ruleId": problem.rule or problem.code,
        "level": problem.severity,
        "message": {"text": f"{problem.message} {problem.hint}".strip()},
        "locations": [location],
        "partialFingerprints": {"skilltrial/v1": _fingerprint(problem, artifact["uri"])},
    }
    if problem.rule in places:
        result["ruleIndex"] = places[problem.rule]
    return result


def _artifact(file: str, root: Path) -> dict[str, str]:
    path = Path(file) if file else root
    if path.is_absolute() and not path.is_relative_to(root):
        return {"uri": path.as_uri()}
    relative = path.relative_to(root) if path.is_absolute() else path
    return {"uri": quote(relative.as_posix(), safe="/"), "uriBaseId": _ROOT}


def _fingerprint(problem: Problem, uri: str) -> str:
    """The same finding keeps it when lines above it come and go."""
    text = "\0".join((problem.rule or problem.code, uri, problem.place, problem.message))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
