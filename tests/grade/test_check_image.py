"""`image_matches`: images made by Pillow."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from PIL import Image, ImageDraw

from skilltrial.grade.checks.image import check_image
from skilltrial.grade.decision import CheckResult, Undecided
from skilltrial.grade.material import Material
from skilltrial.records.case_file import CaseFile
from skilltrial.records.document_checks import ImageMatches

Make = Callable[..., Material]


def _run(made: Material, path: str = "a.png", **fields: Any) -> CheckResult:
    assertion = ImageMatches.model_validate({"id": "i", "text": "i", "path": path, **fields})
    return anyio.run(lambda: check_image(assertion, made))


def _saved(image: Image.Image, kind: str = "PNG") -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind)
    return stream.getvalue()


def _chart(*heights: int, width: int = 320) -> Image.Image:
    image = Image.new("RGB", (width, 240), "white")
    step = width // len(heights)
    for place, height in enumerate(heights):
        box = (place * step, 240 - height, place * step + step - 8, 240)
        ImageDraw.Draw(image).rectangle(box, fill="navy")
    return image


@pytest.mark.parametrize(
    ("fields", "verdict", "evidence"),
    [
        ({"size": {"width": 320, "height": 240}}, "PASS", "320 × 240 pixels"),
        ({"size": {"min_width": 400, "max_height": 200}}, "FAIL", "not 400 wide at least, 200 high at most"),
        ({"format": "PNG", "not_blank": True}, "PASS", "320 × 240 pixels; PNG; not blank"),
        ({"format": "JPEG"}, "FAIL", "PNG"),
    ],
)
def test_size_format_and_content(material: Make, fields: Any, verdict: str, evidence: str) -> None:
    """By what is in the file, not by its name."""
    result = _run(material({"a.png": _saved(_chart(50, 200, 90))}), **fields)
    assert (result.verdict, evidence in result.evidence) == (verdict, True)


@pytest.mark.parametrize(
    ("image", "blank"),
    [
        (Image.new("RGB", (900, 700), "white"), True),
        (Image.new("RGBA", (90, 70), (0, 0, 0, 0)), True),
        (Image.new("L", (90, 70), 7), True),
        (_chart(100, 40).convert("P"), False),
        (Image.merge("LA", (Image.new("L", (64, 64), 255), Image.linear_gradient("L").resize((64, 64)))), False),
    ],
)
def test_blank_is_one_colour_all_over(material: Make, image: Image.Image, blank: bool) -> None:
    """White on nothing is something."""
    result = _run(material({"a.png": _saved(image)}), not_blank=True)
    assert result.verdict == ("FAIL" if blank else "PASS")


def test_likeness_to_a_golden_image(material: Make, tmp_path: Path) -> None:
    """Another size and format are as good; other bars are not. The file is held to its digest."""
    golden = tmp_path / "golden.png"
    golden.write_bytes(_saved(_chart(50, 200, 90, 30)))
    file = CaseFile(path="golden.png", source=str(golden), sha256=hashlib.sha256(golden.read_bytes()).hexdigest())
    made = material(
        {"a.jpg": _saved(_chart(50, 200, 90, 30, width=640), "JPEG"), "b.png": _saved(_chart(200, 20, 220, 160))}
    )
    assert _run(made, "a.jpg", golden_file=file).verdict == "PASS"
    assert "bits differ from the golden image, more than 10" in _run(made, "b.png", golden_file=file).evidence
    golden.write_bytes(b"another")
    with pytest.raises(Undecided, match=r"'golden\.png' has changed"):
        _run(made, "a.jpg", golden_file=file)


def test_files_that_are_no_images(material: Make) -> None:
    """Empty, cut off, or of another kind: nothing can show them. A drawing has no pixels to look at."""
    made = material({"a.png": b"", "b.png": _saved(_chart(9))[:150], "c.png": b"%PDF-1.7", "d.svg": b"<svg/>"})
    assert _run(made, "a.png", not_blank=True).evidence == "the file 'a.png' is empty."
    assert "is a broken image" in _run(made, "b.png", not_blank=True).evidence
    assert "is no image of a kind that is read" in _run(made, "c.png", not_blank=True).evidence
    with pytest.raises(Undecided, match="is a drawing"):
        _run(made, "d.svg", not_blank=True)


def test_a_bomb_is_not_unpacked(material: Make) -> None:
    """Its size can be told without its pixels."""
    made = material({"a.png": _saved(Image.new("1", (20_000, 20_000)))})
    with pytest.raises(Undecided, match="more than the 25,000,000 pixels"):
        _run(made, not_blank=True)
    assert _run(made, size={"max_width": 100}).verdict == "FAIL"
