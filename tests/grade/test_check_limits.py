"""`limit` and `diff_scope`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from skilltrial.grade.checks.limits import check_limit, check_scope
from skilltrial.grade.decision import Undecided
from skilltrial.grade.material import Material
from skilltrial.records.suite import DiffScope, Limit
from skilltrial.records.trial import OutputFile
from skilltrial.records.usage import Usage

Make = Callable[..., Material]

PATCH = """\
diff --git a/one.txt b/one.txt
--- a/one.txt
+++ b/one.txt
@@ -1,2 +1,3 @@
 same
--- gone
+++ new
+# cut: not really
diff --git b/two.bin b/two.bin
new file mode 100644
Binary files /dev/null and b/two.bin differ
"""
"""Two lines added, one removed: one of the three looks like a header, one like our own remark."""
FILES = (
    OutputFile(path="one.txt", change="modified", size=1),
    OutputFile(path="two.bin", change="created", size=1),
    OutputFile(path="old.txt", change="deleted"),
)


def _limit(made: Material, **most: Any) -> str:
    return check_limit(Limit(id="l", text="l", **most), made).verdict


def _scope(made: Material, patch: str | None, **most: Any) -> str:
    if patch is not None:
        (made.outputs.parent / "diff.patch").write_text(patch)
    return check_scope(DiffScope(id="d", text="d", **most), made).verdict


def test_each_figure_has_its_limit_and_the_limit_itself_is_within(material: Make) -> None:
    """15 tokens, 12.5 seconds, 3 calls, 2 turns, half a dollar."""
    made = material(tool_calls={"Bash": 2, "Read": 1}, n_turns=2, cost_usd=0.5)
    within = {"tokens": 15, "seconds": 12.5, "tool_calls": 3, "turns": 2, "cost_usd": 0.5}
    assert _limit(made, **within) == "PASS"
    for name, most in within.items():
        assert _limit(made, **{**within, name: most - 1 if name != "cost_usd" else 0.4}) == "FAIL", name


def test_the_evidence_names_the_figure_that_is_above(material: Make) -> None:
    """With what was found and what is allowed."""
    result = check_limit(Limit(id="l", text="l", tokens=10, seconds=60), material())
    assert result.evidence == "tokens: 15 of 10"


@pytest.mark.parametrize(
    ("trial", "most"),
    [
        ({"usage": Usage(input_tokens=1)}, {"tokens": 9}),
        ({"cost_usd": None}, {"cost_usd": 9}),
        ({"duration_ms": None}, {"seconds": 9}),
        ({"tool_calls": None}, {"tool_calls": 9}),
        ({"n_turns": None}, {"turns": 9}),
    ],
)
def test_an_unknown_figure_is_no_pass(material: Make, trial: dict[str, Any], most: dict[str, Any]) -> None:
    """Unless another one is above its limit anyway."""
    with pytest.raises(Undecided, match="not known of this trial"):
        _limit(material(**trial), **most)
    another = {"turns": 1} if "turns" not in most else {"tool_calls": 1}
    told = {"n_turns": 5} if "turns" not in most else {"tool_calls": {"Bash": 5}}
    assert _limit(material(**trial, **told), **most, **another) == "FAIL"


def test_files_and_lines_are_counted(material: Make) -> None:
    """A deleted file is touched too; a binary one has no lines, and text inside a hunk cannot pose as a remark of ours."""
    made = material(records=FILES)
    assert _scope(made, PATCH, max_files_touched=3, max_lines_changed=3) == "PASS"
    assert _scope(made, PATCH, max_files_touched=2) == "FAIL"
    assert _scope(made, PATCH, max_lines_changed=2) == "FAIL"


def test_nothing_changed_is_within_nothing(material: Make) -> None:
    """An empty patch is known to be empty."""
    assert _scope(material(), "", max_files_touched=0, max_lines_changed=0) == "PASS"


def test_what_is_not_shown_leaves_only_a_fail_certain(material: Make) -> None:
    """The patch was cut, or a file was too large for it."""
    made = material(records=FILES)
    for remark in ("# cut: the differences are longer than 1 MiB\n", "# not shown: 'big.txt'\n"):
        assert _scope(made, PATCH + remark, max_lines_changed=2) == "FAIL"
        with pytest.raises(Undecided, match="lines changed: at least 3 of 3; not all is known"):
            _scope(made, PATCH + remark, max_lines_changed=3)


def test_files_that_nobody_could_list_leave_the_count_open(material: Make) -> None:
    """One file is known, and there may be more."""
    marker = OutputFile(path="…", change="created", kept=False, note="too many")
    made = material(records=[FILES[0], marker])
    with pytest.raises(Undecided, match="files changed: at least 1 of 1; not all is known: too many"):
        _scope(made, "", max_files_touched=1)
    assert _scope(made, "", max_files_touched=0) == "FAIL"


def test_without_a_record_of_changes_there_is_no_verdict(material: Make) -> None:
    """An import has none."""
    with pytest.raises(Undecided, match="no record of what was changed"):
        _scope(material(), None, max_files_touched=5)
