"""Conduct of a trial, with the places of its plan."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.execute.observation import conduct_of
from skilltrial.ports import TrialFolders
from skilltrial.records.conduct import Conduct
from skilltrial.records.events import ToolCall
from skilltrial.records.plan import Arm, HarnessChoice, Plan
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Suite
from skilltrial.records.trial import Discovery, HarnessResult

ROOT = Path("/base/task-1")
FOLDERS = TrialFolders(root=ROOT, work=ROOT / "work", home=ROOT / "home", tmp=ROOT / "tmp", skill=None)
OLD = SkillRef(name="tidy-old", folder="/elsewhere/tidy-old", fingerprint="sha256:0")
NEW = SkillRef(name="tidy", folder="/me/tidy", fingerprint="sha256:1")


def observed(
    command: str,
    *,
    isolation: str = "folder",
    folders: TrialFolders | None = FOLDERS,
    discovery: Discovery = "natural",
    skill: SkillRef = NEW,
) -> Conduct | None:
    """Of a trial whose agent runs a command."""
    plan = Plan(
        skilltrial_version="0",
        created_at="",
        skill=skill,
        suite=Suite(dialect="native", path="/me/tidy/evals/evals.json", digest="", cases=()),
        arms=(Arm(name="new", role="treatment", skill=skill), Arm(name="old", role="baseline", skill=OLD)),
        trials=(),
        harness=HarnessChoice(name="stub"),
        seed=1,
        runs=1,
        timeout_s=1,
        digest="",
    )
    call = ToolCall(ordinal=0, call_id="1", name="bash", input={"command": command})
    result = HarnessResult(outcome="completed", events=(call,), discovery=discovery)
    return conduct_of(
        result, folders, plan, workspace=Path("/me/tidy-workspace"), isolation=isolation, tells_denials=False
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/me/tidy/SKILL.md", "skill"),
        ("/elsewhere/tidy-old/SKILL.md", "skill"),
        ("/me/tidy/evals/expected.json", "evals"),
        ("/me/tidy-workspace/iteration-1", "workspace"),
        (str(Path(__file__).parents[2] / "src/skilltrial/errors.py"), "program"),
    ],
)
def test_what_a_place_has_to_do_with_the_trial(path: str, expected: str) -> None:
    """The skills of all arms, the eval files in them, the workspace, and this program."""
    conduct = observed(f"cat {path}")
    assert conduct is not None
    assert conduct.live is not None
    assert [read.source for read in conduct.live] == [expected]


def test_a_folder_around_the_trials_is_no_source() -> None:
    """Else every path of the trial's own would be a read of it."""
    around = SkillRef(name="tidy", folder="/base", fingerprint="sha256:1")
    conduct = observed("cat /base/other.md", skill=around)
    assert conduct is not None
    assert conduct.live == ()


@pytest.mark.parametrize(
    ("isolation", "expected"),
    [
        ("folder", ("/tmp/x", "/etc/y")),
        ("bwrap (bubblewrap 1): …", ("/etc/y",)),
        ("docker 1: …", ()),
    ],
)
def test_what_a_sandbox_makes_private(isolation: str, expected: tuple[str, ...]) -> None:
    """A /tmp of its own, or the whole machine."""
    conduct = observed("touch /tmp/x /etc/y", isolation=isolation)
    assert conduct is not None
    assert conduct.outside == expected


def test_replays_and_trials_without_folders_are_not_looked_at() -> None:
    """Their paths are those of another time, or of none."""
    assert observed("touch /etc/y", discovery="recorded") is None
    assert observed("touch /etc/y", folders=None) is None
