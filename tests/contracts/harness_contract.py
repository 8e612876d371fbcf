"""What every harness that talks to a model API has to do, checked against the scripted model server.

A harness's test module takes part by a subclass with a fixture that makes harnesses:

    class TestMine(HarnessContract):
        @pytest.fixture
        def bench(self) -> Bench:
            return lambda mock, scenario, run: create(settings for mock.url(scenario, run), with the key SECRET)

The harness must give its agent a shell, and tools to read and write files. Everything here is done with the shipped
scenarios: `run` names the run in the server's log.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from skilltrial.ports import Harness, PlacedSkill, TrialRequest
from skilltrial.records.events import ToolCall, ToolResult, UserMessage
from skilltrial.records.trial import HarnessResult
from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

SECRET = "sk-contract-0123456789abcdef"
"""The key that every bench gives to its harness."""

Bench = Callable[[MockLLM, str, str], Harness]
"""(server, scenario, run) -> a harness whose model is that scenario."""

SKILL = """---
name: csv-report
description: Turns a CSV file into a short Markdown report. Use when the user asks to summarise a CSV.
---
# CSV report

Read the CSV, count the rows, write report.md, then check it with `wc -l`.
"""

SPILLS_KEY = {
    "name": "spills_key",
    "rules": [
        {
            "when": {"step": 0},
            "reply": {
                "text": f"The key is {SECRET}.",
                "calls": [{"tool": "$run", "input": {"command": f"env; echo {SECRET}"}}],
            },
        },
        {"reply": {"text": f"I saw {SECRET}."}},
    ],
}
ALWAYS_429 = {
    "name": "always_429",
    "rules": [{"reply": {"error": {"status": 429, "message": "Too many requests.", "headers": {"retry-after": "1"}}}}],
}

REMEMBERS = {
    "name": "remembers",
    "usage": {"input": 1200, "output": 12},
    "rules": [
        {"when": {"prompt": "And now", "context": ["Summarise data"]}, "reply": {"text": "I remember the task."}},
        {"when": {"prompt": "And now"}, "reply": {"text": "What task?"}},
        {"reply": {"text": "Shall I make it short?"}},
    ],
}


def make_request(root: Path, *, skill_root: str | None = None, timeout_s: float = 120.0) -> TrialRequest:
    """A request in fresh folders; with the skill where a skill root is given."""
    work, home, tmp, capture = (root / name for name in ("work", "home", "tmp", "capture"))
    for folder in (work, home, tmp, capture):
        folder.mkdir(parents=True)
    (work / "data.csv").write_text("name,count\napples,3\npears,4\n")
    skill = None
    if skill_root is not None:
        folder = work / skill_root / "csv-report"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL)
        skill = PlacedSkill(name="csv-report", description="Turns a CSV file into a report.", folder=folder)
    return TrialRequest(
        prompt="Summarise data.csv",
        work=work,
        home=home,
        tmp=tmp,
        capture=capture,
        skill=skill,
        model=None,
        timeout_s=timeout_s,
        seed=7,
        mark=secrets.token_hex(16),
    )


def processes_with(mark: str) -> list[int]:
    """Ids of living processes that carry the mark in their environment, however detached; none where there is no /proc."""
    found: list[int] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return [pid for pid in found if pid != os.getpid()]


def run(harness: Harness, request: TrialRequest) -> HarnessResult:
    """Runs one request on a harness, and closes it."""

    async def once() -> HarnessResult:
        try:
            return await harness.run(request)
        finally:
            await harness.aclose()

    return anyio.run(once)


class HarnessContract:
    """Subclass it as `TestSomething` and give it the fixture `bench`."""

    shows_running_calls = True
    """Whether the program tells of a tool call before it has ended."""

    @pytest.fixture
    def mock(self) -> Iterator[MockLLM]:
        """The scripted model server."""
        with MockLLM(SCENARIOS, SPILLS_KEY, ALWAYS_429, REMEMBERS) as server:
            yield server

    def test_a_plain_answer_completes(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """Final message, usage, ordered events, and both raw files are there."""
        request = make_request(tmp_path)
        harness = bench(mock, "text", "plain")
        result = run(harness, request)
        assert (result.outcome, result.reason) == ("completed", None)
        assert result.final_message == "Hello from the mock model."
        assert (result.usage.input_tokens, result.usage.output_tokens) == (1200, 12)
        assert result.usage.requests == 1
        assert [event.ordinal for event in result.events] == list(range(len(result.events)))
        assert (request.capture / harness.capabilities.stream_name).stat().st_size > 0
        assert (request.capture / "stderr.txt").exists()
        assert not any(record["problems"] for record in mock.log.select("plain") if "problems" in record)

    def test_a_session_goes_on(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """A second message reaches a model that sees the first; what is counted, and told, is of the second alone."""
        harness = bench(mock, "remembers", "two")
        if not harness.capabilities.resumes:
            pytest.skip("it cannot go on with a session")
        request = make_request(tmp_path, skill_root=harness.capabilities.skill_root)
        (tmp_path / "second").mkdir()

        async def twice() -> tuple[HarnessResult, HarnessResult]:
            first = await harness.run(request)
            again = replace(request, prompt="And now?", resume=first.session, capture=tmp_path / "second")
            return first, await harness.run(again)

        first, second = anyio.run(twice)
        assert first.session is not None
        assert (second.outcome, second.reason, second.final_message) == ("completed", None, "I remember the task.")
        assert [event.text for event in second.events if isinstance(event, UserMessage)] == ["And now?"]
        for each in (first, second):
            assert (each.usage.input_tokens, each.usage.output_tokens, each.usage.requests) == (1200, 12, 1)
        assert second.cost_usd == first.cost_usd
        assert "Shall I make it short?" in json.dumps(mock.log.select("two")[-1]["body"])

    def test_the_skill_is_found_and_loaded(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """With the skill in its place the agent loads it by itself, and works with its tools."""
        harness = bench(mock, "skill", "with")
        request = make_request(tmp_path, skill_root=harness.capabilities.skill_root)
        result = run(harness, request)
        assert result.outcome == "completed", result.reason
        assert result.evidence.loaded is True
        assert result.evidence.attempted is True
        assert result.evidence.offered is not False
        assert (request.work / "report.md").read_text() == "# Report\n\nRows: 2\n"
        calls = [event.call_id for event in result.events if isinstance(event, ToolCall)]
        answers = [event.call_id for event in result.events if isinstance(event, ToolResult)]
        assert len(calls) == 4
        assert answers == calls
        assert [record["rule"] for record in mock.log.select("with") if record.get("step")] == [
            "read the data",
            "write the report",
            "check the report",
            "finish",
        ]
        assert result.usage.requests == 5

    def test_without_the_skill_nothing_of_it_reaches_the_model(
        self, bench: Bench, mock: MockLLM, tmp_path: Path
    ) -> None:
        """In the baseline neither the skill's name nor its text is in any request."""
        result = run(bench(mock, "skill", "without"), make_request(tmp_path))
        assert result.outcome == "completed", result.reason
        assert result.evidence.reached is not True
        assert result.evidence.offered is not True
        requests = mock.log.select("without")
        assert requests
        assert not any("csv-report" in str(record["body"]) for record in requests if "body" in record)

    def test_a_silent_model_times_out(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """The time limit holds whatever the model does, and nothing is left running."""
        request = make_request(tmp_path, timeout_s=3.0)
        begun = time.monotonic()
        result = run(bench(mock, "hang", "hang"), request)
        assert result.outcome == "timed_out"
        assert result.reason is not None
        assert result.reason.code == "timeout"
        assert time.monotonic() - begun < 60
        assert processes_with(request.mark) == []

    def test_a_time_out_keeps_what_was_done(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """A tool that takes too long is killed; the events until then are there."""
        request = make_request(tmp_path, timeout_s=10.0)  # it has to get as far as its tool, on a busy machine too
        result = run(bench(mock, "slow_tool", "slow"), request)
        assert result.outcome == "timed_out"
        calls = [event for event in result.events if isinstance(event, ToolCall)]
        assert len(calls) == (1 if self.shows_running_calls else 0)
        assert processes_with(request.mark) == []

    def test_a_refused_key_ends_it(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """401 is `auth_failed`, after few requests: the whole plan would be refused."""
        result = run(bench(mock, "auth_401", "auth"), make_request(tmp_path))
        assert result.outcome == "harness_error"
        assert result.reason is not None
        assert result.reason.code == "auth_failed"
        assert len(mock.log.select("auth")) <= 3

    def test_a_passing_rate_limit_is_waited_for(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """429 twice, then an answer: the harness's own client retries, or it says `rate_limited`."""
        result = run(bench(mock, "rate_limit_then_ok", "busy"), make_request(tmp_path))
        if result.outcome == "completed":
            assert result.final_message == "Third time lucky."
        else:
            assert result.reason is not None
            assert (result.outcome, result.reason.code) == ("harness_error", "rate_limited")

    def test_a_lasting_rate_limit_is_a_tool_error(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """429 for ever is `rate_limited`, never a result."""
        result = run(bench(mock, "always_429", "limit"), make_request(tmp_path))
        assert result.outcome == "harness_error"
        assert result.reason is not None
        assert result.reason.code == "rate_limited"

    def test_a_broken_service_is_a_tool_error(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """500 for ever is `api_error`, never a result, and has no final message of the agent's."""
        result = run(bench(mock, "server_500", "500"), make_request(tmp_path))
        assert result.outcome == "harness_error"
        assert result.reason is not None
        assert result.reason.code == "api_error"
        assert result.final_message is None

    def test_an_unknown_model_is_a_tool_error(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """404 for the model is `model_not_found`."""
        result = run(bench(mock, "unknown_model", "404"), make_request(tmp_path))
        assert result.outcome == "harness_error"
        assert result.reason is not None
        assert result.reason.code == "model_not_found"

    @pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
    def test_cancelling_leaves_no_process(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """A cancelled run takes its whole tree with it, and the cancellation goes through."""
        request = make_request(tmp_path)
        harness = bench(mock, "slow_tool", "cancel")
        returned: list[HarnessResult] = []

        async def work() -> None:
            returned.append(await harness.run(request))

        async def cancelled() -> None:
            with anyio.fail_after(60):
                async with anyio.create_task_group() as group:
                    group.start_soon(work)
                    while not processes_with(request.mark) or not mock.log.select("cancel"):  # noqa: ASYNC110 - other processes
                        await anyio.sleep(0.05)
                    await anyio.sleep(1.0)
                    group.cancel_scope.cancel()
            await harness.aclose()
            await harness.aclose()

        anyio.run(cancelled)
        assert returned == []
        assert processes_with(request.mark) == []

    def test_two_runs_at_once_do_not_disturb_each_other(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """One with the skill and one without, at the same time: each has its own end."""
        one, other = bench(mock, "skill", "one"), bench(mock, "skill", "other")
        requests = {
            "one": make_request(tmp_path / "one", skill_root=one.capabilities.skill_root),
            "other": make_request(tmp_path / "other"),
        }
        results: dict[str, HarnessResult] = {}

        async def work(name: str, harness: Harness) -> None:
            results[name] = await harness.run(requests[name])
            await harness.aclose()

        async def both() -> None:
            async with anyio.create_task_group() as group:
                group.start_soon(work, "one", one)
                group.start_soon(work, "other", other)

        anyio.run(both)
        assert results["one"].final_message == "report.md is written; the CSV has 2 rows."
        assert results["other"].final_message == "I have no skill for this; here is a guess: the file has some rows."
        assert results["one"].evidence.loaded is True
        assert results["other"].evidence.reached is not True
        assert not (requests["other"].work / "report.md").exists()

    def test_the_key_reaches_no_file_and_no_record(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """An agent that prints the key cannot get it into the stream, stderr, events or final message."""
        request = make_request(tmp_path)
        result = run(bench(mock, "spills_key", "spill"), request)
        assert result.outcome == "completed", result.reason
        assert SECRET not in result.model_dump_json()
        files = [path for path in request.capture.rglob("*") if path.is_file()]
        assert files
        assert not [path.name for path in files if SECRET.encode() in path.read_bytes()]

    def test_closing_twice_is_fine(self, bench: Bench, mock: MockLLM) -> None:
        """`aclose` may be called twice, also where nothing was run."""
        harness = bench(mock, "text", "closed")

        async def twice() -> None:
            await harness.aclose()
            await harness.aclose()

        anyio.run(twice)
