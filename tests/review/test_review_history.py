"""The History page without a browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from browsing import subject_of

from skilltrial.review.history import history
from skilltrial.review.subject import Query


def asked_of(workspace: Path) -> dict[str, Any]:
    """The answer."""
    return cast("dict[str, Any]", history(subject_of(workspace), Query({})))


def versions(workspace: Path, *entries: tuple[str, str | None]) -> Path:
    """A folder with nothing but a history.json of these versions and their parents."""
    listed = [{"version": name, "parent": parent, "is_current_best": False} for name, parent in entries]
    (workspace / "history.json").write_text(json.dumps({"current_best": "v2", "iterations": listed}))
    return workspace


def test_versions_grow_from_their_parents(tmp_path: Path) -> None:
    """Two were made from v0; the best one is marked."""
    (root,) = asked_of(versions(tmp_path, ("v0", None), ("v1", "v0"), ("v2", "v0")))["tree"]
    assert [(node["version"], node["best"]) for node in root["children"]] == [("v1", False), ("v2", True)]


def test_versions_without_a_beginning_are_shown_all_the_same(tmp_path: Path) -> None:
    """A parent that is not there, and two that are made from each other."""
    tree = asked_of(versions(tmp_path, ("v1", "gone"), ("a", "b"), ("b", "a")))["tree"]
    assert [(node["version"], node["children"]) for node in tree] == [("v1", []), ("a", []), ("b", [])]


def test_iterations_stand_side_by_side(imported_made: Path) -> None:
    """Two iterations, each with its lift and both rates; nobody knows the model, so no line joins them."""
    found = asked_of(imported_made)
    first, second = found["points"]
    assert (first["iteration"], second["iteration"], second["comparable"]) == (1, 2, False)
    assert len(second["rates"]) == 2
    assert [row[0][0] for row in found["table"]["rows"]] == ["1", "2"]
