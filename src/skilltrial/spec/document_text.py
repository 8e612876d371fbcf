"""Assertions on documents as sentences for people."""

from __future__ import annotations

from skilltrial.records.document_checks import DocumentMatches, ImageMatches, PythonCheck, TableCell, TableMatches


def describe_document(check: TableMatches | DocumentMatches | ImageMatches | PythonCheck) -> str:
    """One sentence that says what has to hold."""
    match check:
        case TableMatches():
            return _table(check)
        case DocumentMatches():
            return _document(check)
        case ImageMatches():
            return _image(check)
        case PythonCheck(function=function):
            return f"{function} says that it holds"


def _table(check: TableMatches) -> str:
    parts: list[str] = []
    if check.columns is not None:
        parts.append(f"the columns {', '.join(check.columns)}{' in this order' if check.in_order else ''}")
    if check.rows is not None:
        counts = check.rows.model_dump(exclude_none=True)
        words = {"equals": "", "min": "at least ", "max": "at most "}
        parts.append(f"{' and '.join(f'{words[key]}{value}' for key, value in counts.items())} rows")
    if check.cell is not None:
        parts.append(_cell(check.cell))
    if check.sum is not None:
        parts.append(f"the sum {check.sum.equals:.12g}{_within(check.sum.tolerance)} in {check.sum.column}")
    sheet = f" ({check.sheet})" if check.sheet is not None else ""
    return f"The table {check.path}{sheet} has {' and '.join(parts)}"


def _cell(cell: TableCell) -> str:
    place = cell.at or f"row {cell.row} of {cell.column}"
    if cell.equals is not None:
        return f"{cell.equals!r}{_within(cell.tolerance)} in {place}"
    return f"/{cell.matches}/ in {place}" if cell.matches is not None else f"something in {place}"


def _within(tolerance: float) -> str:
    return f" ± {tolerance:g}" if tolerance else ""


def _document(check: DocumentMatches) -> str:
    pages = [
        *([f"at least {check.min_pages}"] if check.min_pages is not None else []),
        *([f"at most {check.max_pages}"] if check.max_pages is not None else []),
    ]
    has = f"has {' and '.join(pages)} pages" if pages else ""
    if check.pattern is None:
        return f"{check.path} {has}"
    matches = f"{'does not match' if check.negate else 'matches'} /{check.pattern}/"
    return f"The text of {check.path} {matches}" + (f", and it {has}" if has else "")


def _image(check: ImageMatches) -> str:
    parts: list[str] = []
    if check.size is not None:
        sizes = check.size.model_dump(exclude_none=True)
        parts.append(" and ".join(f"{key.replace('_', ' ')} {value}" for key, value in sizes.items()))
    if check.not_blank:
        parts.append("not blank")
    if check.golden_file is not None:
        parts.append(f"like {check.golden_file.path}")
    what = f"a {check.format} image" if check.format else "an image"
    return f"{check.path} is {what}{': ' if parts else ''}{', '.join(parts)}"
