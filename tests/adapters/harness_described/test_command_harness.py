"""Any program as an agent, by its command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from harness_contract import make_request, run

from skilltrial.adapters.harness.described.command import CommandHarness, create
from skilltrial.adapters.harness.described.harness import DescribedHarness
from skilltrial.errors import SpecError
from skilltrial.ports import HarnessSettings, TrialRequest
from skilltrial.records.trial import HarnessResult, Reason

ENV = {"PATH": "/usr/bin:/bin", "MY_LOGIN": "correct-horse-battery", "OTHER": "not for it"}


def make(*args: str, model: str | None = None) -> CommandHarness:
    """The harness for a command line."""
    return create(HarnessSettings(env=ENV, args=args, model=model))


def play(tmp_path: Path, *args: str) -> HarnessResult:
    """One run in `tmp_path/work`."""
    return run(make(*args), make_request(tmp_path))


def test_the_task_goes_to_standard_input_where_no_place_is_named(tmp_path: Path) -> None:
    """Its output is the answer; what it did to the skill nobody can tell."""
    result = play(tmp_path, "sed 's/^/heard: /'")
    assert (result.outcome, result.final_message) == ("completed", "heard: Summarise data.csv")
    assert result.evidence.reached is None
    assert result.usage.total_tokens is None


@pytest.mark.parametrize("line", ["cat {prompt_file}", "echo {prompt}", "printf %s {prompt}"])
def test_the_task_goes_where_its_place_is(tmp_path: Path, line: str) -> None:
    """A file, or an argument of its own whatever is in it."""
    assert play(tmp_path, line).final_message == "Summarise data.csv"


def test_further_arguments_come_after_the_line(tmp_path: Path) -> None:
    """As with every harness."""
    assert play(tmp_path, "echo one", "two words").final_message == "one two words"


def test_another_exit_code_is_a_failure_of_the_agent(tmp_path: Path) -> None:
    """It counts, with what it said; it is no error of a tool."""
    result = play(tmp_path, "sh -c 'echo half; echo no idea >&2; exit 3'")
    assert (result.outcome, result.exit_code, result.final_message) == ("agent_failed", 3, "half")
    assert result.reason is not None
    assert result.reason.message == "sh ended (exit code 3): no idea."


@pytest.mark.parametrize("script", ["exit 127", "kill -9 $$"])
def test_what_never_started_or_was_killed_is_an_error_of_a_tool(tmp_path: Path, script: str) -> None:
    """A shell says 127 where it found no program; nobody ends with a signal on purpose."""
    assert play(tmp_path, f"sh -c '{script}'").outcome == "harness_error"


def test_an_end_that_nobody_saw_is_no_failure_of_the_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an exit code nothing is known of how it went."""
    lost = HarnessResult(outcome="harness_error", reason=Reason(code="crashed", message="gone."), exit_code=None)

    async def inner(_self: DescribedHarness, _request: TrialRequest) -> HarnessResult:
        return lost

    monkeypatch.setattr(DescribedHarness, "run", inner)
    assert play(tmp_path, "true") == lost


def test_variables_in_front_are_the_agents(tmp_path: Path) -> None:
    """A value as it stands, or with `$` the person's own; that one is masked, and nothing else is carried."""
    result = play(tmp_path, "KEY=$MY_LOGIN MODE=fast sh -c 'env; cp /dev/null out; test $KEY = correct-horse-battery'")
    assert result.outcome == "completed"
    said = (result.final_message or "").splitlines()
    assert {"KEY=***", "MODE=fast"} <= set(said)
    assert not [line for line in said if line.startswith(("OTHER=", "MY_LOGIN="))]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "needs a command line"),
        (("",), "names no program"),
        (("A=1",), "names no program"),
        (("agent 'half",), "No closing quotation"),
        (("agent {promt}",), "{promt}"),
        (("agent {skill}",), "{skill}"),
        (("./agent {prompt}",), "'./agent' is a relative path"),
        (("KEY=$NOT_THERE agent",), "NOT_THERE"),
    ],
)
def test_what_is_no_command_line_is_said(args: tuple[str, ...], said: str) -> None:
    """Before anything starts."""
    with pytest.raises(SpecError, match=r".") as caught:
        make(*args)
    assert said in str(caught.value)


@pytest.mark.parametrize("line", ["sh -c 'my-agent {prompt}'", "env A=1 /bin/bash -lc 'my-agent \"{prompt}\"'"])
def test_a_task_is_no_part_of_a_script(line: str) -> None:
    """A shell would run what stands in it, and a task may be anybody's text."""
    with pytest.raises(SpecError, match=r"puts the task into a script.*\$1"):
        make(line)


def test_a_task_as_an_argument_of_a_script_is_not_run(tmp_path: Path) -> None:
    """The way that the message shows."""
    request = replace(make_request(tmp_path), prompt="$(echo run) `echo run`; echo run")
    result = run(make("""sh -c 'printf %s "$1"' sh {prompt}"""), request)
    assert result.final_message == "$(echo run) `echo run`; echo run"


def test_a_model_cannot_be_passed_on() -> None:
    """It is part of the command line, or of nothing."""
    with pytest.raises(SpecError, match="--model"):
        make("agent", model="big")


@pytest.mark.parametrize(("line", "ready"), [("cat", True), ("no-such-program-here", False)])
def test_the_probe_starts_nothing(line: str, ready: bool) -> None:
    """It looks for the program only."""
    status = anyio.run(make(line).probe)
    assert (status.installed, status.ready, status.version) == (ready, ready, None)
