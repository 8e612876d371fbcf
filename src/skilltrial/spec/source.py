"""A file or folder -> values with places, whatever format they are written in."""

from __future__ import annotations

import re
from pathlib import Path

from skilltrial.spec.case_folder import case_folder
from skilltrial.spec.csv_source import csv_rows
from skilltrial.spec.findings import Findings, Invalid, invalid
from skilltrial.spec.json_source import MAX_BYTES, JsonScanner, Node
from skilltrial.spec.jsonl_source import json_lines
from skilltrial.spec.text_file import read_text
from skilltrial.spec.yaml_source import MAX_BYTES as MAX_YAML_BYTES
from skilltrial.spec.yaml_source import yaml_documents

_YAML = {".yaml", ".yml"}
_JSONL = {".jsonl", ".ndjson"}
_CSV = {".csv", ".tsv"}
_SEVERAL_OBJECTS = re.compile(r"\}[ \t\r]*\n\s*\{")


def read_source(path: Path, findings: Findings) -> Node:
    """The value in a JSON, YAML, JSONL or CSV file; of a folder, the list of the cases that have a file each.

    What the text is decides, and the name's ending where the text does not: a `.json` of one object a line is JSONL, and
    a `.yaml` that holds JSON is JSON. Raises `SpecError` with file, line and place for what cannot be read; broken lines
    of a JSONL file, rows of a CSV file and files of a folder are errors in `findings`, so that all of them are told at once.
    """
    if path.is_dir():
        return case_folder(path, findings, read=read_source)
    suffix = path.suffix.lower()
    text = read_text(path, findings, max_bytes=MAX_YAML_BYTES if suffix in _YAML else MAX_BYTES)
    file = str(path)
    if suffix in _CSV:
        return csv_rows(text, findings, file=file)
    if suffix in _YAML:
        return _yaml_or_json(text, findings, file=file)
    if suffix in _JSONL or suffix == ".json" or text.lstrip()[:1] in {"{", "["}:
        return _json_or_lines(text, findings, file=file, lines=suffix in _JSONL)
    message = (
        f"files that end in {path.suffix!r} are not read."
        if suffix
        else "the file is neither JSON nor named as YAML or CSV."
    )
    raise invalid(
        "unknown-format", message, file=file, hint="Give a .json, .yaml, .jsonl or .csv file, or a folder of cases."
    )


def _json_or_lines(text: str, findings: Findings, *, file: str, lines: bool) -> Node:
    """The one value of a text, or those of its lines. `lines` is what the name says."""
    scanner = JsonScanner(text, file)
    try:
        value = scanner.document()
    except Invalid:
        several = _SEVERAL_OBJECTS.search(text) is not None and _is_json(text.lstrip().split("\n", 1)[0])
        if not lines and not several:
            raise
        return json_lines(text, findings, file=file)
    if lines and not isinstance(value.value, list):
        return json_lines(text, findings, file=file) if "\n" not in text.strip() else value
    return value


def _yaml_or_json(text: str, findings: Findings, *, file: str) -> Node:
    if text.lstrip()[:1] in {"{", "["}:
        try:
            return JsonScanner(text, file).document()
        except Invalid:
            pass
    return yaml_documents(text, findings, file=file)


def _is_json(line: str) -> bool:
    try:
        JsonScanner(line, "").document()
    except Invalid:
        return False
    return True
