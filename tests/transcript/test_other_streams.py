"""Streams of agent programs other than Claude Code: what each recording says, worked out by hand from how it was made.

In every recording an answer of the model took 1000 fresh, 200 cached and 40 output tokens (Gemini: 50, its reasoning comes on
top). `calls` is the number of answers; `-` stands for tokens that the program does not tell.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from golden_streams import GOLDEN, PROMPT, read, recordings, tools
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.records.events import Notice, SessionStarted, UserMessage
from skilltrial.records.tool_calls import calls_by_name, failed_calls
from skilltrial.transcript.evidence import skill_evidence
from skilltrial.transcript.formats import FORMATS

DONE, HELLO, SORRY, RUNNING = "Wrote NOTES.md.", "Hello.", "Could not do it.", "Running it."
SKILL_TOOLS = {"kimi-code": "Skill", "gemini-cli": "activate_skill"}
Expected = tuple[int | None, bool, str | None, str]
"""Answers of the model (None: not told), whether it finished, its last message, its tools."""
EXPECTED: dict[str, dict[str, Expected]] = {
    "codex": {
        "success_with_skill": (4, True, DONE, "shell shell apply_patch"),
        "success_without_skill": (2, True, DONE, "apply_patch"),
        "success_gpt_apply_patch": (2, True, DONE, "apply_patch"),
        "skill_explicit": (2, True, DONE, "apply_patch"),
        "structured_output": (1, True, '{"a":"x"}', ""),
        "tool_error": (3, True, SORRY, "shell! shell!"),
        "api_401": (None, False, None, ""),
        "rate_limit_429": (None, False, None, ""),
        "server_500": (None, False, None, ""),
        "timeout_sigterm": (None, False, RUNNING, "shell?"),
    },
    "opencode": {
        "success_with_skill": (4, True, DONE, "skill read write"),
        "success_without_skill": (2, True, DONE, "write"),
        "skill_file_read_only": (3, True, DONE, "bash read"),
        "tool_error": (3, True, SORRY, "read! bash!"),
        "api_401": (None, False, None, ""),
        "rate_limit_429_then_ok": (1, True, HELLO, ""),
        "server_500": (None, False, None, ""),
        "timeout_sigterm": (None, False, RUNNING, ""),
    },
    "gemini-cli": {
        "success_with_skill": (4, True, DONE, "activate_skill read_file write_file"),
        "success_without_skill": (2, True, DONE, "write_file"),
        "skill_file_read_only": (3, True, DONE, "run_shell_command read_file"),
        "tool_error": (3, True, SORRY, "read_file! run_shell_command"),
        "api_401": (None, False, None, ""),
        "rate_limit_429_then_ok": (1, True, HELLO, ""),
        "server_500": (None, False, None, ""),
        "max_turns": (2, False, None, "run_shell_command run_shell_command"),
        "timeout_sigterm": (None, False, RUNNING, "run_shell_command?"),
    },
    "pi": {
        "success_with_skill": (4, True, DONE, "read read write"),
        "success_without_skill": (2, True, DONE, "write"),
        "skill_explicit": (2, True, DONE, "write"),
        "tool_error": (3, True, SORRY, "read! bash!"),
        "api_401": (None, False, None, ""),
        "rate_limit_429_then_ok": (1, True, HELLO, ""),
        "server_500": (None, False, None, ""),
        "timeout_sigterm": (1, False, RUNNING, "bash?"),
    },
    "qwen-code": {
        "success_with_skill": (4, True, DONE, "skill read_file write_file"),
        "success_without_skill": (2, True, DONE, "write_file"),
        "skill_file_read_only": (3, True, DONE, "run_shell_command read_file"),
        "skill_explicit": (2, True, DONE, "write_file"),
        "structured_output": (1, True, '{"a":"x"}', "structured_output"),
        "tool_error": (3, True, SORRY, "read_file! run_shell_command!"),
        "api_401": (None, False, None, ""),
        "rate_limit_429_then_ok": (1, True, HELLO, ""),
        "server_500": (None, False, None, ""),
        "max_turns": (2, False, None, "run_shell_command run_shell_command"),
        "timeout_sigterm": (1, False, RUNNING, "run_shell_command?"),
    },
    "mistral-vibe": {
        "success_with_skill": (4, True, DONE, "skill file_system.read_file file_system.write_file"),
        "success_without_skill": (2, True, DONE, "file_system.write_file"),
        "skill_file_read_only": (3, True, DONE, "file_system.bash file_system.read_file"),
        "skill_explicit": (2, True, DONE, "skill file_system.write_file"),
        "tool_error": (3, True, SORRY, "file_system.read_file! file_system.bash!"),
        "api_401": (None, False, None, ""),
        "rate_limit_429_then_ok": (1, True, HELLO, ""),
        "max_turns": (2, False, None, "file_system.bash file_system.bash"),
        "timeout_sigterm": (1, False, RUNNING, "file_system.bash!"),
    },
    "kimi-code": {
        "success_with_skill": (4, True, DONE, "Skill Read Write"),
        "success_without_skill": (2, True, DONE, "Write"),
        "skill_file_read_only": (3, True, DONE, "Bash Read"),
        "tool_error": (3, True, SORRY, "Read! Bash!"),
        "api_401": (None, False, None, ""),
        "rate_limit_429_then_ok": (1, True, HELLO, ""),
        "server_500": (None, False, None, ""),
        "timeout_sigterm": (1, False, RUNNING, "Bash"),
    },
    "copilot-cli": {
        "success_with_skill": (4, True, DONE, "skill view create"),
        "success_without_skill": (2, True, DONE, "create"),
        "skill_file_read_only": (3, True, DONE, "bash view"),
        "tool_error": (3, True, SORRY, "view! bash!"),
        "api_401": (None, False, None, ""),
        "rate_limit_429_then_ok": (1, True, HELLO, ""),
        "server_500": (None, False, None, ""),
        "timeout_sigterm": (None, False, RUNNING, "bash?"),
        "interrupted_before_an_answer": (None, False, None, ""),
    },
    "mini-swe-agent": {"success_with_skill": (3, True, "Done", "bash bash! bash")},
}
ERRORS: dict[str, str] = {
    "codex/api_401": "401 Unauthorized",
    "codex/rate_limit_429": "429 Too Many Requests",
    "codex/server_500": "high demand",
    "opencode/api_401": "Incorrect API key",
    "opencode/server_500": "boom",
    "gemini-cli/api_401": '"code":401',
    "gemini-cli/server_500": '"code":500',
    "gemini-cli/max_turns": "max session turns",
    "pi/api_401": "401: ",
    "pi/server_500": "500: ",
    "qwen-code/api_401": "401 Incorrect API key",
    "qwen-code/server_500": "500 boom",
    "mistral-vibe/api_401": "Invalid API key",
    "mistral-vibe/max_turns": "turn limit",
    "copilot-cli/api_401": "HTTP 401",
    "copilot-cli/server_500": "500 boom",
}
"""Runs that the program itself ended with an error that its stream tells; in every other one it tells none."""
LISTS_SKILLS = {"pi", "copilot-cli"}
ALL = [(name, stem) for name, streams in EXPECTED.items() for stem in streams]
NAMES = [f"{name}/{stem}" for name, stem in ALL]


def _path(name: str, stem: str) -> Path:
    ending = ".traj.json" if name == "mini-swe-agent" else ".jsonl"
    return GOLDEN / name.replace("-", "_") / f"{stem}{ending}"


def test_every_recording_has_an_expectation() -> None:
    """Nobody adds a recording without saying what it means."""
    found = {(name, path.name.partition(".")[0]) for name in EXPECTED for path in recordings(name)}
    assert found == set(ALL)
    assert set(EXPECTED) == set(FORMATS) - {"text"}


@pytest.mark.parametrize(("name", "stem"), ALL, ids=NAMES)
def test_end_message_and_tools(name: str, stem: str) -> None:
    """How it ended, what the agent said last, which tools it called, and which of them failed."""
    _, finished, message, called = EXPECTED[name][stem]
    stream = read(_path(name, stem))
    assert (stream.finished, stream.final_message, " ".join(tools(stream))) == (finished, message, called)


@pytest.mark.parametrize(("name", "stem"), ALL, ids=NAMES)
def test_tokens_are_counted_alike(name: str, stem: str) -> None:
    """Fresh input, cached input and output, whatever the program calls input and output."""
    calls = EXPECTED[name][stem][0]
    usage = read(_path(name, stem)).usage
    output = 50 if name == "gemini-cli" else 40
    expected = (None, None, None) if calls is None else (1000 * calls, 200 * calls, output * calls)
    assert (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens) == expected
    assert usage.requests in (None, calls)


@pytest.mark.parametrize(("name", "stem"), ALL, ids=NAMES)
def test_errors_that_end_a_run(name: str, stem: str) -> None:
    """An error is told where it ended the run, and none where a retry mended it."""
    failure = read(_path(name, stem)).failure
    words = ERRORS.get(f"{name}/{stem}")
    assert (failure is None) == (words is None)
    assert words is None or words in failure.message


@pytest.mark.parametrize(("name", "stem"), ALL, ids=NAMES)
def test_evidence_of_the_skill(name: str, stem: str) -> None:
    """Loaded with the tool for it, or read as a file, only where it was; offered only where the program lists its skills."""
    no_tool = name in {"codex", "pi", "mini-swe-agent"}
    tool = () if no_tool else (SKILL_TOOLS.get(name, "skill"),)
    evidence = skill_evidence(read(_path(name, stem)).events, "release-notes", skill_tools=tool)
    with_tool = not no_tool and (stem == "success_with_skill" or (name, stem) == ("mistral-vibe", "skill_explicit"))
    as_file = stem == "skill_file_read_only" or (no_tool and stem == "success_with_skill")
    assert (evidence.attempted, evidence.loaded, evidence.read) == (with_tool, with_tool, as_file)
    assert evidence.offered == (stem != "success_without_skill" if name in LISTS_SKILLS else None)


@pytest.mark.parametrize(("name", "stem"), ALL, ids=NAMES)
def test_events_are_in_order(name: str, stem: str) -> None:
    """Numbered from 0, the prompt first, and no line is unknown but Copilot's remarks on its own files."""
    events = read(_path(name, stem)).events
    assert [event.ordinal for event in events] == list(range(len(events)))
    assert isinstance(events[0], UserMessage)
    assert events[0].text == PROMPT
    unknown = [event for event in events if isinstance(event, Notice) and event.code.startswith("un")]
    assert not unknown or name == "copilot-cli"


def test_the_prompt_stands_once() -> None:
    """Programs that repeat the prompt do not make it two."""
    for name in ("gemini-cli", "pi", "mistral-vibe"):
        events = read(_path(name, "success_without_skill")).events
        assert len([event for event in events if isinstance(event, UserMessage)]) == 1, name


def test_retries_that_go_on_are_seen() -> None:
    """What was cut off in the middle of retries says so; what was answered since does not."""
    whole = _path("kimi-code", "server_500")
    assert read(whole).waiting.status == 500
    assert read(_path("kimi-code", "rate_limit_429_then_ok")).waiting is None


def test_times_are_iso() -> None:
    """Milliseconds become ISO 8601 in UTC."""
    stream = read(_path("opencode", "rate_limit_429_then_ok"))
    assert stream.events[1].at == "2026-01-01T00:00:00.982Z"


def test_versions_and_models() -> None:
    """Where the program tells them."""
    assert read(_path("qwen-code", "success_with_skill")).version == "0.24.4"
    assert read(_path("mistral-vibe", "success_with_skill")).version == "3.0.2"
    assert read(_path("kimi-code", "success_with_skill")).version == "2.1.0"
    assert read(_path("copilot-cli", "success_with_skill")).model == "mock-model"
    assert read(_path("gemini-cli", "api_401")).model == "gemini-2.5-flash"


def test_cost_is_added_up() -> None:
    """Four answers at 0.00108; unknown where the program has no price."""
    assert read(_path("opencode", "success_with_skill")).cost_usd == pytest.approx(0.00432)
    assert read(_path("codex", "success_with_skill")).cost_usd is None
    assert read(_path("mini-swe-agent", "success_with_skill")).cost_usd is None


def test_with_a_sub_agent_opencode_tells_no_whole() -> None:
    """Its requests are in no event: a part of the tokens and the cost is not their sum."""
    lines = _path("opencode", "success_with_skill").read_text().splitlines(keepends=True)
    task = {"type": "tool_use", "part": {"callID": "t", "tool": "task", "state": {"status": "completed"}}}
    with_one = FORMATS["opencode"].read([json.dumps(task) + "\n", *lines], prompt=None, beside={})
    alone = FORMATS["opencode"].read(lines, prompt=None, beside={})
    assert alone.usage.total_tokens
    assert (with_one.usage.total_tokens, with_one.usage.requests, with_one.cost_usd) == (None, None, None)
    assert with_one.finished


def test_codex_session_file_counts_what_was_cut_off() -> None:
    """Two of the session's rows of usage are enough for a count of a run without an end."""
    stream = _path("codex", "timeout_sigterm").read_text().splitlines(keepends=True)
    session = (GOLDEN / "codex/success_with_skill.rollout_excerpt.jsonl").read_text()
    kept = [line for line in session.splitlines() if '"token_usage_record"' in line][:2]
    usage = FORMATS["codex"].read(stream, prompt=None, beside={"session": "\n".join(kept)}).usage
    assert (usage.input_tokens, usage.cache_read_tokens, usage.output_tokens, usage.requests) == (2000, 400, 80, 2)


def test_codex_sub_agents_are_calls_and_their_tokens_count() -> None:
    """The stream's own count is of the main agent; the files of all sessions come one behind the other."""
    item = {"id": "i", "type": "collab_tool_call", "tool": "spawn_agent", "prompt": "Count.", "status": "failed"}
    rows = [
        {"type": "item.completed", "item": item},
        {"type": "turn.completed", "usage": {"input_tokens": 700, "output_tokens": 30}},
    ]
    used = {"input_tokens": 700, "output_tokens": 30, "cached_input_tokens": 0}
    record = json.dumps({"type": "token_usage_record", "payload": {"usage": used}})
    stream = FORMATS["codex"].read(map(json.dumps, rows), prompt=PROMPT, beside={"session": f"{record}\n{record}\n"})
    assert tools(stream) == ["spawn_agent!"]
    assert (stream.usage.input_tokens, stream.usage.output_tokens, stream.usage.requests) == (1400, 60, 2)


def test_kimi_says_in_words_that_a_file_could_not_be_written() -> None:
    """Its stream has no mark for a tool's error."""
    lines = [
        '{"role":"assistant","tool_calls":[{"type":"function","id":"c1","function":{"name":"Write","arguments":"{}"}}]}',
        '{"role":"tool","tool_call_id":"c1","content":"write failed: permission denied"}',
    ]
    assert tools(FORMATS["kimi-code"].read(lines, prompt=None, beside={})) == ["Write!"]


def test_gemini_session_file_has_exit_codes_and_requests() -> None:
    """A command that ended with 2 failed, though the stream calls it a success."""
    session = (GOLDEN / "gemini_cli/session_excerpt.jsonl").read_text()
    lines = [
        '{"type":"tool_use","tool_name":"run_shell_command","tool_id":"run_shell_command__call2","parameters":{}}',
        '{"type":"tool_result","tool_id":"run_shell_command__call2","status":"success","output":"x"}',
    ]
    stream = FORMATS["gemini-cli"].read(lines, prompt=None, beside={"session": session})
    assert tools(stream) == ["run_shell_command!"]
    assert (stream.usage.requests, stream.usage.input_tokens, stream.usage.output_tokens) == (3, 3000, 150)


def test_a_plain_answer_is_its_output() -> None:
    """The format `text` has one message and knows no tokens."""
    stream = FORMATS["text"].read(["one\n", "two\n"], prompt="p", beside={})
    assert (stream.final_message, stream.usage.total_tokens, stream.finished) == ("one\ntwo", None, True)


def test_an_answer_cut_by_a_limit_is_no_end() -> None:
    """OpenCode's last step says `length`."""
    lines = ['{"type":"step_finish","part":{"reason":"length","tokens":{"input":1,"output":2}}}']
    stream = FORMATS["opencode"].read(lines, prompt=None, beside={})
    assert stream.finished is False
    assert stream.failure.code == "output_limit"


@pytest.mark.parametrize("name", sorted(EXPECTED))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_any_prefix_is_read(name: str, data: st.DataObject) -> None:
    """A stream may be cut anywhere: what was whole until then is there, in order, and reading does not fail."""
    path = data.draw(st.sampled_from(recordings(name)))
    text = path.read_text()
    cut = text[: data.draw(st.integers(0, len(text)))]
    events = read(path, text=cut).events
    assert [event.ordinal for event in events] == list(range(len(events)))
    whole = [event for event in events if not isinstance(event, Notice | SessionStarted)]
    assert len(whole) <= len(read(path).events)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("name", sorted(EXPECTED))
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_values_of_the_wrong_kind_are_read(name: str, data: st.DataObject) -> None:
    """A value may be anything at any place: nothing fails, and the events can be written."""
    path = data.draw(st.sampled_from(recordings(name)))
    text = path.read_text()
    lines = [text] if name == "mini-swe-agent" else text.splitlines()
    row = json.loads(data.draw(st.sampled_from(lines)))
    place = row
    while isinstance(place, dict | list) and place:
        key = data.draw(st.sampled_from(sorted(place)) if isinstance(place, dict) else st.integers(0, len(place) - 1))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            place[key] = data.draw(JSON)
            break
        place = place[key]
    stream = FORMATS[name].read(
        [json.dumps(row)], prompt=None, beside={key: json.dumps(row) for key in FORMATS[name].beside}
    )
    for event in stream.events:
        event.model_dump_json()
    stream.usage.model_dump_json()


@pytest.mark.parametrize(("name", "stem"), ALL, ids=NAMES)
def test_calls_and_failures_are_counted_for_metrics(name: str, stem: str) -> None:
    """By the name of the tool; `!` failed."""
    called = EXPECTED[name][stem][3].split()
    events = read(_path(name, stem)).events
    assert calls_by_name(events) == Counter(each.rstrip("!?") for each in called)
    assert failed_calls(events) == sum(each.endswith("!") for each in called)
