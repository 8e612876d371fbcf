"""What a transcript shows of writes outside, reads of the sources, refusals and other copies of the skill."""

from __future__ import annotations

from typing import Any

import pytest

from skilltrial.execute.conduct import Grounds, observe
from skilltrial.records.conduct import Conduct
from skilltrial.records.events import AssistantMessage, Event, Notice, SessionStarted, ToolCall, ToolResult, UserMessage

GROUNDS = Grounds(
    root="/tmp/task-1",
    work="/tmp/task-1/work",
    home="/tmp/task-1/home",
    tmp="/tmp/task-1/tmp",
    live=(("evals", "/me/skills/tidy/evals"), ("skill", "/me/skills/tidy"), ("workspace", "/me/tidy-workspace")),
)
"""Where a trial is, and what it should not meet."""


def call(name: str, given: Any, *, is_error: bool | None = None, text: str = "") -> list[Event]:
    """A call and its result."""
    return [
        ToolCall(ordinal=0, call_id=name, name=name, input=given),
        ToolResult(ordinal=1, call_id=name, text=text, is_error=is_error),
    ]


def seen(events: list[Event], **more: Any) -> Conduct:
    """What is observed of a trial of the skill `tidy`."""
    found = observe(events, more.pop("grounds", GROUNDS), names={"tidy"}, **more)
    assert found is not None
    return found


def test_without_events_nothing_is_known() -> None:
    """No transcript is no clean record."""
    assert observe([], GROUNDS, names={"tidy"}) is None


def test_without_calls_there_was_nothing_to_inspect() -> None:
    """Writes and reads stay unknown."""
    conduct = seen([AssistantMessage(ordinal=0, text="Done.")])
    assert (conduct.n_inspected, conduct.outside, conduct.live) == (0, None, None)


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Write", {"file_path": "/tmp/task-1/work/a.md", "content": "/etc/x"}, ()),
        ("Write", {"file_path": "a.md"}, ()),
        ("write", {"filePath": "/etc/x"}, ("/etc/x",)),
        ("write_file", {"path": "../../other/x"}, ("/tmp/other/x",)),
        ("create", {"path": "/etc/x", "file_text": ""}, ("/etc/x",)),
        ("file_system.write_file", {"filePath": "/etc/x"}, ("/etc/x",)),
        ("apply_patch", {"changes": [{"path": "/etc/x", "kind": "add"}]}, ("/etc/x",)),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: /etc/x\n+a\n*** End Patch"}, ("/etc/x",)),
        ("Bash", {"command": "echo a > /etc/x; echo b > /dev/null"}, ("/etc/x",)),
        ("shell", {"command": ["bash", "-lc", "echo a > /etc/x"]}, ("/etc/x",)),
        ("bash", {"command": "echo a > $TMPDIR/x; echo b > ~/y; echo c > z"}, ()),
        ("Read", {"file_path": "/etc/x"}, ()),
        ("str_replace_editor", {"command": "view", "path": "/etc/x"}, ()),
    ],
)
def test_writes_outside(name: str, given: Any, expected: tuple[str, ...]) -> None:
    """By the argument that says where, and by the words of a command."""
    assert seen(call(name, given)).outside == expected


def test_a_refused_write_is_none() -> None:
    """The tool says that it failed; a command that fails may have written before."""
    assert seen(call("Write", {"file_path": "/etc/x"}, is_error=True)).outside == ()
    assert seen(call("Bash", {"command": "echo > /etc/x; false"}, is_error=True)).outside == ("/etc/x",)


def test_private_places_are_not_outside() -> None:
    """In a sandbox with a /tmp of its own."""
    own = Grounds(root="/tmp/t", work="/tmp/t/work", home="/tmp/t/home", tmp="/tmp/t/tmp", private=("/tmp",))
    assert seen(call("Write", {"file_path": "/tmp/x"}), grounds=own).outside == ()


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("Read", {"file_path": "/me/skills/tidy/SKILL.md"}, [("skill", "/me/skills/tidy/SKILL.md")]),
        ("Bash", {"command": "cat /me/skills/tidy/evals/evals.json"}, [("evals", "/me/skills/tidy/evals/evals.json")]),
        ("Grep", {"pattern": "x", "path": "/me/tidy-workspace"}, [("workspace", "/me/tidy-workspace")]),
        ("shell", {"command": "cat ../../../me/skills/tidy/a.md | wc"}, [("skill", "/me/skills/tidy/a.md")]),
        ("Read", {"file_path": "/me/skills/tidy-up/SKILL.md"}, []),
        ("Read", {"file_path": "/tmp/task-1/work/.claude/skills/tidy/SKILL.md"}, []),
        ("Write", {"file_path": "a.md", "content": "see /me/skills/tidy/SKILL.md"}, []),
    ],
)
def test_reads_of_the_sources(name: str, given: Any, expected: list[tuple[str, str]]) -> None:
    """By any argument but a text that is written."""
    live = seen(call(name, given)).live
    assert live is not None
    assert [(read.source, read.path) for read in live] == expected


def test_a_failed_read_is_none() -> None:
    """What a sandbox kept out of reach was not read."""
    assert seen(call("Read", {"file_path": "/me/skills/tidy/SKILL.md"}, is_error=True)).live == ()


def test_denials_are_counted_where_the_program_tells_them() -> None:
    """None of them is 0 only from a program that reports them."""
    refused = [Notice(ordinal=0, code="permission_denied"), *call("Read", {"file_path": "a"})]
    assert seen(refused).n_denials == 1
    assert seen(call("Read", {"file_path": "a"})).n_denials is None
    assert seen(call("Read", {"file_path": "a"}), tells_denials=True).n_denials == 0


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (
            [
                UserMessage(
                    ordinal=0, text="Base directory for this skill: /me/.claude/skills/tidy\n\nx", synthetic=True
                )
            ],
            ("/me/.claude/skills/tidy",),
        ),
        (call("skill", {"name": "tidy"}, text="Resources loaded from `/etc/skills/tidy`:"), ("/etc/skills/tidy",)),
        (call("read", {"path": "/me/.agents/skills/tidy/SKILL.md"}), ("/me/.agents/skills/tidy",)),
        (call("read", {"path": "/me/.agents/skills/other/SKILL.md"}), ()),
        (call("read", {"path": ".agents/skills/tidy/SKILL.md"}), ()),
        (
            [
                UserMessage(
                    ordinal=0, text="Base directory for this skill: /tmp/task-1/home/skills/tidy", synthetic=True
                )
            ],
            (),
        ),
    ],
)
def test_other_copies_of_the_skill(events: list[Event], expected: tuple[str, ...]) -> None:
    """By what the program says when it loads one, or by the file that is read."""
    assert seen(events).shadows == expected


def test_the_listing_is_kept() -> None:
    """All names that the program says it knows."""
    assert seen([SessionStarted(ordinal=0, skills=("tidy", "other"))]).listed == ("tidy", "other")
    assert seen([SessionStarted(ordinal=0)]).listed is None


def test_what_an_agent_names_is_cut() -> None:
    """Twenty places of at most 300 characters."""
    command = "; ".join(f"touch /x/{'y' * 400}{n}" for n in range(5)) + "".join(f"; touch /{n}" for n in range(60))
    outside = seen(call("Bash", {"command": command})).outside
    assert outside is not None
    assert len(outside) == 20
    assert max(map(len, outside)) == 300
