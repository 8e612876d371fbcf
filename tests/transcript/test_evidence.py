"""Evidence about the skill, on recorded streams and on made-up events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from skilltrial.records.events import Event, Notice, SessionStarted, ToolCall, ToolResult
from skilltrial.records.trial import SkillEvidence
from skilltrial.transcript.claude_code import listing_in, parse
from skilltrial.transcript.evidence import skill_evidence
from skilltrial.transcript.formats import FORMATS

GOLDEN = Path(__file__).parent.parent / "golden" / "claude_code"
SKILL_TOOLS = ("Skill",)


def evidence(events: list[Event], name: str = "csv-report", **more: Any) -> SkillEvidence:
    """Evidence with Claude Code's tool names."""
    return skill_evidence(events, name, skill_tools=SKILL_TOOLS, **more)


def call(name: str, given: Any, *, is_error: bool | None = None, agent: str | None = None) -> list[Event]:
    """A call and its result."""
    return [
        ToolCall(ordinal=0, call_id="c", name=name, input=given, agent=agent),
        ToolResult(ordinal=1, call_id="c", text="", is_error=is_error, agent=agent),
    ]


# (offered, attempted, loaded, read); all others are offered=False and nothing else
SEEN = {
    "success_with_skill": (True, True, True, False),
    "baseline_leak_user_skill": (True, True, True, False),
    "permission_denied": (True, True, True, False),
    "skill_file_read_only": (True, False, False, True),
}


@pytest.mark.parametrize("path", sorted(GOLDEN.iterdir()), ids=lambda path: path.stem)
def test_recorded_streams(path: Path) -> None:
    """What each recording shows of the skill."""
    with path.open(encoding="utf-8") as lines:
        found = evidence(list(parse(lines).events))
    expected = SEEN.get(path.stem, (False, False, False, False))
    assert (found.offered, found.attempted, found.loaded, found.read) == expected


@pytest.mark.parametrize("written", ["csv-report", "/csv-report", "csv-report:csv-report", "some-plugin:csv-report"])
def test_ways_to_write_the_name(written: str) -> None:
    """Slashes and plug-in prefixes make no other skill."""
    assert evidence(call("Skill", {"skill": written})).loaded is True


def test_another_skill_is_another_skill() -> None:
    """A name that only contains it does not count."""
    found = evidence(call("Skill", {"skill": "my-csv-report"}))
    assert (found.attempted, found.loaded) == (False, False)


def test_a_failed_load_is_attempted_only() -> None:
    """The agent asked, and got nothing."""
    found = evidence(call("Skill", {"skill": "csv-report"}, is_error=True))
    assert (found.attempted, found.loaded) == (True, False)


def test_a_call_without_a_result_is_attempted_only() -> None:
    """The run was cut in between."""
    found = evidence(call("Skill", {"skill": "csv-report"})[:1])
    assert (found.attempted, found.loaded) == (True, False)


def test_sub_agents_count() -> None:
    """Whoever loads it, it got to work."""
    assert evidence(call("Skill", {"skill": "csv-report"}, agent="t1")).loaded is True


def test_other_names_of_the_skill_count() -> None:
    """The folder's name where it differs from the front matter's."""
    assert evidence(call("Skill", {"skill": "folder"}), also=("folder",)).loaded is True


@pytest.mark.parametrize(
    ("tool", "given", "read"),
    [
        ("Read", {"file_path": "/w/.claude/skills/csv-report/SKILL.md"}, True),
        ("Bash", {"command": "cat '.claude/skills/csv-report/SKILL.md' | head"}, True),
        ("shell", {"command": ["bash", "-lc", "sed -n 1,9p csv-report/SKILL.md"]}, True),
        ("Read", {"file_path": "C:\\w\\csv-report\\SKILL.md"}, True),
        ("Read", {"file_path": "/w/my-csv-report/SKILL.md"}, False),
        ("Read", {"file_path": "/w/csv-report/README.md"}, False),
        ("Write", {"file_path": "/w/csv-report/SKILL.md", "content": "x"}, False),
        ("Agent", {"prompt": "read csv-report/SKILL.md"}, False),
    ],
)
def test_reading_the_file(tool: str, given: Any, read: bool) -> None:
    """A tool that names the file has read it, unless it is a writing one."""
    assert evidence(call(tool, given)).read is read


@pytest.mark.parametrize(
    ("command", "output", "read"),
    [
        ("cat .agents/skills/*/SKILL.md", "---\nname: csv-report\ndescription: x\n---\n", True),
        ("cd .agents/skills/csv-report && cat -n SKILL.md", "     1\t---\n     2\tname: 'csv-report'\n", True),
        ("cat .agents/skills/*/SKILL.md", "---\nname: my-csv-report\n---\n", False),
        ("ls .agents/skills/*/SKILL.md", ".agents/skills/csv-report/SKILL.md\n", False),
        ("cat data.yaml", "name: csv-report\n", False),
    ],
)
def test_reading_the_file_by_another_name(command: str, output: str, read: bool) -> None:
    """Agents read it by a pattern or after a `cd`; what came back tells."""
    events: list[Event] = [
        ToolCall(ordinal=0, call_id="c", name="shell", input={"command": command}),
        ToolResult(ordinal=1, call_id="c", text=output, is_error=False),
    ]
    assert evidence(events).read is read


def test_a_failed_read_is_no_read() -> None:
    """The file was not there."""
    assert evidence(call("Read", {"file_path": "/w/csv-report/SKILL.md"}, is_error=True)).read is False


def test_without_a_listing_offered_is_unknown() -> None:
    """Not seen is not absent."""
    assert evidence([SessionStarted(ordinal=0)]).offered is None
    assert evidence([SessionStarted(ordinal=0, skills=())]).offered is False
    assert evidence([SessionStarted(ordinal=0, skills=("p:csv-report",))]).offered is True


def test_without_events_nothing_is_known() -> None:
    """Nothing happened that could tell."""
    assert evidence([]) == SkillEvidence()


def test_hostile_input_is_no_problem() -> None:
    """Arguments of any shape are looked through."""
    for given in (None, 5, [], [[{"a": [1, None]}]], {"skill": ["csv-report"]}, {"skill": None}):
        assert evidence(call("Skill", given)).attempted is False


LISTING = "- csv-report: Turns a CSV file into a\n  short report &amp; more.\n- other: Else."


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("Turns a CSV file into a short report & more.", True),
        ("Turns a CSV file into a short report & more. Use it often.", False),
        ("", None),
        (None, None),
    ],
)
def test_a_whole_description(description: str | None, expected: bool | None) -> None:
    """White space and escapes aside; without a description there is nothing to look for."""
    events: list[Event] = [SessionStarted(ordinal=0, skills=("csv-report",), listing=LISTING)]
    assert evidence(events, description=description).described is expected


def test_without_a_listing_nothing_is_known_of_the_description() -> None:
    """Names alone do not tell."""
    assert evidence([SessionStarted(ordinal=0, skills=("csv-report",))], description="Turns").described is None


def test_the_listing_of_a_session_file() -> None:
    """As Claude Code keeps it, among other rows."""
    whole = "Turns a CSV file into a short Markdown report. Use when the user asks to summarise a CSV."
    attachment = {"type": "skill_listing", "content": f"- csv-report: {whole}", "names": ["csv-report"]}
    listing = listing_in(["{}", "no JSON", json.dumps({"type": "attachment", "attachment": attachment})])
    assert listing == f"- csv-report: {whole}"
    assert listing_in(["{}"]) is None
    assert evidence([SessionStarted(ordinal=0, listing=listing)], description=whole).described is True
    assert evidence([SessionStarted(ordinal=0, listing="- csv-report")], description=whole).described is False


def test_pi_shows_its_listing() -> None:
    """With the description in it."""
    path = GOLDEN.parent / "pi" / "success_with_skill.jsonl"
    with path.open(encoding="utf-8") as lines:
        events = FORMATS["pi"].read(lines, prompt=None, beside={}).events
    whole = "Write release notes for this project in the house style. Use when the user asks for release notes"
    assert evidence(list(events), "release-notes", description=f"{whole} or a changelog entry.").described is True


def test_refusals_are_noted_once() -> None:
    """Claude Code tells each in the stream and again in the result; others of its family in the result alone."""
    with (GOLDEN / "permission_denied.jsonl").open(encoding="utf-8") as lines:
        rows = lines.readlines()
    quiet = [row for row in rows if '"subtype":"permission_denied"' not in row]
    assert len(quiet) == len(rows) - 1
    for stream in (rows, quiet):
        codes = [event.code for event in parse(stream).events if isinstance(event, Notice)]
        assert codes.count("permission_denied") == 1


@pytest.mark.parametrize(
    ("error", "expected"),
    [("The user rejected permission to use this specific tool call.", 1), ("ENOENT: no such file", 0)],
)
def test_refusals_of_opencode(error: str, expected: int) -> None:
    """They are told as errors of the tool, in these words."""
    state = {"status": "error", "input": {"filePath": "a"}, "error": error}
    row = json.dumps({"type": "tool_use", "part": {"tool": "write", "callID": "c", "state": state}})
    events = FORMATS["opencode"].read([row], prompt=None, beside={}).events
    assert sum(isinstance(event, Notice) and event.code == "permission_denied" for event in events) == expected


def codex_session(*texts: str) -> str:
    """A session file of Codex with what it told its model."""
    content = [{"type": "input_text", "text": text} for text in texts]
    return json.dumps({"type": "response_item", "payload": {"role": "developer", "content": content}}) + "\n"


@pytest.mark.parametrize(
    ("session", "expected"),
    [
        (
            codex_session(
                "<skills_instructions>\n- csv-report: Turns a CSV\n- not: a skill (file: r0/csv-report/SKILL.md)\n"
                "- docs:pdf: Reads (file: r1/pdf/SKILL.md)\n</skills_instructions>"
            ),
            ("csv-report", "docs:pdf"),
        ),
        (codex_session("<permissions instructions>"), ()),
        (codex_session("<skills_instructions>\nin another form"), None),
        ("", None),
    ],
)
def test_the_listing_of_codex(session: str, expected: tuple[str, ...] | None) -> None:
    """Its session file has it; where the model was told of no skill there was none."""
    row = json.dumps({"type": "thread.started", "thread_id": "t"})
    events = FORMATS["codex"].read([row], prompt=None, beside={"session": session}).events
    assert [event.skills for event in events if isinstance(event, SessionStarted)] == [expected]
