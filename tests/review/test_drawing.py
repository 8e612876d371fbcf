"""How heavy a drawing is, before a browser is asked to draw it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from skilltrial.review.contents.drawing import DRAWING_BYTES, is_too_heavy

_BEGIN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'


def nested(times: int, reference: Callable[[int], str]) -> str:
    """A drawing in which each group holds the one before ten times: 10 ** times shapes."""
    groups = "".join(f'<g id="g{n}">{reference(n - 1) * 10}</g>' for n in range(1, times + 1))
    return f'{_BEGIN}<defs><g id="g0"><rect/></g>{groups}</defs>{reference(times)}</svg>'


@pytest.mark.parametrize(
    "text",
    [
        f'{_BEGIN}<rect fill="url(#fade)"/><linearGradient id="fade"><stop/></linearGradient></svg>',
        f"{_BEGIN}<style>.a {{ fill: url(#fade) }}</style><linearGradient id='fade'><stop/></linearGradient></svg>",
        f'{_BEGIN}<image href="data:image/png;base64,AA"/><a href="#top"><text>\\ </text></a></svg>',
        nested(3, lambda n: f'<use href="#g{n}"/>'),
        f"{_BEGIN}<rect>",
        "no drawing at all",
        "",
    ],
)
def test_ordinary_drawings_are_shown(text: str) -> None:
    """Gradients, pictures, links, a thousand copies of a shape; and what a browser says itself that it cannot draw."""
    assert not is_too_heavy(text.encode())


@pytest.mark.parametrize(
    "text",
    [
        nested(9, lambda n: f'<use href="#g{n}"/>'),
        nested(9, lambda n: f'<use xlink:href="x.svg?a=b#g%3{n}"/>' if n == 0 else f'<use xlink:href="#g{n}"/>'),
        nested(9, lambda n: f"<rect fill='url( \"#g{n}\" )'/>"),
        nested(9, lambda n: f'<rect style="mask:url(#g{n})"/>'),
        f'{_BEGIN}<g id="a"><use href="#a"/></g></svg>',
        f"{_BEGIN}<style>rect {{ mask: url(#a) }}</style><mask id='a'>{'<rect/>' * 600}</mask>{'<rect/>' * 600}</svg>",
        f"{_BEGIN}<style>rect {{ mask: u\\72l(#a) }}</style></svg>",
        f'{_BEGIN}<image href="da&#10;ta:image/svg+xml,AA"/></svg>',
        f'<?xml-stylesheet href="data:text/css,a"?>{_BEGIN}</svg>',
        f'<!DOCTYPE svg [<!ENTITY a "lol">]>{_BEGIN}<text>&a;</text></svg>',
        f"{_BEGIN}{'<g/>' * 200_000}</svg>",
        " " * (DRAWING_BYTES + 1),
    ],
)
def test_drawings_that_would_stop_the_page_are_not(text: str) -> None:
    """Billions of shapes however they are referred to, in itself, hidden in addresses, with entities, too many, too long."""
    assert is_too_heavy(text.encode())
