"""Where agents look for programs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def neutral_path(env: Mapping[str, str], *, first: Sequence[Path] = ()) -> str:
    """The person's PATH without folders that say what is going on, like a checkout of ours; the folders of the request `first`."""
    parts = (env.get("PATH") or DEFAULT_PATH).split(os.pathsep)
    kept = os.pathsep.join(part for part in parts if "skilltrial" not in part) or DEFAULT_PATH
    return os.pathsep.join([*map(str, first), kept])
