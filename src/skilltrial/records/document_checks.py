"""Assertions on documents, and those that a function of the author's decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from skilltrial.records.assertion import AssertionBase
from skilltrial.records.case_file import CaseFile
from skilltrial.records.json_value import Json
from skilltrial.records.record import Record


class RowCount(Record):
    """How many rows below the header have something in them."""

    equals: int | None = Field(default=None, ge=0)
    min: int | None = Field(default=None, ge=0)
    max: int | None = Field(default=None, ge=0)


class TableCell(Record):
    """One cell, and what has to be in it; without `equals` and `matches` it must not be empty."""

    at: str | None = None
    """Like `B2`; or else `row` and `column`."""
    row: int | None = Field(default=None, ge=1)
    """1 is the first row below the header that has something in it."""
    column: str | None = None
    """The name in the header."""
    equals: Json = None
    """A text, a number (which a text in the cell may be written as), true or false."""
    tolerance: float = Field(default=0.0, ge=0)
    """How far a number may be from `equals`."""
    matches: str | None = None
    """Regular expression, searched in the cell's text."""


class ColumnSum(Record):
    """The sum of a column; empty cells count nothing, and what is no number fails."""

    column: str
    """The name in the header."""
    equals: float
    tolerance: float = Field(default=0.0, ge=0)


class TableMatches(AssertionBase):
    """A table (.csv, .tsv, .xlsx, .xlsm) that matches the glob `path` is as described.

    Its header is its first row that has something in it.
    """

    type: Literal["table_matches"] = "table_matches"
    path: str
    any: bool = False
    """Files of the case that the agent left as they were count too."""
    sheet: str | None = None
    """Of a workbook; without it the first one."""
    delimiter: str | None = Field(default=None, min_length=1, max_length=1)
    """Of a text file: one character; without it a comma, and a tab in .tsv."""
    columns: Sequence[str] | None = Field(default=None, min_length=1)
    """Names that the header has; others may be there too."""
    in_order: bool = False
    """The columns come in this order."""
    rows: RowCount | None = None
    cell: TableCell | None = None
    sum: ColumnSum | None = None


class DocumentMatches(AssertionBase):
    """The text of a document (.docx, .pdf, .pptx, .html) that matches the glob `path` holds the pattern (negated: does not)."""

    type: Literal["document_matches"] = "document_matches"
    path: str
    any: bool = False
    """Files of the case that the agent left as they were count too."""
    pattern: str | None = None
    """Regular expression."""
    negate: bool = False
    min_pages: int | None = Field(default=None, ge=1)
    """Pages of a PDF or slides of a presentation."""
    max_pages: int | None = Field(default=None, ge=1)


class ImageSize(Record):
    """Width and height in pixels."""

    width: int | None = Field(default=None, ge=1)
    height: int | None = Field(default=None, ge=1)
    min_width: int | None = Field(default=None, ge=1)
    min_height: int | None = Field(default=None, ge=1)
    max_width: int | None = Field(default=None, ge=1)
    max_height: int | None = Field(default=None, ge=1)


class ImageMatches(AssertionBase):
    """An image (PNG, JPEG, GIF, WEBP, BMP, TIFF) that matches the glob `path` is as described."""

    type: Literal["image_matches"] = "image_matches"
    path: str
    any: bool = False
    """Files of the case that the agent left as they were count too."""
    format: Literal["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"] | None = None
    """By its content, whatever its name."""
    size: ImageSize | None = None
    not_blank: bool = False
    """It has more than one colour."""
    golden_file: CaseFile | None = None
    """Path of an image to look like; the agent never sees it."""
    max_distance: int = Field(default=10, ge=0, le=64)
    """How many of the 64 bits of the difference hash (9 × 8 grey values) may differ from those of the golden one."""


class PythonCheck(AssertionBase):
    """A function of the author's decides: it gets the trial, and returns true, false, or an object of `passed` and `evidence`."""

    type: Literal["python"] = "python"
    function: str
    """`file.py:function`; the agent never sees the file."""
    timeout_s: float = 60.0
    code: str | None = None
    """The text of the file."""
