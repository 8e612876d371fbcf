"""copilot-skill-eval: `scenarios` whose prompts stand in files, `configurations` to compare, commands to verify."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from skilltrial.records.json_value import Json
from skilltrial.spec.dialects.draft import CaseDraft, CriterionDraft, Draft, FileDialect
from skilltrial.spec.dialects.entries import entries, objects
from skilltrial.spec.dialects.made_node import has_list
from skilltrial.spec.dialects.text_reference import text_or_file
from skilltrial.spec.findings import Findings
from skilltrial.spec.json_source import Node

_TOP_UNUSED: Mapping[str, str] = {
    **dict.fromkeys(("name", "description"), ""),
    "runs": "how often each scenario is run; give --runs",
    "generation_model": "the agent's model; give --model",
    "judge_model": "the judge's model",
    "configurations": "the sets of skills that are compared; skilltrial compares one with none",
    "dimensions": "what a judge scores by comparing configurations, which has no counterpart here",
    "output": "where results go",
}


def _fits(root: Node) -> bool:
    return has_list(root, "scenarios") and any(root.child(key) for key in ("configurations", "dimensions"))


def _read(root: Node, findings: Findings) -> Draft:
    criteria = tuple(_criteria(root.child("verification")))
    cases: list[CaseDraft] = []
    for scenario in objects(entries(root, "scenarios"), findings):
        with findings.collecting():
            cases.append(_case(scenario, criteria, findings))
    return Draft(root=root, cases=tuple(cases), used=frozenset({"scenarios", "verification"}), unused=_TOP_UNUSED)


def _case(scenario: Node, criteria: tuple[CriterionDraft, ...], findings: Findings) -> CaseDraft:
    return CaseDraft(
        node=scenario,
        prompt=text_or_file(scenario.child("prompt"), findings),
        id=scenario.child("name"),
        criteria=criteria,
        used=frozenset({"name", "prompt"}),
        unused={"description": ""},
    )


def _criteria(verification: Node | None) -> Iterator[CriterionDraft]:
    for key, node in verification.children.items() if verification else ():
        command, pattern = node.child("command"), node.child("success_pattern")
        if key != "build" or command is None:
            reason = f"'{str(key)[:40]}' of the verification has no counterpart here"
            yield CriterionDraft(node=node, means=None, reason=reason)
            continue
        means: dict[str, Json] = {"type": "command_check", "command": command.value}
        if pattern is not None:
            means["expect_stdout"] = pattern.value
        yield CriterionDraft(node=node, means=means)


COPILOT_SKILL_EVAL = FileDialect(name="copilot-skill-eval", fits=_fits, read=_read)
