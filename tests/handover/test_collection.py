"""Taking back what somebody else's agent did."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from bench import SUITE, Bench, stream_of

from skilltrial.errors import SpecError
from skilltrial.report.next_step import next_step


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Two tasks of Claude Code's, handed out."""
    made = Bench(root=tmp_path)
    made.prepare(harness="claude-code", model="sonnet")
    return made


def test_results_trickle_in(bench: Bench) -> None:
    """What is missing is said and not invented; each is taken once; at the end the benchmark is that of a run."""
    ids = bench.ids()
    nothing = bench.collect()
    assert [receipt.state for receipt in nothing.receipts] == ["missing", "missing"]
    (bench.out / ids[True] / "work/report.md").write_text("Rows: 2\n")
    bench.hand_back(ids[True])
    half = bench.collect()
    assert {receipt.id: receipt.state for receipt in half.receipts} == {ids[True]: "collected", ids[False]: "missing"}
    assert half.evaluation.benchmark.lift is None or half.evaluation.benchmark.lift.estimate is None
    assert next_step(half.evaluation.benchmark).startswith("1 task has no result yet: `skilltrial collect` again")
    bench.hand_back(ids[False])
    whole = bench.collect()
    assert {receipt.id: receipt.state for receipt in whole.receipts} == {ids[True]: "kept", ids[False]: "collected"}
    lift = whole.evaluation.benchmark.lift
    assert lift is not None
    assert lift.estimate == 1.0
    outputs = bench.workspace / "iteration-1/eval-report/with_skill/run-1/outputs"
    assert (outputs / "report.md").read_text() == "Rows: 2\n"
    assert not (outputs / "data.csv").exists()


def test_what_is_not_told_is_unknown(bench: Bench) -> None:
    """No time, no tokens, no cost, no evidence, and no isolation of ours."""
    bench.hand_back(bench.ids()[True])
    page = bench.collect().evaluation.page
    record = bench.record("with_skill")
    assert (record["outcome"], record["final_message"]) == ("completed", "Done.")
    assert {record[key] for key in ("duration_ms", "cost_usd", "started_at", "tool_calls", "n_tool_errors")} == {None}
    assert set(record["usage"].values()) == {None}
    assert record["evidence"]["loaded"] is None
    assert record["isolation"].startswith("operator")
    assert record["harness"]["name"] == "claude-code"
    for report in (page, page.with_name("benchmark.md")):
        assert "did not isolate" in " ".join(report.read_text().split())
    timing = bench.workspace / "iteration-1/eval-report/with_skill/run-1/timing.json"
    assert json.loads(timing.read_text())["duration_ms"] is None


def test_a_stream_tells_the_rest(bench: Bench) -> None:
    """Events, evidence, tokens and cost, as in a run; in the arm without the skill nothing of it."""
    ids = bench.ids()
    bench.hand_back(ids[True], stream_jsonl=stream_of("Done.", skill="csv-report"))
    bench.hand_back(ids[False], stream_jsonl=stream_of("Done."))
    bench.collect()
    record = bench.record("with_skill")
    assert (record["evidence"]["loaded"], record["tool_calls"]) == (True, {"Skill": 1})
    assert (record["usage"]["input_tokens"], record["usage"]["output_tokens"], record["cost_usd"]) == (100, 20, 0.25)
    assert record["harness"]["version"] == "2.1.0"
    assert bench.record("without_skill")["evidence"]["loaded"] is False


def test_a_stream_that_tells_of_a_refused_key_is_no_result(bench: Bench) -> None:
    """It is an error of a tool, said at every time; the task may be done again."""
    token = bench.ids()[True]
    bench.hand_back(token, "Please log in.", stream_jsonl=stream_of("Please log in.", is_error=True))
    assert {receipt.state for receipt in bench.collect().receipts} == {"failed", "missing"}
    assert {receipt.state for receipt in bench.collect().receipts} == {"failed", "missing"}
    bench.hand_back(token, "Done.", stream_jsonl=stream_of("Done."))
    assert {receipt.state for receipt in bench.collect().receipts} == {"collected", "missing"}
    assert bench.record("with_skill")["outcome"] == "completed"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("thinking...\n", "not in the format claude-code"),
        (stream_of("Done.").rpartition('{"type": "result"')[0], "does not come to its end"),
    ],
)
def test_a_stream_that_is_none_or_a_part_is_refused(bench: Bench, text: str, said: str) -> None:
    """What is missing in it would look like what was not done; a part is all that there is after a time-out."""
    token = bench.ids()[True]
    bench.hand_back(token, stream_jsonl=text)
    receipt = next(receipt for receipt in bench.collect().receipts if receipt.id == token)
    assert receipt.state == "refused"
    assert said in receipt.why
    bench.hand_back(token, stream_jsonl=stream_of("Done.").splitlines()[1], timing_json='{"timed_out": true}')
    bench.collect()
    assert bench.record("with_skill")["outcome"] == "timed_out"


def test_an_empty_stream_is_none(bench: Bench) -> None:
    """Nothing is known of the tool calls then, so that a check that forbids one is not passed."""
    bench.hand_back(bench.ids()[True], stream_jsonl="\n")
    bench.collect()
    assert bench.record("with_skill")["tool_calls"] is None
    metrics = bench.workspace / "iteration-1/eval-report/with_skill/run-1/outputs/metrics.json"
    assert json.loads(metrics.read_text())["total_tool_calls"] is None


def test_timing_is_taken_where_it_is_told(bench: Bench) -> None:
    """Milliseconds, tokens, cost; other keys are left alone."""
    told = {"duration_ms": 81000, "input_tokens": 1200, "output_tokens": 340, "cost_usd": 0.02, "mood": "good"}
    bench.hand_back(bench.ids()[True], timing_json=json.dumps(told))
    bench.collect()
    record = bench.record("with_skill")
    assert (record["duration_ms"], record["cost_usd"], record["outcome"]) == (81000, 0.02, "completed")
    assert record["usage"]["input_tokens"] == 1200


@pytest.mark.parametrize("told", [{"timed_out": True}, {"duration_ms": 600_001}])
def test_what_took_longer_than_the_limit_timed_out(bench: Bench, told: dict[str, object]) -> None:
    """Whether it was stopped or not: the limit is the same for all."""
    bench.hand_back(bench.ids()[True], timing_json=json.dumps(told))
    bench.collect()
    assert bench.record("with_skill")["outcome"] == "timed_out"


@pytest.mark.parametrize("text", ["{", "[]", '{"duration_ms": "long"}', '{"cost_usd": -1}', '{"cost_usd": NaN}'])
def test_timing_that_makes_no_sense_is_refused(bench: Bench, text: str) -> None:
    """With the reason, and nothing is recorded."""
    token = bench.ids()[True]
    bench.hand_back(token, timing_json=text)
    receipt = next(receipt for receipt in bench.collect().receipts if receipt.id == token)
    assert receipt.state == "refused"
    assert "timing.json" in receipt.why


def test_a_change_after_it_was_collected_is_refused(bench: Bench) -> None:
    """The first result stays; without a change it is kept, also when its folder is gone."""
    token = bench.ids()[True]
    bench.hand_back(token)
    bench.collect()
    (bench.out / token / "work/report.md").write_text("Rows: 2\n")
    changed = next(receipt for receipt in bench.collect().receipts if receipt.id == token)
    assert (changed.state, bench.record("with_skill")["files"]) == ("refused", [])
    (bench.out / token).rename(bench.root / "elsewhere")
    assert "kept" in {receipt.state for receipt in bench.collect().receipts}


def test_what_an_agent_left_as_a_trap_is_not_followed(bench: Bench) -> None:
    """Links, pipes, half characters and a changed name of the folder: said, and nothing outside is read."""
    secret = bench.root / "secret"
    secret.write_text("nobody reads this")
    ids = bench.ids()
    work = bench.out / ids[True] / "work"
    (work / "link.md").symlink_to(secret)
    os.mkfifo(work / "pipe")
    bench.hand_back(ids[True], timing_json='{"model": "\\ud800"}')
    (bench.out / ids[False] / "final.md").symlink_to(secret)
    states = {receipt.id: receipt for receipt in bench.collect().receipts}
    assert states[ids[True]].state == "collected"
    assert {file["path"]: file["kept"] for file in bench.record("with_skill")["files"]} == {
        "link.md": False,
        "pipe": False,
    }
    assert states[ids[False]].state == "refused"
    assert "link" in states[ids[False]].why
    found = [path for path in bench.workspace.rglob("*") if path.is_file() and b"nobody reads" in path.read_bytes()]
    assert found == []


def test_a_work_folder_that_is_gone_or_a_link_is_refused(bench: Bench) -> None:
    """Nothing stands for it."""
    ids = bench.ids()
    for token in ids.values():
        (bench.out / token / "work").rename(bench.out / f"moved-{token}")
        bench.hand_back(token)
    (bench.out / ids[True] / "work").symlink_to(bench.out / f"moved-{ids[True]}")
    assert {receipt.state for receipt in bench.collect().receipts} == {"refused"}


def test_a_key_of_the_persons_is_masked(bench: Bench) -> None:
    """In the message, the stream and the files."""
    bench.env["MY_API_KEY"] = "correct-horse-battery"
    token = bench.ids()[True]
    (bench.out / token / "work/report.md").write_text("correct-horse-battery")
    bench.hand_back(token, "it is correct-horse-battery", stream_jsonl=stream_of("correct-horse-battery"))
    bench.collect()
    assert bench.record("with_skill")["final_message"] == "it is ***"
    assert not [path for path in bench.workspace.rglob("*") if path.is_file() and b"correct-horse" in path.read_bytes()]


def test_the_folder_may_be_moved_and_the_workspace_named(bench: Bench) -> None:
    """The key is in the workspace; where that is was noted, or is said."""
    bench.hand_back(bench.ids()[True])
    moved = bench.root / "moved"
    bench.out.rename(moved)
    bench.env["HOME"] = str(bench.root / "another")
    with pytest.raises(SpecError, match="--workspace"):
        bench.collect(moved)
    states = {receipt.state for receipt in bench.collect(moved, workspace=bench.workspace).receipts}
    assert states == {"collected", "missing"}


@pytest.mark.parametrize("text", ["", "{}", '{"id": "../../etc"}', '{"id": 5}', "[" * 100_000])
def test_a_manifest_that_is_none_is_refused(bench: Bench, text: str) -> None:
    """It may have been in other hands."""
    (bench.out / "manifest.json").write_text(text)
    with pytest.raises(SpecError, match="no manifest"):
        bench.collect()


def test_a_codebase_is_handed_out_and_compared_with(tmp_path: Path) -> None:
    """Each task has its own copy; what the agent changed in it is what comes back."""
    bench = Bench(root=tmp_path)
    (tmp_path / "csv-report/evals/app").mkdir()
    (tmp_path / "csv-report/evals/app/main.py").write_text("print(1)\n")
    bench.write_suite({**SUITE, "evals": [{**SUITE["evals"][0], "codebase": {"path": "app"}}]})
    bench.prepare()
    token = bench.ids()[True]
    file = bench.out / token / "work/main.py"
    assert file.read_text() == "print(1)\n"
    file.write_text("print(2)\n")
    bench.hand_back(token)
    bench.collect()
    assert [(entry["path"], entry["change"]) for entry in bench.record("with_skill")["files"]] == [
        ("main.py", "modified")
    ]
    patch = bench.workspace / "iteration-1/eval-report/with_skill/run-1/diff.patch"
    assert "-print(1)\n+print(2)\n" in patch.read_text()
