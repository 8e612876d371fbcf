"""The table of rules, and what is written about it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import skilltrial.spec
from skilltrial.records.repair import Repair
from skilltrial.spec.lint.rules import BY_NAME, RULES, advice, of_repair

SPEC = Path(skilltrial.spec.__file__).parent
DOCS = Path(__file__).resolve().parents[2] / "docs/lint.md"
EMITTERS = {
    "invalid",
    "error",
    "repair",
    "leave_out",
    "advice",
    "Remark",
    "_Remark",
    "_Broken",
    "Change",
    "Problem",
    "Repair",
}
OTHER_TALK = {"convert", "settings.py", "arm_variables.py"}
"""What these say is about a request or the settings of a run, not about a skill or its eval files."""
KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def _emitted(tree: ast.AST) -> Iterator[str]:
    """Codes in calls that make findings: the first argument or `code`, where it is a literal kebab-case text."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name not in EMITTERS:
            continue
        values = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "code")]
        for value in values:
            if isinstance(value, ast.Constant) and isinstance(value.value, str) and KEBAB.fullmatch(value.value):
                yield value.value


def test_every_code_that_is_emitted_has_a_rule() -> None:
    """So that no finding is without a number; the search itself finds many."""
    emitted = {
        (code, file.relative_to(SPEC).as_posix())
        for file in SPEC.rglob("*.py")
        if file.relative_to(SPEC).parts[0] not in OTHER_TALK
        for code in _emitted(ast.parse(file.read_text(encoding="utf-8")))
    }
    assert len(emitted) > 80
    assert sorted((code, file) for code, file in emitted if code not in BY_NAME) == []


def test_codes_and_names_are_unique_and_in_order() -> None:
    """A code means one thing for ever."""
    assert [code for code, n in Counter(rule.code for rule in RULES).items() if n > 1] == []
    assert [name for name, n in Counter(rule.name for rule in RULES).items() if n > 1] == []
    assert all(re.fullmatch(r"ST[0-5][0-9][0-9]", rule.code) and KEBAB.fullmatch(rule.name) for rule in RULES)
    assert [rule.code for rule in RULES] == sorted(rule.code for rule in RULES)


def test_summaries_are_sentences() -> None:
    """They are the help of code scanning."""
    assert [rule.code for rule in RULES if not re.fullmatch(r"[A-Za-z`'].*\.", rule.summary)] == []


def test_the_page_lists_exactly_the_table() -> None:
    """Code, name, severity, fixable, summary."""
    rows = re.findall(
        r"^\| (ST\d{3}) \| `([\w-]+)` \| (\w+) \| (fix)? ?\| (.*) \|$", DOCS.read_text("utf-8"), re.MULTILINE
    )
    expected = [(rule.code, rule.name, rule.severity, "fix" if rule.fixable else "", rule.summary) for rule in RULES]
    assert [tuple(row) for row in rows] == [
        (code, name, severity, fix, summary.replace("|", "\\|")) for code, name, severity, fix, summary in expected
    ]


def test_a_finding_gets_code_and_severity_from_the_table() -> None:
    """The one place where they are given."""
    problem = advice("body-long", "m", file="f")
    assert (problem.rule, problem.severity, problem.code) == ("ST130", "warning", "body-long")


def test_repairs_become_findings() -> None:
    """A slip of a key is a warning, a code without a rule a note."""
    slip = Repair(code="unknown-key", message="x (did you mean 'y'?)", line=3, path="p", value="v")
    problem = of_repair(slip)
    assert (problem.severity, problem.rule, problem.line, problem.place, problem.value) == (
        "warning",
        "ST315",
        3,
        "p",
        "v",
    )
    assert of_repair(Repair(code="unknown-key", message="x")).severity == "note"
    assert of_repair(Repair(code="of-somebody-else", message="x")).severity == "note"
