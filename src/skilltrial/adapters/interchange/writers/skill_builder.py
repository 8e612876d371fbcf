"""The tree of skill-builder: one run of each case and config, eval_metadata.json beside the cases, feedback.json at the root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from skilltrial.adapters.interchange.writers.figures import figure, mean, without_unknown
from skilltrial.adapters.interchange.writers.losses import documents_lost, transcripts_lost, unheld, unmeasured
from skilltrial.adapters.interchange.writers.remarks import Review, read_review, review_losses
from skilltrial.adapters.interchange.writers.rounds import Round, Run, counted, make_round
from skilltrial.ports import Export, ExportFile, Loss, Trialled
from skilltrial.records.json_value import Json
from skilltrial.records.layout import FEEDBACK, OUTPUTS, slug
from skilltrial.records.suite import Case

_CRITIQUE = ("weak_assertions", "missing_assertions", "suggested_additions")


class SkillBuilder:
    """Satisfies `ports.Exporter`."""

    name = "skill-builder"

    def export(self, iterations: Sequence[Trialled]) -> Export:
        """One folder an iteration; the root's benchmark.json is that of the newest."""
        files: list[ExportFile] = []
        losses: list[Loss] = []
        rounds = [make_round(source, flat=True) for source in iterations]
        for round_ in rounds:
            files += _files(round_)
            losses += [*round_.losses, *_losses(round_)]
        if rounds:
            files.append(ExportFile(path="benchmark.json", content=_benchmark(rounds[-1])))
        reviews = [(round_, review) for round_ in rounds if (review := read_review(round_))]
        for round_, review in reviews[-1:]:
            files.append(ExportFile(path=FEEDBACK, content=_feedback(round_, review)))
        losses += [round_.loss("its feedback: the target has one file, for the newest") for round_, _ in reviews[:-1]]
        return Export(files=tuple(files), losses=tuple(losses))


def create() -> SkillBuilder:
    """For the entry point."""
    return SkillBuilder()


def eval_id(case: Case) -> str:
    """A text, as the target has it."""
    return case.id if case.written_id is None else str(case.written_id)


def _files(round_: Round) -> list[ExportFile]:
    files = [
        ExportFile(path=f"{round_.place}/eval_metadata.json", content=_metadata(round_)),
        ExportFile(path=f"{round_.place}/benchmark.json", content=_benchmark(round_)),
    ]
    for run in round_.runs:
        folder = f"{round_.place}/eval-{slug(run.case.id)}/{run.arm}"
        files.append(ExportFile(path=f"{folder}/timing.json", content=_timing(run)))
        if run.results:
            files.append(ExportFile(path=f"{folder}/grading.json", content=_grading(run)))
        files += run.output_files(f"{folder}/{OUTPUTS}")
    return files


def _metadata(round_: Round) -> Json:
    return {
        "iteration": round_.source.iteration,
        "skill_name": round_.source.plan.skill.name,
        "evals": [
            {
                "eval_id": eval_id(case),
                "prompt": case.prompt,
                "assertions": [assertion.text for assertion in case.assertions],
            }
            for case in round_.cases
        ],
    }


def _timing(run: Run) -> Json:
    return without_unknown(
        {
            "eval_id": eval_id(run.case),
            "config": run.arm,
            "total_tokens": run.tokens,
            "duration_ms": run.trial.duration_ms,
            "timestamp": run.trial.started_at,
        }
    )


def _grading(run: Run) -> Json:
    grading, failed = run.grading, len(run.results) - run.n_passed
    critique: Mapping[str, Json] = grading.eval_feedback if grading else {}
    return {
        "eval_id": eval_id(run.case),
        "config": run.arm,
        "expectations": [
            without_unknown(
                {
                    "assertion": result.text,
                    "verdict": result.verdict,
                    "evidence": result.evidence,
                    # Code does not waver; a judge that did not say how sure it was has no word.
                    "confidence": result.confidence or ("HIGH" if result.grader == "code" else None),
                }
            )
            for result in run.results
        ],
        "pass_count": run.n_passed,
        "fail_count": failed,
        "pass_rate": run.pass_rate,
        "claims": [
            without_unknown({"claim": claim.claim, "verified": claim.verified, "evidence": claim.evidence})
            for claim in (grading.claims if grading else ())
        ],
        "eval_feedback": {name: _texts(critique, name) for name in _CRITIQUE},
        "summary": f"{run.n_passed} of {len(run.results)} assertions hold, {failed} do not.",
    }


def _texts(critique: Mapping[str, Json], name: str) -> list[str]:
    """Under its own name, or as skill-creator's judge gives suggestions."""
    value = critique.get(name)
    if isinstance(value, list):
        return [text for text in cast("list[Json]", value) if isinstance(text, str)]
    if name != "suggested_additions":
        return []
    return [text for text in map(_suggestion, _suggestions(critique)) if text]


def _suggestions(critique: Mapping[str, Json]) -> list[Json]:
    value = critique.get("suggestions")
    overall = critique.get("overall")
    return [*(cast("list[Json]", value) if isinstance(value, list) else []), *([overall] if overall else [])]


def _suggestion(value: Json) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, Mapping):
        return ""
    fields = cast("Mapping[str, Json]", value)
    return ": ".join(str(fields[name]) for name in ("assertion", "reason") if fields.get(name))


def _benchmark(round_: Round) -> Json:
    configs = {arm: _config(round_, arm) for arm in round_.arms}
    return {
        "iteration": round_.source.iteration,
        "timestamp": round_.source.benchmark.timestamp,
        "configs": configs,
        "comparison": _comparison(round_, list(configs.values())),
    }


def _config(round_: Round, arm: str) -> dict[str, Json]:
    own = [run for run in round_.of(arm) if run.results]
    tokens, times = figure(run.tokens for run in own), figure(run.trial.duration_ms for run in own)
    return without_unknown(
        {
            "overall_pass_rate": mean(run.pass_rate for run in own),
            "total_tokens_mean": tokens.mean if tokens else None,
            "total_tokens_stddev": tokens.spread if tokens else None,
            "duration_ms_mean": times.mean if times else None,
            "duration_ms_stddev": times.spread if times else None,
            "evals": [
                without_unknown(
                    {
                        "eval_id": eval_id(run.case),
                        "pass_rate": run.pass_rate,
                        "pass_count": run.n_passed,
                        "fail_count": len(run.results) - run.n_passed,
                        "tokens": run.tokens,
                        "duration_ms": run.trial.duration_ms,
                    }
                )
                for run in own
            ],
        }
    )


def _comparison(round_: Round, configs: Sequence[Mapping[str, Json]]) -> Json:
    """Treatment minus baseline, over the two configs' own figures."""
    if len(configs) != 2:  # noqa: PLR2004 - treatment and baseline
        return {"non_discriminating_assertions": []}
    new, old = configs
    first, second = new.get("overall_pass_rate"), old.get("overall_pass_rate")
    return without_unknown(
        {
            "pass_rate_delta": None if first is None or second is None else first - second,
            "token_overhead_percent": _overhead(new, old, "total_tokens_mean"),
            "time_overhead_percent": _overhead(new, old, "duration_ms_mean"),
            "non_discriminating_assertions": _same_in_both(round_),
        }
    )


def _overhead(new: Mapping[str, Json], old: Mapping[str, Json], name: str) -> float | None:
    if new.get(name) is None or not old.get(name):
        return None
    return (new[name] - old[name]) / old[name] * 100


def _same_in_both(round_: Round) -> list[str]:
    """Assertions that pass in both configs."""
    texts: list[str] = []
    for case in round_.cases:
        passed = [
            {result.id for run in round_.of(arm, case) for result in run.results if result.verdict == "PASS"}
            for arm in round_.arms
        ]
        both = set[str].intersection(*passed) if len(passed) > 1 else set[str]()
        texts += [assertion.text for assertion in case.assertions if assertion.id in both]
    return list(dict.fromkeys(texts))


def _feedback(round_: Round, review: Review) -> Json:
    remarks: dict[str, Json] = {}
    for remark in review.remarks:
        entry = remarks.setdefault(eval_id(remark.case), {"eval_id": eval_id(remark.case), "comment": ""})
        about = f"{remark.run.arm}, run {remark.run.trial.key.repeat}: " if remark.run and remark.text else ""
        entry["comment"] = "\n".join(text for text in (entry["comment"], about + remark.text) if text)
        if remark.rating:
            entry["rating"] = remark.rating
    stamps = [remark.timestamp for remark in review.remarks if remark.timestamp]
    return without_unknown(
        {
            "timestamp": review.timestamp or max(stamps, default=None),
            "iteration": round_.source.iteration,
            "eval_feedback": list(remarks.values()),
            "general_feedback": review.general or "",
            "action": review.action,
        }
    )


def _losses(round_: Round) -> list[Loss]:
    losses = unheld(round_, holds=("claims", "critique"))
    losses += unmeasured(round_, round_.runs, instead="the target has a number there")
    losses += transcripts_lost(round_)
    lost = [case for case in round_.cases if case.name or case.expected_output]
    if lost:
        losses.append(round_.loss(f"the names and expected outputs of {counted(len(lost), 'case')}"))
    losses += documents_lost(round_, kinds=("history", "comparisons/"))
    review = read_review(round_)
    # That a remark is about one run is said in its text.
    holds = ("rating", "general", "action", "run")
    return [*losses, *(review_losses(round_, review, holds) if review else [])]
