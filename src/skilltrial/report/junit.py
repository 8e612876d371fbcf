"""JUnit XML of a benchmark: a suite for the gate and one for each treatment arm, in the form that most readers take.

A test is a rule of the gate, or an assertion over all trials of its case. Failures of the baseline arm are no failures of
anything, so that arm has no suite. Trials that an error of a tool cost are errors; what has no verdict is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from xml.sax.saxutils import escape, quoteattr

from skilltrial.records.benchmark import AssertionRow, Benchmark, Excluded
from skilltrial.records.gate import Gate, Rule
from skilltrial.report.figures import plural
from skilltrial.report.gate import title
from skilltrial.report.plain_text import block, line

State = Literal["passed", "failure", "error", "skipped"]

_LONGEST = 300
_MOST_TEXT = 2_000
_TIMESTAMP = 19
"""Characters of a date and time without its zone, which the form has no place for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Test:
    name: str
    group: str = ""
    """The case."""
    state: State = "passed"
    message: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Suite:
    name: str
    tests: Sequence[_Test]
    properties: Mapping[str, str] = field(default_factory=dict[str, str])

    def count(self, state: State) -> int:
        return sum(test.state == state for test in self.tests)


def render(benchmark: Benchmark, gate: Gate | None = None) -> str:
    """The XML, with a line feed at its end.

    Texts of others are escaped; characters that act and are not seen, which XML has no form for, are shown as their escapes. The
    same benchmark gives the same bytes.
    """
    suites = [*([_of_gate(gate)] if gate else []), *_of_arms(benchmark)]
    return "".join(f"{row}\n" for row in _document(benchmark, suites))


def _of_gate(gate: Gate) -> _Suite:
    tests = [_rule(rule) for rule in gate.rules]
    if gate.n_lost:
        message = gate.notes[0] if gate.notes else plural(gate.n_lost, "trial")
        tests.append(_Test(name="every trial has a result", state="error", message=message))
    facts = {"outcome": gate.outcome, "exit_code": str(gate.exit_code), "against": gate.against, "rules": gate.settings}
    return _Suite(name="gate", tests=tests, properties=facts)


def _rule(rule: Rule) -> _Test:
    states: dict[str, State] = {"pass": "passed", "fail": "failure", "undecided": "skipped"}
    text = "\n".join(part for part in (rule.said, rule.settle, rule.place) if part)
    return _Test(name=title(rule), state=states[rule.outcome], message=rule.said, text=text)


def _of_arms(benchmark: Benchmark) -> Iterator[_Suite]:
    roles = {arm.name: arm.role for arm in benchmark.metadata.arms}
    for name, summary in benchmark.configs.items():
        if roles.get(name, "treatment" if name != _baseline(benchmark) else "baseline") == "treatment":
            rate = summary.overall_pass_rate
            yield _Suite(
                name=name,
                tests=[*(_assertion(row, name) for row in benchmark.assertions), *_lost(benchmark.excluded, name)],
                properties={"overall_pass_rate": "unknown" if rate is None else f"{rate:.6f}"},
            )


def _baseline(benchmark: Benchmark) -> str | None:
    return benchmark.lift.baseline if benchmark.lift else None


def _assertion(row: AssertionRow, arm: str) -> _Test:
    passed, graded, ungraded = (counts.get(arm, 0) for counts in (row.passed, row.graded, row.ungraded))
    message = f"holds in {passed} of {plural(graded, 'trial')}"
    state: State = "passed"
    if passed < graded:
        state = "failure"
    elif not graded:
        state, message = "skipped", f"no verdict in {plural(ungraded, 'trial')}"
    elif ungraded:
        message += f", no verdict in {ungraded}"
    return _Test(
        group=str(row.eval_id),
        name=f"{row.assertion_id}: {row.text}",
        state=state,
        message=message,
        text=f"{message}\n{row.type}: {row.text}",
    )


def _lost(excluded: Sequence[Excluded], arm: str) -> Iterator[_Test]:
    for each in excluded:
        if each.key.arm == arm:
            state: State = "error" if each.outcome in {"harness_error", "cancelled"} else "skipped"
            name = f"run {each.key.repeat}: {each.outcome}"
            yield _Test(group=each.key.case_id, name=name, state=state, message=each.reason, text=each.reason)


def _document(benchmark: Benchmark, suites: Sequence[_Suite]) -> Iterator[str]:
    tests = [test for suite in suites for test in suite.tests]
    totals = _counts(_Suite(name="", tests=tests), skipped=False)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites name={_attribute(f'skilltrial {benchmark.metadata.skill_name}')} {totals}>"
    for suite in suites:
        yield from _suite(benchmark, suite)
    yield "</testsuites>"


def _suite(benchmark: Benchmark, suite: _Suite) -> Iterator[str]:
    when = _attribute(benchmark.timestamp[:_TIMESTAMP])
    yield f"  <testsuite name={_attribute(suite.name)} {_counts(suite)} timestamp={when}>"
    yield "    <properties>"
    for name, value in {**_facts(benchmark), **suite.properties}.items():
        yield f"      <property name={_attribute(name)} value={_attribute(value)}/>"
    yield "    </properties>"
    for test in suite.tests:
        yield from _test(test, ".".join(filter(None, (benchmark.metadata.skill_name, suite.name, test.group))))
    yield "  </testsuite>"


def _facts(benchmark: Benchmark) -> dict[str, str]:
    about = benchmark.metadata
    return {
        "iteration": str(benchmark.iteration),
        "model": about.executor_model or "unknown",
        "harness": f"{about.harness.name} {about.harness.version or ''}".strip(),
        "skill_fingerprint": about.skill_fingerprint,
        "plan_digest": about.plan_digest,
        "skilltrial_version": about.skilltrial_version,
    }


def _test(test: _Test, group: str) -> Iterator[str]:
    head = f"    <testcase classname={_attribute(group)} name={_attribute(test.name)}"
    if test.state == "passed":
        yield f"{head}/>"
        return
    message = _attribute(test.message)
    yield f"{head}>"
    if test.state == "skipped":
        yield f"      <skipped message={message}/>"
    else:
        text = escape(block(test.text, _MOST_TEXT))
        yield f"      <{test.state} message={message} type={_attribute(test.state)}>{text}</{test.state}>"
    yield "    </testcase>"


def _counts(suite: _Suite, *, skipped: bool = True) -> str:
    told = f'tests="{len(suite.tests)}" failures="{suite.count("failure")}" errors="{suite.count("error")}"'
    return f'{told} skipped="{suite.count("skipped")}"' if skipped else told


def _attribute(text: str) -> str:
    return quoteattr(line(text, _LONGEST))
