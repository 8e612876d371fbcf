"""Pages from templates: no script, no request, every text escaped by the template engine."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

_STYLE = "page.css"


def fill(name: str, **values: object) -> str:
    """A template of this package with these values, and `style_hash`, by which a page allows its style and no other."""
    templates = _templates()
    style = templates.get_template(_STYLE).render()
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return templates.get_template(name).render(**values, style_hash=digest)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("skilltrial.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
