"""Images: what they are, whether anything is on them, and what they look like in 64 bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from skilltrial.grade.readers.refusal import Broken, TooMuch

_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
"""No others: some of Pillow's start other programs."""
_MAX_PIXELS = 25_000_000
_LOOKED_AT = 512
"""Pixels of the longer side, at the most, of what is looked at."""
_NOISE = 3
"""Steps of 255 between the darkest and the lightest place of one colour, after JPEG."""
_HASH = 8


def read_image(path: Path, asked: dict[str, Any]) -> dict[str, Any]:
    """`format`, `width`, `height`; where `pixels` are asked for, also `blank`, and `hash` in 16 hexadecimal digits."""
    if path.stat().st_size == 0:
        raise Broken("is empty")
    from PIL import Image, UnidentifiedImageError  # noqa: PLC0415 - of an extra

    Image.MAX_IMAGE_PIXELS = None  # we look ourselves, before any pixel is read
    try:
        with Image.open(path, formats=_FORMATS) as image:
            found = {"format": image.format, "width": image.width, "height": image.height}
            if not asked.get("pixels"):
                return found
            if image.width * image.height > _MAX_PIXELS:
                raise TooMuch(f"is an image of more than the {_MAX_PIXELS:,} pixels that are read")
            small = _small(image)
    except UnidentifiedImageError as error:
        raise Broken(f"is no image of a kind that is read ({', '.join(_FORMATS)})") from error
    except (OSError, SyntaxError) as error:
        raise Broken(f"is a broken image ({str(error)[:200]})") from error
    return {**found, "blank": _is_blank(small), "hash": f"{_hash(small):016x}"}


def _small(image: Any) -> Any:
    image.load()
    if image.mode not in {"L", "RGB"}:
        image = image.convert("RGBA" if image.has_transparency_data else "RGB")
    by = max(1, -(-max(image.size) // _LOOKED_AT))
    return image.reduce(by) if by > 1 else image


def _over(image: Any, shade: str) -> Any:
    from PIL import Image  # noqa: PLC0415 - of an extra

    if image.mode != "RGBA":
        return image
    ground = Image.new("RGBA", image.size, shade)
    return Image.alpha_composite(ground, image).convert("RGB")


def _is_blank(image: Any) -> bool:
    """One colour, on white as on black: what is drawn in white on nothing is there."""
    bands = [_over(image, shade).getextrema() for shade in ("white", "black")]
    flat = [band for each in bands for band in (each if isinstance(each[0], tuple) else [each])]
    return all(most - least <= _NOISE for least, most in flat)


def _hash(image: Any) -> int:
    """Difference hash: of 9 × 8 grey values, whether each is darker than its right neighbour (N. Krawetz, 2013)."""
    grey = list(_over(image, "white").convert("L").resize((_HASH + 1, _HASH)).tobytes())
    bits = [
        grey[row * (_HASH + 1) + column] < grey[row * (_HASH + 1) + column + 1]
        for row in range(_HASH)
        for column in range(_HASH)
    ]
    return sum(bit << place for place, bit in enumerate(bits))
