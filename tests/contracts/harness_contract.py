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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import anyio
import pytest
from situations import ALWAYS_429, ENDS, FAILING_TOOLS, LASTING, TIMES_S, End, end_of, litter

from skilltrial.ports import Harness, PlacedSkill, TrialRequest
from skilltrial.records.events import ToolCall, ToolResult, UserMessage
from skilltrial.records.trial import HarnessResult, Reason
from skilltrial.testing.mock_llm import SCENARIOS, MockLLM

SECRET = "sk-contract-0123456789abcdef"
"""The key that every bench gives to its harness."""

Bench = Callable[[MockLLM, str, str], Harness]
"""(server, scenario, run) -> a harness whose model is that scenario."""

AT_ONCE = 5
"""So many programs run at a time: most of them wait, for time limits and between their tries."""
LONGER = 4
"""So many times as long a program gets whose time was over before it could show its end: the machine may be busy."""

SKILL = """---
name: csv-report
description: Turns a CSV file into a short Markdown report. Use when the user asks to summarise a CSV.
---
# CSV report

Read the CSV, count the rows, write report.md, then check it with `wc -l`.
"""

BESIDE = "Makes tables out of prose, when somebody asks for one."

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

REMEMBERS = {
    "name": "remembers",
    "usage": {"input": 1200, "output": 12},
    "rules": [
        {"when": {"prompt": "And now", "context": ["Summarise data"]}, "reply": {"text": "I remember the task."}},
        {"when": {"prompt": "And now"}, "reply": {"text": "What task?"}},
        {"reply": {"text": "Shall I make it short?"}},
    ],
}

LOADS_AND_WAITS = {
    "name": "loads_and_waits",
    "rules": [
        {"when": {"tools_offered": False}, "reply": {"text": "CSV report"}},
        {"when": {"prompt": "^Warmup$"}, "reply": {"text": "Ready."}},
        {"when": {"step": 0}, "reply": {"calls": [{"tool": "$skill", "input": {"name": "csv-report"}}]}},
        {
            "when": {"step": 1},
            "reply": {"calls": [{"tool": "$run", "input": {"command": "cat data.csv && sleep 300"}}]},
        },
        {"reply": {"text": "That took long."}},
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


def lay_beside(root: Path) -> None:
    """Another skill, with the description `BESIDE`."""
    (root / "table-maker").mkdir(parents=True)
    (root / "table-maker/SKILL.md").write_text(f"---\nname: table-maker\ndescription: {BESIDE}\n---\n# Tables\n")


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


async def finish(harness: Harness, request: TrialRequest) -> HarnessResult:
    """Runs one request on a harness and closes it; nothing may be left running, or be made beside the given folders."""
    before = set(request.work.parent.iterdir())
    try:
        result = await harness.run(request)
    finally:
        await harness.aclose()
    assert processes_with(request.mark) == []
    assert set(request.work.parent.iterdir()) == before
    return result


def run(harness: Harness, request: TrialRequest) -> HarnessResult:
    """The same, to the end."""
    return anyio.run(finish, harness, request)


def check_with_the_skill(request: TrialRequest, result: HarnessResult, mock: MockLLM, *, n_calls: int) -> None:
    """It was loaded by the agent itself, and the work was done with the agent's tools."""
    assert result.outcome == "completed", result.reason
    assert result.final_message == "report.md is written; the CSV has 2 rows."
    assert result.evidence.loaded is True
    assert result.evidence.attempted is True
    assert result.evidence.offered is not False
    assert (request.work / "report.md").read_text() == "# Report\n\nRows: 2\n"
    calls = [event.call_id for event in result.events if isinstance(event, ToolCall)]
    answers = [event.call_id for event in result.events if isinstance(event, ToolResult)]
    assert len(calls) == n_calls
    assert answers == calls
    assert [record["rule"] for record in mock.log.select("with") if record.get("step")] == [
        "read the data",
        "write the report",
        "check the report",
        "finish",
    ]
    assert result.usage.requests == 5
    assert result.usage.output_tokens == 300


def check_without_the_skill(request: TrialRequest, result: HarnessResult, mock: MockLLM) -> None:
    """Neither the skill's name nor its text is in any request."""
    assert result.outcome == "completed", result.reason
    assert result.final_message == "I have no skill for this; here is a guess: the file has some rows."
    assert result.evidence.reached is not True
    assert result.evidence.offered is not True
    requests = mock.log.select("without")
    assert requests
    assert not any("csv-report" in str(record["body"]) for record in requests if "body" in record)
    assert not (request.work / "report.md").exists()


def check_cut(request: TrialRequest, result: HarnessResult) -> None:
    """The skill was loaded, and that was the end of the agent and of its processes."""
    assert (result.outcome, result.reason, result.cut) == ("completed", None, True)
    assert result.evidence.reached is True
    assert processes_with(request.mark) == []


class HarnessContract:
    """Subclass it as `TestSomething` and give it the fixture `bench`."""

    word = ""
    """A part of the names of what its program would leave in a person's folders."""
    differs: Mapping[str, End] = MappingProxyType({})
    """Where the program ends otherwise than the table says."""
    at_times: Mapping[str, End] = MappingProxyType({})
    """How it may end as well, by chance."""
    times_s: Mapping[str, float] = MappingProxyType({})
    """Time limits other than those of the table."""
    tells_late = False
    """Its stream shows a loaded skill only when it ends."""
    n_last_calls = 0
    """Calls that do nothing but tell that the work is done."""
    patience_s = 90.0
    """How long a program is let try again where the service keeps failing."""

    persons_skills: str | None = None
    """Where `skilltrial skill install` puts a skill for all projects, below the home; None where nobody knows."""

    @pytest.fixture
    def mock(self) -> Iterator[MockLLM]:
        """The scripted model server."""
        with MockLLM(SCENARIOS, SPILLS_KEY, ALWAYS_429, FAILING_TOOLS, REMEMBERS, LOADS_AND_WAITS) as server:
            yield server

    def test_a_plain_answer_completes(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """Final message, usage, ordered events, both raw files; a skill where a person's own are looked for is offered."""
        request = make_request(tmp_path)
        if self.persons_skills is not None:
            lay_beside(request.home / self.persons_skills)
        harness = bench(mock, "text", "plain")
        result = run(harness, request)
        assert (result.outcome, result.reason) == ("completed", None)
        assert result.final_message == "Hello from the mock model."
        assert (result.usage.input_tokens, result.usage.output_tokens) == (1200, 12)
        assert result.usage.requests == 1
        assert [event.ordinal for event in result.events] == list(range(len(result.events)))
        assert (request.capture / harness.capabilities.stream_name).stat().st_size > 0
        assert (request.capture / "stderr.txt").exists()
        told = mock.log.select("plain")
        assert not any(record["problems"] for record in told if "problems" in record)
        assert self.persons_skills is None or BESIDE in json.dumps([record["body"] for record in told])

    def test_a_session_goes_on(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """A second message reaches a model that sees the first; what is counted, and told, is of the second alone."""
        harness = bench(mock, "remembers", "two")
        if not harness.capabilities.resumes:
            return  # it says so, and is never asked
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

    def test_with_and_without_the_skill_at_the_same_time(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """One finds and loads it by itself, the other hears nothing of it, and nothing is left in a person's folders.

        A third is asked for no more than loading it, and has no time for what would come then. A skill that lies beside it, where
        the program is said to find such, is offered to each of them.
        """
        before = litter(self.word)
        harnesses = {name: bench(mock, "skill", name) for name in ("with", "without")}
        root = harnesses["with"].capabilities.skill_root
        requests = {
            "with": make_request(tmp_path / "a", skill_root=root),
            "without": make_request(tmp_path / "b"),
        }
        if not self.tells_late:
            harnesses["cut"] = bench(mock, "loads_and_waits", "cut")
            requests["cut"] = replace(make_request(tmp_path / "c", skill_root=root), until_loaded=True)
        beside = harnesses["with"].capabilities.finds_siblings
        for request in requests.values() if beside else ():
            lay_beside(request.work / root)
        results: dict[str, HarnessResult] = {}

        async def work(name: str) -> None:
            results[name] = await finish(harnesses[name], requests[name])

        async def both() -> None:
            async with anyio.create_task_group() as group:
                for name in requests:
                    group.start_soon(work, name)

        anyio.run(both)
        check_with_the_skill(requests["with"], results["with"], mock, n_calls=4 + self.n_last_calls)
        check_without_the_skill(requests["without"], results["without"], mock)
        if not self.tells_late:
            check_cut(requests["cut"], results["cut"])
        offered = {name for name in requests if BESIDE in json.dumps([call["body"] for call in mock.log.select(name)])}
        assert offered == (set(requests) if beside else set())
        assert litter(self.word) - before == set()

    def test_every_situation_ends_as_the_table_says(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """Outcome, effect on the verdict and tokens; a failure of the service is never one of the skill's, nor the reverse."""
        with MockLLM(SCENARIOS) as gone:
            pass
        expected = {name: self._with_last_calls(end) for name, end in ENDS.items()} | self.differs
        ends: dict[str, End] = {}
        reasons: dict[str, Reason | None] = {}
        limiter = anyio.CapacityLimiter(AT_ONCE)

        async def work(name: str) -> None:
            patience_s = self.patience_s if name in LASTING else 120.0
            timeout_s = {**TIMES_S, **self.times_s}.get(name, patience_s)
            async with limiter:
                for again, longer in (("", 1), ("-again", LONGER)):
                    run_name = f"{name}{again}"
                    harness = bench(gone, "text", run_name) if name == "nobody" else bench(mock, name, run_name)
                    folder = tmp_path / f"{list(expected).index(name)}{again}"
                    result = await finish(harness, make_request(folder, timeout_s=timeout_s * longer))
                    ends[name], reasons[name] = end_of(result, harness.capabilities), result.reason
                    if ends[name] == expected[name] or result.outcome != "timed_out":
                        return

        async def all_of_them() -> None:
            async with anyio.create_task_group() as group:
                for name in expected:
                    group.start_soon(work, name)

        anyio.run(all_of_them)
        expected |= {name: end for name, end in self.at_times.items() if ends[name] == end}
        assert ends == expected, reasons
        assert len(mock.log.select("auth_401")) <= 3, "the whole plan would be refused"

    def test_failing_tools_are_the_agents_own(self, bench: Bench, mock: MockLLM, tmp_path: Path) -> None:
        """A missing file, a command with an exit code, a denied permission: the agent hears of it, and its answer is graded."""
        harness = bench(mock, "failing_tools", "tools")
        result = run(harness, make_request(tmp_path))
        end = End("completed", None, "graded", (3600, 160), 3, "All three failed, so I stop here.")
        assert end_of(result, harness.capabilities) == self._with_last_calls(end)
        assert [event.is_error for event in result.events if isinstance(event, ToolResult)][:3] == [True] * 3

    def _with_last_calls(self, end: End) -> End:
        return end._replace(n_calls=end.n_calls + self.n_last_calls) if end.outcome == "completed" else end

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


class TurnLimitContract:
    """For programs with a limit of turns; needs the fixture `limited`, a bench whose agents have one of two turns."""

    at_its_limit = End("agent_failed", "turn_limit", "graded", (1000, 40), 2, "Step 1.")

    def test_its_limit_of_turns_is_an_end_of_the_agents_own(
        self, limited: Bench, mock: MockLLM, tmp_path: Path
    ) -> None:
        """It had its chance: what it left is graded."""
        harness = limited(mock, "endless", "endless")
        assert end_of(run(harness, make_request(tmp_path)), harness.capabilities) == self.at_its_limit
