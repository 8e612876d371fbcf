"""The tree of slow-powers and eval-magic: conditions, run records, and gradings by assertion id."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from skilltrial.adapters.interchange.writers.conversation import conversation_file
from skilltrial.adapters.interchange.writers.figures import figure, without_unknown
from skilltrial.adapters.interchange.writers.losses import documents_lost, unheld
from skilltrial.adapters.interchange.writers.rounds import PAIRS, Round, Run, counted, make_round
from skilltrial.adapters.interchange.writers.transcripts import raw_transcript, tool_invocations
from skilltrial.ports import Export, ExportFile, Loss, Trialled
from skilltrial.records.json_value import Json
from skilltrial.records.layout import OUTPUTS, slug
from skilltrial.records.suite import Case

_ID = re.compile(r"[a-z0-9][a-z0-9-]*")
_INVOKED = "__skill_invoked"
_CONFIDENCE = {"HIGH": 0.9, "MEDIUM": 0.7, "LOW": 0.4}
"""The target has numbers, and takes those below 0.7 for doubtful."""
_CHECKS = frozenset({"transcript_check", "llm_judge", "command_check", "diff_scope"})


class SlowPowers:
    """Satisfies `ports.Exporter`."""

    name = "slow-powers"

    def export(self, iterations: Sequence[Trialled]) -> Export:
        """One folder an iteration."""
        rounds = [make_round(source, flat=False, pairs=PAIRS) for source in iterations]
        return Export(
            files=tuple(file for round_ in rounds for file in _files(round_)),
            losses=tuple(loss for round_ in rounds for loss in (*round_.losses, *_losses(round_))),
        )


def create() -> SlowPowers:
    """For the entry point."""
    return SlowPowers()


def _files(round_: Round) -> list[ExportFile]:
    files = [
        ExportFile(path=f"{round_.place}/conditions.json", content=_conditions(round_)),
        ExportFile(path=f"{round_.place}/benchmark.json", content=_benchmark(round_)),
    ]
    ids = _eval_ids(round_)
    for run in round_.runs:
        several = max(other.trial.key.repeat for other in round_.of(run.arm, run.case)) > 1
        slot = f"{round_.place}/eval-{ids[run.case.id]}/{run.arm}"
        folder = f"{slot}/run-{run.trial.key.repeat}" if several else slot
        files.append(
            ExportFile(path=f"{folder}/run.json", content=_run(round_, run, ids[run.case.id], several=several))
        )
        timing = {"total_tokens": run.tokens, "duration_ms": run.trial.duration_ms, "source": "transcript"}
        files.append(ExportFile(path=f"{folder}/timing.json", content=timing))
        conversation = conversation_file(run)
        if conversation is not None:
            files.append(ExportFile(path=f"{folder}/conversation.json", content=conversation))
        if run.results:
            files.append(ExportFile(path=f"{folder}/grading.json", content=_grading(round_, run)))
        files += run.output_files(f"{folder}/{OUTPUTS}")
    return files


def _eval_ids(round_: Round) -> dict[str, str]:
    """Lower case, digits and dashes; other ids are changed, and none becomes another's."""
    ids: dict[str, str] = {}
    for case in round_.source.plan.suite.cases:
        text = case.id if case.written_id is None else str(case.written_id)
        made = text if _ID.fullmatch(text) else re.sub(r"[^a-z0-9-]+", "-", slug(text).lower()).strip("-") or "eval"
        while made in ids.values():
            made += "-2"
        ids[case.id] = made
    return ids


def _in_their_order(round_: Round) -> list[str]:
    """With the skill first where it is new; of two versions the old one first, so that their delta is old minus new."""
    names = list(round_.arms)
    return names[::-1] if names[-1:] == ["old_skill"] else names


def _conditions(round_: Round) -> Json:
    plan = round_.source.plan
    arms = _in_their_order(round_)
    return without_unknown(
        {
            "mode": _mode(round_),
            "conditions": [{"name": name, "skill_path": _skill_path(round_, name)} for name in arms],
            "timestamp": plan.created_at,
            "harness": plan.harness.name,
            "runs": plan.runs,
            "agent_model": round_.source.benchmark.metadata.executor_model,
            "judge_model": plan.judge,
        }
    )


def _mode(round_: Round) -> str:
    return "revision" if "old_skill" in round_.arms else "new-skill"


def _skill_path(round_: Round, arm: str) -> str | None:
    skill = round_.arms[arm].skill
    return skill.folder if skill else None


def _run(round_: Round, run: Run, eval_id: str, *, several: bool) -> Json:
    record: dict[str, Json] = {
        "eval_id": eval_id,
        "condition": run.arm,
        "skill_path": _skill_path(round_, run.arm),
        "prompt": run.case.prompt,
        "files": [file.path for file in run.case.files],
        "final_message": run.trial.final_message or "",
        "tool_invocations": list(tool_invocations(run)),
        "total_tokens": None,
        "duration_ms": None,
    }
    return {**record, "run_index": run.trial.key.repeat} if several else record


def _grading(round_: Round, run: Run) -> Json:
    failed = len(run.results) - run.n_passed
    fields: dict[str, Json] = {
        "assertion_results": [
            without_unknown(
                {
                    "id": result.id,
                    "passed": result.verdict == "PASS",
                    "evidence": result.evidence,
                    "confidence": _CONFIDENCE.get(result.confidence or ""),
                    "grader": _grader(result.type, result.grader),
                }
            )
            for result in run.results
        ],
        "summary": {
            "passed": run.n_passed,
            "failed": failed,
            "total": len(run.results),
            "pass_rate": run.pass_rate,
        },
    }
    metas = _metas(round_, run)
    if not metas:
        return fields
    n_passed = sum(passed for _, passed, _ in metas)
    # The one says that the skill was loaded, the other that it was not.
    name, passed, _ = metas[0]
    counts = {"passed": n_passed, "failed": len(metas) - n_passed, "total": len(metas)}
    return {
        **fields,
        "meta_results": [
            {"id": name, "passed": passed, "evidence": evidence, "grader": "transcript_check"}
            for name, passed, evidence in metas
        ],
        "meta_summary": {**counts, "skill_invoked": passed is (name == _INVOKED)},
    }


def _metas(round_: Round, run: Run) -> list[tuple[str, bool, str]]:
    """Id, verdict and evidence: whether the skill was loaded, or kept out of a task that it is not for."""
    invoked = _invoked(round_, run)
    if invoked is not None:
        return [(_INVOKED, invoked, f"the agent {'loaded' if invoked else 'did not load'} the skill")]
    results = run.grading.meta_results if run.grading else ()
    return [
        (result.id, result.verdict == "PASS", result.evidence) for result in results if result.verdict != "UNGRADED"
    ]


def _grader(kind: str, grader: str) -> str | None:
    """One of the target's four; our other checks are code, for which it has no word."""
    return kind if kind in _CHECKS else "llm_judge" if grader == "judge" else None


def _invoked(round_: Round, run: Run) -> bool | None:
    """Only where a skill was there to be loaded by itself, and should be."""
    evidence = run.trial.evidence
    if round_.arms[run.arm].skill is None or not run.case.skill_should_trigger or evidence.injected:
        return None
    return evidence.loaded if evidence.loaded is not None else evidence.attempted


def _benchmark(round_: Round) -> Json:
    arms = _in_their_order(round_)
    summary = {arm: _condition(round_, arm) for arm in arms}
    fields: dict[str, Json] = {
        "generated": round_.source.benchmark.timestamp,
        "mode": _mode(round_),
        "conditions_compared": arms,
        "missing_gradings": sum(not run.results for run in round_.runs),
        "validity_warnings": [
            f"{finding.code}: {finding.message}"
            for finding in round_.source.benchmark.findings
            if finding.severity != "info"
        ],
        "run_summary": summary,
        "assertions": _rollup(round_, arms),
    }
    if len(arms) == 2:  # noqa: PLR2004 - treatment and baseline
        first, second = (summary[arm] for arm in arms)
        fields["delta"] = {
            "direction": f"{arms[0]} - {arms[1]}",
            **{
                name: round(first[name]["mean"] - second[name]["mean"], decimals)
                for name, decimals in (("pass_rate", 3), ("duration_ms", 0), ("total_tokens", 0))
                if first[name]["n"] and second[name]["n"]
            },
        }
    return fields


def _condition(round_: Round, arm: str) -> dict[str, Json]:
    graded = [run for run in round_.of(arm) if run.results]
    fields: dict[str, Json] = {
        "pass_rate": _stat((run.pass_rate for run in graded), 3),
        "duration_ms": _stat((run.trial.duration_ms for run in graded), 0),
        "total_tokens": _stat((run.tokens for run in graded), 0),
    }
    if round_.arms[arm].skill is None:
        return fields
    told = [invoked for run in graded if (invoked := _invoked(round_, run)) is not None]
    rate = round(sum(told) / len(told), 3) if told else None
    return {**fields, "skill_invocation_n": len(told), "skill_invocation_rate": rate}


def _stat(values: Iterable[float | None], decimals: int) -> Json:
    """The spread is the population's, as theirs; `n` 0 is their word for: not known."""
    found = figure(values)
    if found is None:
        return {"mean": 0, "stddev": 0, "n": 0}
    return {
        "mean": round(found.mean, decimals),
        "stddev": round(found.population_spread, decimals),
        "n": found.n,
    }


def _rollup(round_: Round, arms: Sequence[str]) -> Json:
    ids = _eval_ids(round_)
    return {ids[case.id]: _case_rollup(round_, case, arms) for case in round_.cases}


def _case_rollup(round_: Round, case: Case, arms: Sequence[str]) -> dict[str, Json]:
    rows: dict[str, Json] = {}
    for assertion in case.assertions:
        row: dict[str, Json] = {}
        for arm in arms:
            verdicts = [
                result.verdict for run in round_.of(arm, case) for result in run.results if result.id == assertion.id
            ]
            if verdicts:
                row[arm] = {"passed": verdicts.count("PASS"), "n": len(verdicts)}
        if row:
            rows[assertion.id] = row
    return rows


def _losses(round_: Round) -> list[Loss]:
    losses = unheld(round_, holds=("evidence",))
    reached = [run for run in round_.runs if run.trial.evidence.reached and _invoked(round_, run) is None]
    if reached:
        losses.append(
            round_.loss(
                f"that the skill reached the agent in {counted(len(reached), 'trial')} that should be without", reached
            )
        )
    if len(round_.arms) < 2:  # noqa: PLR2004 - treatment and baseline
        losses.append(round_.loss("that there is one arm alone: the target always compares two conditions"))
    if round_.source.plan.suite.dialect != "slow-powers":
        n = sum(len(case.assertions) for case in round_.cases)
        losses.append(
            round_.loss(
                f"the texts of {counted(n, 'assertion')}: gradings have ids alone, the texts stand in the skill's evals/evals.json "
                "(`skilltrial convert EVALS --to slow-powers` writes it)"
            )
        )
    ids = _eval_ids(round_)
    changed = [case.id for case in round_.cases if ids[case.id] != str(case.written_id or case.id)]
    if changed:
        losses.append(
            round_.loss(f"the ids of {counted(len(changed), 'case')} ({changed[0]!r}): they get dashes and lower case")
        )
    raw = [run for run in round_.runs if raw_transcript(run) and run.trial.harness.name == "imported"]
    if raw:
        losses.append(round_.loss(f"the transcripts of {counted(len(raw), 'trial')}, as another tool wrote them", raw))
    starts = [run for run in round_.runs if run.trial.started_at is not None]
    if starts:
        losses.append(round_.loss(f"when {counted(len(starts), 'trial')} began"))
    return [*losses, *documents_lost(round_, kinds=("history", "comparisons/", "feedback"))]
