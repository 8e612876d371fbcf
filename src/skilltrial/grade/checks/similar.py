"""`similar`: a text against a golden one."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from fractions import Fraction

from skilltrial.grade.checks.files import only_file
from skilltrial.grade.decision import CheckResult, Undecided, decided, failed
from skilltrial.grade.excerpt import excerpt
from skilltrial.grade.material import Material
from skilltrial.records.suite import Similar

MAX_CHARS = 100_000
_AROUND = 40


def check_similar(assertion: Similar, material: Material) -> CheckResult:
    """The text and the golden one have at least `min_ratio` in common, see `similarity`.

    Raises `Undecided` where the golden text is not at hand, several files match, or a text is too long.
    """
    answer = material.final_message() if assertion.path is None else None
    if assertion.path is None and answer is None:
        return failed("the agent gave no final message.")
    found = None if assertion.path is None else only_file(assertion.path, material, kept_too=assertion.any)
    if isinstance(found, CheckResult):
        return found
    golden = normalised(_golden(assertion, material), "the golden text")
    place = repr(excerpt(found.path)) if found else "the final message"
    text = normalised(material.text(found) if found else answer or "", place)
    ratio = similarity(golden, text)
    # Exact, so that a text at the very limit is not lost to rounding.
    holds = ratio >= Fraction(str(assertion.min_ratio))
    where = "" if ratio == 1 else f"; {_first_difference(golden, text)}"
    return decided(holds, f"{place}: {float(ratio):.3f} like the golden text, needed {assertion.min_ratio:g}{where}")


def normalised(text: str, place: str) -> str:
    """In the composed form of Unicode, with each run of white space as one space. Raises `Undecided` where it is too long."""
    plain = " ".join(unicodedata.normalize("NFC", text).split())
    if len(plain) > MAX_CHARS:
        raise Undecided(f"{place} has {len(plain):,} characters, and at most {MAX_CHARS:,} are compared.")
    return plain


def similarity(one: str, other: str) -> Fraction:
    """Twice the length of the longest common subsequence over the length of both texts: 1 is equal, 0 has nothing in common.

    The subsequence is counted with bits of one large number, a column of the table at a time (Hyyro 2004, Bit-parallel
    LCS-length computation revisited): what is hostile takes no longer than what is not.
    """
    if not one and not other:
        return Fraction(1)
    places: defaultdict[str, int] = defaultdict(int)
    for place, char in enumerate(one):
        places[char] |= 1 << place
    full = (1 << len(one)) - 1
    row = full
    for char in other:
        common = row & places.get(char, 0)
        row = ((row + common) | (row - common)) & full
    n_common = len(one) - row.bit_count()
    return Fraction(2 * n_common, len(one) + len(other))


def _golden(assertion: Similar, material: Material) -> str:
    if assertion.golden_file is None:
        return assertion.golden or ""
    return material.held_out_text(assertion.golden_file)


def _first_difference(golden: str, text: str) -> str:
    same = next((i for i, (a, b) in enumerate(zip(golden, text, strict=False)) if a != b), min(len(golden), len(text)))
    begin = max(0, same - 10)
    return (
        f"they part at {excerpt(text[begin : same + _AROUND], _AROUND)!r}, "
        f"where {excerpt(golden[begin : same + _AROUND], _AROUND)!r} is golden"
    )
