"""The tree of the evaluation guide of agentskills.io: one run of each case and arm, and as few fields as there can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skilltrial.adapters.interchange.writers.figures import figure, without_unknown
from skilltrial.adapters.interchange.writers.losses import documents_lost, transcripts_lost, unheld, unmeasured
from skilltrial.adapters.interchange.writers.remarks import read_review, review_losses
from skilltrial.adapters.interchange.writers.rounds import Round, Run, make_round
from skilltrial.ports import Export, ExportFile, Loss, Trialled
from skilltrial.records.json_value import Json
from skilltrial.records.layout import FEEDBACK, OUTPUTS, slug
from skilltrial.records.suite import Case


class AgentSkills:
    """Satisfies `ports.Exporter`."""

    name = "agentskills"

    def export(self, iterations: Sequence[Trialled]) -> Export:
        """One folder an iteration."""
        rounds = [make_round(source, flat=True) for source in iterations]
        return Export(
            files=tuple(file for round_ in rounds for file in _files(round_)),
            losses=tuple(loss for round_ in rounds for loss in (*round_.losses, *_losses(round_))),
        )


def create() -> AgentSkills:
    """For the entry point."""
    return AgentSkills()


def _case_dir(case: Case) -> str:
    return f"eval-{slug(case.id)}"


def _files(round_: Round) -> list[ExportFile]:
    files = [ExportFile(path=f"{round_.place}/benchmark.json", content=_benchmark(round_))]
    for run in round_.runs:
        folder = f"{round_.place}/{_case_dir(run.case)}/{run.arm}"
        timing = without_unknown({"total_tokens": run.tokens, "duration_ms": run.trial.duration_ms})
        files.append(ExportFile(path=f"{folder}/timing.json", content=timing))
        if run.results:
            files.append(ExportFile(path=f"{folder}/grading.json", content=_grading(run)))
        files += run.output_files(f"{folder}/{OUTPUTS}")
    review = read_review(round_)
    if review:
        remarks: dict[str, str] = {}
        for remark in review.remarks:
            name = _case_dir(remark.case)
            remarks[name] = "\n".join(text for text in (remarks.get(name, ""), remark.text) if text)
        files.append(ExportFile(path=f"{round_.place}/{FEEDBACK}", content=remarks))
    return files


def _grading(run: Run) -> Json:
    return {
        "assertion_results": [
            {"text": result.text, "passed": result.verdict == "PASS", "evidence": result.evidence}
            for result in run.results
        ],
        "summary": {
            "passed": run.n_passed,
            "failed": len(run.results) - run.n_passed,
            "total": len(run.results),
            "pass_rate": run.pass_rate,
        },
    }


def _benchmark(round_: Round) -> Json:
    summary: dict[str, dict[str, Json]] = {}
    for arm in round_.arms:
        own = [run for run in round_.of(arm) if run.results]
        summary[arm] = without_unknown(
            {
                "pass_rate": _stat(run.pass_rate for run in own),
                "time_seconds": _stat(run.seconds for run in own),
                "tokens": _stat(run.tokens for run in own),
            }
        )
    delta: dict[str, float] = {}
    if len(summary) == 2:  # noqa: PLR2004 - treatment and baseline
        new, old = summary.values()
        delta = {name: new[name]["mean"] - old[name]["mean"] for name in new if name in old}
    return {"run_summary": {**summary, "delta": delta}}


def _stat(values: Iterable[float | None]) -> Json:
    found = figure(values)
    return {"mean": found.mean, "stddev": found.spread} if found else None


def _losses(round_: Round) -> list[Loss]:
    losses = unheld(round_)
    losses += unmeasured(round_, round_.runs, instead="the target has a number there")
    losses += transcripts_lost(round_)
    if round_.source.plan.suite.dialect != "agentskills" and any(case.prompt for case in round_.cases):
        losses.append(
            round_.loss(
                "the prompts: the target has them in the skill's evals/evals.json "
                "(`skilltrial convert EVALS --to agentskills` writes it)"
            )
        )
    losses += documents_lost(round_, kinds=("history", "comparisons/"))
    review = read_review(round_)
    return [*losses, *(review_losses(round_, review, ()) if review else [])]
