"""A foreign workspace -> what its verdicts really say, and what is wrong with its files and benchmarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from skilltrial.audit.benchmark import benchmark_findings
from skilltrial.audit.criteria import criteria_findings
from skilltrial.audit.figures import arm_figures, differences, paired_lift
from skilltrial.audit.gradings import grading_findings
from skilltrial.audit.outputs import Look, output_findings
from skilltrial.audit.rules import SHAPE
from skilltrial.audit.runs import run_findings
from skilltrial.audit.scores import Round, make_round
from skilltrial.audit.traps import trap_findings, workspace_findings
from skilltrial.records.audit import ArmFigures, Audit, AuditFinding, AuditIteration
from skilltrial.records.foreign import Document, ForeignWorkspace
from skilltrial.records.json_value import Json, is_object


def audit(workspace: ForeignWorkspace, *, outputs: Look) -> Audit:
    """Recompute every figure from the criteria, and list what contradicts them or hides something.

    `outputs` looks into a folder of outputs by its place. Findings are in the order of their codes, then of the files.
    """
    rounds = [make_round(iteration, workspace.family) for iteration in workspace.iterations]
    figures = [arm_figures(found) for found in rounds]
    findings = [*workspace_findings(workspace), *_unplaced(workspace)]
    for number, (found, own) in enumerate(zip(rounds, figures, strict=True)):
        documents = [*found.iteration.documents, *_of_workspace(workspace, number)]
        findings += _findings(found, own, documents=documents, look=outputs)
    return Audit(
        path=workspace.root,
        family=workspace.family,
        n_runs=sum(len(found.scores) for found in rounds),
        iterations=tuple(
            AuditIteration(
                number=found.iteration.number,
                place=found.iteration.place,
                arms=own,
                delta=differences(found, own),
                lift=paired_lift(found),
            )
            for found, own in zip(rounds, figures, strict=True)
        ),
        findings=tuple(sorted(findings, key=lambda finding: finding.code)),
    )


def _findings(
    found: Round, figures: Sequence[ArmFigures], *, documents: Sequence[Document], look: Look
) -> Iterator[AuditFinding]:
    yield from grading_findings(found)
    yield from criteria_findings(found)
    yield from run_findings(found)
    yield from trap_findings(found)
    yield from output_findings(found, look)
    by_arm: Mapping[str, ArmFigures] = {own.arm.name: own for own in figures}
    for document in documents:
        if document.kind == "benchmark":
            yield from benchmark_findings(document, found, by_arm)


def _of_workspace(workspace: ForeignWorkspace, number: int) -> Iterator[Document]:
    """Benchmarks at the root that are about this iteration: they name it, or there is no other."""
    iterations = workspace.iterations
    for document in workspace.documents:
        named = _iteration_named(document.value)
        if (named is None and len(iterations) == 1) or (named is not None and named == iterations[number].number):
            yield document


def _unplaced(workspace: ForeignWorkspace) -> Iterator[AuditFinding]:
    """Benchmarks at the root of which nobody can tell which iteration they are about."""
    numbers = [iteration.number for iteration in workspace.iterations]
    for document in workspace.documents:
        named = _iteration_named(document.value)
        if document.kind == "benchmark" and len(numbers) > 1 and (named is None or named not in numbers):
            yield SHAPE.at(
                document.place, "The benchmark names no iteration of this workspace; its figures were not checked."
            )


def _iteration_named(value: Json) -> int | None:
    named = value.get("iteration") if is_object(value) else None
    return named if isinstance(named, int) and not isinstance(named, bool) else None
