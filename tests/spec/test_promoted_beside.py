"""A promoted baseline beside the eval file."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_suite


def test_a_promoted_baseline_is_not_offered_as_an_eval_file(tmp_path: Path) -> None:
    """Where evals.json is missing, other files in which evals may be are named."""
    folder = tmp_path / "tidy"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: tidy\ndescription: Tidies.\n---\nTidy.\n")
    (folder / "evals/baseline.json").write_text("{}")
    (folder / "evals/more.json").write_text("{}")
    with pytest.raises(SpecError) as found:
        load_suite(load_skill(folder))
    assert "There is evals/more.json: give that path" in found.value.hint
