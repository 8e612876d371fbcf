"""A workspace of finished trials, and the commands on it with a judge behind an API that answers from a script."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
from comparison_words import GOOD

from skilltrial.adapters.store.folder import FolderStore
from skilltrial.cli.analyse_page import analyse_and_print
from skilltrial.cli.compare_page import compare_and_print
from skilltrial.grade.native import to_native
from skilltrial.journal import note
from skilltrial.operations.analysing import AnalyseRequest, analyse
from skilltrial.operations.comparing import CompareRequest, compare
from skilltrial.plan.iteration import freeze
from skilltrial.records import layout
from skilltrial.records.grading import AssertionResult, Grading
from skilltrial.records.journal import Exclusion
from skilltrial.records.plan import Arm, HarnessChoice, Plan, PlannedTrial
from skilltrial.records.skill import SkillRef
from skilltrial.records.suite import Case, LlmJudge, Suite
from skilltrial.records.trial import Attempt, HarnessFacts, OutputFile, SkillEvidence, Trial, TrialKey
from skilltrial.records.usage import Usage
from skilltrial.testing.mock_llm import MockLLM

SKILL = SkillRef(name="csv-sum", folder="/home/somebody/skills/csv-sum", fingerprint="sha256:0")


class Bench:
    """A workspace with one iteration, and the commands on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[str] = []
        self.picture = b""
        """Left by each trial as chart.png, where there is one."""
        self.comparisons = folder / "iteration-1/comparisons"

    def fill(
        self,
        messages: Mapping[str, Mapping[str, Sequence[str | None]]],
        *,
        assertions: Sequence[LlmJudge] = (),
        families: Mapping[str, str] | None = None,
    ) -> Plan:
        """Trials by case and arm, with their final messages by repeat; None: it ended in an error of a tool."""
        arms = list(next(iter(messages.values())))
        plan = _plan(messages, arms, tuple(assertions), families or {})
        store = FolderStore(self.folder, write=True, durable=False)
        freeze(store, plan, 1)
        for planned in plan.trials:
            key = planned.key
            self.put(store, key, messages[key.case_id][key.arm][key.repeat - 1])
        store.close()
        return plan

    def put(self, store: FolderStore, key: TrialKey, message: str | None) -> None:
        """One trial with its transcript, and a file that says the same as the message."""
        folder = layout.trial_dir(1, key)
        data = (message or "").encode()
        events = [
            {"kind": "assistant_message", "text": f"Using the csv-sum skill for {key.case_id}."},
            {"kind": "tool_call", "call_id": "1", "name": "Skill", "input": {"skill": "csv-sum"}},
            {"kind": "tool_result", "call_id": "1", "text": "Launching skill: csv-sum"},
            {"kind": "assistant_message", "text": message or "…"},
        ]
        lines = "".join(json.dumps({"ordinal": n, **event}) + "\n" for n, event in enumerate(events))
        store.write(f"{folder}/{layout.TRANSCRIPT}", lines.encode())
        files = {"answer.txt": data, **({"chart.png": self.picture} if self.picture else {})}
        made = [
            OutputFile(path=path, change="created", size=len(each), sha256=hashlib.sha256(each).hexdigest())
            for path, each in files.items()
        ]
        trial = _trial(key, message, *made)
        for path, each in files.items():
            store.write(f"{folder}/outputs/{path}", each)
        store.write(f"{folder}/{layout.TRIAL}", trial.model_dump_json().encode())

    def grade(self, verdicts: Mapping[tuple[str, str, int], Mapping[str, str]]) -> None:
        """Gradings, as `grade` writes them."""
        store = FolderStore(self.folder, write=True, durable=False)
        for (case_id, arm, repeat), by_id in verdicts.items():
            key = TrialKey(case_id=case_id, arm=arm, repeat=repeat)
            results = tuple(_result(id_, verdict) for id_, verdict in by_id.items())
            grading = Grading(key=key, results=results, digest="sha256:0")
            value = to_native(grading, _trial(key, GOOD))
            store.write(f"{layout.trial_dir(1, key)}/{layout.GRADING}", json.dumps(value).encode())
        store.close()

    def leave_out(self, *keys: tuple[str, str, int], excluded: bool = True, reason: str = "The API was slow.") -> None:
        """What a person does in the review page."""
        store = FolderStore(self.folder, write=True, durable=False)
        for case_id, arm, repeat in keys:
            key = TrialKey(case_id=case_id, arm=arm, repeat=repeat)
            word = {"id": uuid4().hex, "at": datetime.now(UTC), "by": "somebody", "iteration": 1}
            note(store, Exclusion.model_validate({**word, "key": key, "excluded": excluded, "reason": reason}))
        store.close()

    def compare(self, rules: Sequence[dict[str, Any]], *arms: str, as_json: bool = True, **more: Any) -> int:
        """The exit code; `asked` has what the judge heard."""
        with MockLLM({"name": "judge", "rules": list(rules)}) as mock:
            request = CompareRequest(
                workspace=self.folder, env=variables(mock), arms=arms, **{"judge": "openai:m", **more}
            )
            try:
                return compare_and_print(request, as_json=as_json, ask_above_usd=5, yes=False)
            finally:
                self.asked = _bodies(mock)

    def analyse(self, rules: Sequence[dict[str, Any]], *arms: str, as_json: bool = True, **more: Any) -> int:
        """The same of `analyse`."""
        with MockLLM({"name": "judge", "rules": list(rules)}) as mock:
            request = AnalyseRequest(
                workspace=self.folder, env=variables(mock), arms=arms, **{"judge": "openai:m", **more}
            )
            try:
                return analyse_and_print(request, as_json=as_json, ask_above_usd=5, yes=False)
            finally:
                self.asked = _bodies(mock)

    def made(self, rules: Sequence[dict[str, Any]], reply: dict[str, Any]) -> None:
        """Compared by these rules, then analysed with this reply, in a thread: the browser of a test has the loop of this one."""
        with MockLLM({"name": "judge", "rules": [{"when": {"prompt": "Why did"}, "reply": reply}, *rules]}) as mock:
            asked: dict[str, Any] = {"workspace": self.folder, "env": variables(mock), "judge": "openai:m"}

            async def agree(_outlay: object) -> None:
                pass

            async def both() -> None:
                await compare(CompareRequest(**asked), agree=agree)
                await analyse(AnalyseRequest(**asked), agree=agree)

            with ThreadPoolExecutor() as pool:
                pool.submit(anyio.run, both).result()

    def read(self, name: str) -> Any:
        """A file below comparisons/."""
        return json.loads((self.comparisons / name).read_bytes())


def variables(mock: MockLLM) -> dict[str, str]:
    """Of somebody whose OpenAI is the scripted server."""
    return {"OPENAI_API_KEY": "dummy-key", "OPENAI_BASE_URL": mock.url(openai=True)}


def _bodies(mock: MockLLM) -> list[str]:
    return [json.dumps(call["body"], ensure_ascii=False) for call in mock.log.select() if call["method"] == "POST"]


def _plan(
    messages: Mapping[str, Mapping[str, Sequence[str | None]]],
    arms: Sequence[str],
    assertions: tuple[LlmJudge, ...],
    families: Mapping[str, str],
) -> Plan:
    cases = [
        Case(id=name, prompt=f"Add {name}.", assertions=assertions, family=families.get(name)) for name in messages
    ]
    keys = [
        TrialKey(case_id=case.id, arm=arm, repeat=repeat)
        for case in cases
        for arm in arms
        for repeat in range(1, 1 + len(messages[case.id][arm]))
    ]
    return Plan(
        skilltrial_version="0.0.777",
        created_at="2026-01-01T00:00:00Z",
        skill=SKILL,
        suite=Suite(dialect="mixed", path="/evals.json", digest="sha256:0", cases=tuple(cases)),
        arms=tuple(
            Arm(name=arm, role="baseline", skill=None)
            if arm == "without_skill"
            else Arm(name=arm, role="treatment", skill=SKILL)
            for arm in arms
        ),
        trials=tuple(PlannedTrial(key=key, seed=1) for key in keys),
        harness=HarnessChoice(name="claude-code", version="9.8.7"),
        seed=1,
        runs=1,
        timeout_s=60,
        digest="sha256:0",
    )


def _trial(key: TrialKey, message: str | None, *files: OutputFile) -> Trial:
    outcome = "completed" if message is not None else "harness_error"
    reason = None if message is not None else {"code": "api_error", "message": "The API was down."}
    return Trial.model_validate(
        {
            "key": key,
            "outcome": outcome,
            "reason": reason,
            "final_message": message,
            "started_at": "2026-01-01T00:00:00.000Z",
            "duration_ms": 12_500,
            "usage": Usage(input_tokens=10, output_tokens=5),
            "harness": HarnessFacts(name="claude-code"),
            "evidence": SkillEvidence(),
            "attempts": (Attempt(outcome="completed", started_at="2026-01-01T00:00:00.000Z", duration_ms=12_500),),
            "isolation": "folder",
            "seed": 1,
            "plan_digest": "sha256:0",
            "files": files,
        }
    )


def _result(id_: str, verdict: str) -> AssertionResult:
    return AssertionResult.model_validate(
        {"id": id_, "text": f"Point {id_}.", "type": "llm_judge", "verdict": verdict, "evidence": "", "grader": "judge"}
    )
