"""What assertions on documents, and those of functions, must keep to."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from skilltrial.records.assertion import AssertionBase
from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableCell, TableMatches
from skilltrial.records.record import Record
from skilltrial.spec.case_files import check_path
from skilltrial.spec.findings import shown
from skilltrial.spec.json_source import Node
from skilltrial.spec.operands import at, check_pattern

_SEPARATED = (".csv", ".tsv", ".txt")
_WORKBOOKS = (".xlsx", ".xlsm")
_TABLES = (*_SEPARATED, *_WORKBOOKS)
_DOCUMENTS = (".docx", ".docm", ".pptx", ".pdf", ".html", ".htm")
_IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff")
_ADDRESS = re.compile(r"[A-Za-z]{1,3}[1-9][0-9]{0,6}")
_FUNCTION = re.compile(r"(?P<path>.+\.py):(?P<name>[^\W\d]\w*)")
_TEXT_HINT = "For plain text there is file_matches."


def _check_table(record: TableMatches, node: Node) -> None:
    suffix = _check_suffix(node, record.path, _TABLES, hint=_TEXT_HINT)
    if not (record.columns or record.rows or record.cell or record.sum):
        hint = "Give one or more: without, nothing is checked."
        raise node.error("key-missing", "has none of 'columns', 'rows', 'cell', 'sum'.", hint=hint)
    if record.in_order and not record.columns:
        raise at(node, "in_order").error("bad-operand", "is about 'columns', and there are none.")
    if record.sheet is not None and suffix in _SEPARATED:
        raise at(node, "sheet").error("bad-operand", f"is of a workbook, and {shown(record.path)} is none.")
    if record.delimiter is not None and suffix in _WORKBOOKS:
        raise at(node, "delimiter").error("bad-operand", f"is of a text file, and {shown(record.path)} is none.")
    if record.delimiter is not None and record.delimiter in '\r\n" ':
        raise at(node, "delimiter").error("bad-operand", f"cannot part cells: {shown(record.delimiter)}.")
    if record.rows is not None:
        _check_range(record.rows, at(node, "rows"), "min", "max")
        if all(value is None for value in (record.rows.equals, record.rows.min, record.rows.max)):
            raise at(node, "rows").error("key-missing", "has none of 'equals', 'min', 'max'.")
    if record.cell is not None:
        _check_cell(record.cell, at(node, "cell"))


def _check_cell(cell: TableCell, node: Node) -> None:
    if (cell.at is None) is (cell.row is None and cell.column is None) or (cell.row is None) is not (
        cell.column is None
    ):
        raise node.error("key-missing", "must have 'at', or else 'row' and 'column'.", hint='Like "at": "B2".')
    if cell.at is not None and not _ADDRESS.fullmatch(cell.at):
        raise at(node, "at").error("bad-operand", f"is no cell: {shown(cell.at)}.", hint="Write it like 'B2'.")
    if cell.equals is not None and not isinstance(cell.equals, str | int | float):
        raise at(node, "equals").error("bad-operand", f"is nothing that a cell can hold: {shown(cell.equals)}.")
    if cell.tolerance and (isinstance(cell.equals, bool) or not isinstance(cell.equals, int | float)):
        raise at(node, "tolerance").error("bad-operand", "is about a number in 'equals', and there is none.")
    if cell.matches is not None:
        check_pattern(at(node, "matches"), cell.matches)


def _check_document(record: DocumentMatches, node: Node) -> None:
    suffix = _check_suffix(node, record.path, _DOCUMENTS, hint=_TEXT_HINT)
    has_pages = record.min_pages is not None or record.max_pages is not None
    if record.pattern is not None:
        check_pattern(at(node, "pattern"), record.pattern)
    elif record.negate or not has_pages:
        hint = "Give a pattern, or 'min_pages' or 'max_pages'."
        raise node.error("key-missing", "has no 'pattern'.", hint=hint)
    if has_pages and suffix and suffix not in {".pdf", ".pptx"}:
        key = "min_pages" if record.min_pages is not None else "max_pages"
        raise at(node, key).error("bad-operand", f"is about pages, and {shown(record.path)} has none to count.")
    _check_range(record, node, "min_pages", "max_pages")


def _check_image(record: ImageMatches, node: Node) -> None:
    _check_suffix(node, record.path, _IMAGES, hint="A drawing (.svg) is text: there is file_matches.")
    size = record.size
    if size is not None:
        if not size.model_dump(exclude_none=True):
            raise at(node, "size").error("key-missing", "says nothing of width and height.")
        _check_range(size, at(node, "size"), "min_width", "max_width")
        _check_range(size, at(node, "size"), "min_height", "max_height")
    if node.child("golden_file") is None and node.child("max_distance") is not None:
        raise at(node, "max_distance").error("bad-operand", "is about 'golden_file', and there is none.")
    if not (record.format or size or record.not_blank or node.child("golden_file") is not None):
        hint = "Give one or more: without, nothing is checked."
        raise node.error("key-missing", "has none of 'format', 'size', 'not_blank', 'golden_file'.", hint=hint)


def _check_function(record: PythonCheck, node: Node) -> None:
    function_of(record, node)
    if record.timeout_s <= 0:
        raise at(node, "timeout_s").error("bad-operand", f"must be more than 0, not {shown(record.timeout_s)}.")


def function_of(record: PythonCheck, node: Node) -> tuple[str, str]:
    """The path of the file and the name of the function. Raises `Invalid` where it is not written so."""
    parts = _FUNCTION.fullmatch(record.function)
    if parts is None:
        hint = "Write it like 'evals/checks.py:total_is_right'."
        raise at(node, "function").error("bad-operand", f"names no function: {shown(record.function)}.", hint=hint)
    return check_path(at(node, "function"), parts["path"]), parts["name"]


def _check_suffix(node: Node, path: str, known: Sequence[str], *, hint: str) -> str:
    """The end of the path's name; empty where a wildcard may stand for any."""
    check_path(at(node, "path"), path)
    suffix = PurePosixPath(path).suffix.lower()
    if path.endswith("/") or not suffix or not re.fullmatch(r"\.\w+", suffix):
        return ""
    if suffix not in known:
        what = f"names no file that is read: {shown(path)}; there are {', '.join(known)}."
        raise at(node, "path").error("bad-operand", what, hint=hint)
    return suffix


def _check_range(record: Record, node: Node, least: str, most: str) -> None:
    low, high = getattr(record, least), getattr(record, most)
    if low is not None and high is not None and high < low:
        raise at(node, most).error("bad-operand", f"must not be less than {least} ({low}), but is {high}.")


DOCUMENT_RULES: Mapping[type[AssertionBase], Callable[[Any, Node], None]] = {
    TableMatches: _check_table,
    DocumentMatches: _check_document,
    ImageMatches: _check_image,
    PythonCheck: _check_function,
}
"""By record, for `assertion_rules`."""
