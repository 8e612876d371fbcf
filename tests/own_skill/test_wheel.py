"""What is installed from a wheel has our skill."""

from __future__ import annotations

import zipfile
from pathlib import Path

from hatchling.builders.wheel import WheelBuilder

from skilltrial.own_skill.place import own_skill

ROOT = Path(__file__).resolve().parents[2]


def test_a_wheel_has_the_skill_without_its_evals(tmp_path: Path) -> None:
    """Beside the module that looks for it, byte for byte."""
    (wheel,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    below = "skilltrial/own_skill/skilltrial/"
    with zipfile.ZipFile(wheel) as archive:
        packed = {name.removeprefix(below): archive.read(name) for name in archive.namelist() if name.startswith(below)}
    files = [own_skill() / "SKILL.md", *(own_skill() / "references").iterdir()]
    assert packed == {path.relative_to(own_skill()).as_posix(): path.read_bytes() for path in files}
