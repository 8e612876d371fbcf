"""JUnit XML: valid in the common form, whatever the texts hold."""

from __future__ import annotations

import pytest
from lxml import etree

from skilltrial.records.benchmark import Benchmark
from skilltrial.records.gate import Gate, Rule
from skilltrial.report import junit

COMMON = """
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:complexType name="problem"><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute name="message" type="xs:string"/><xs:attribute name="type" type="xs:string"/>
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="properties"><xs:sequence><xs:element name="property" minOccurs="0" maxOccurs="unbounded">
    <xs:complexType><xs:attribute name="name" type="xs:string" use="required"/>
    <xs:attribute name="value" type="xs:string" use="required"/></xs:complexType>
  </xs:element></xs:sequence></xs:complexType>
  <xs:complexType name="case"><xs:choice minOccurs="0" maxOccurs="unbounded">
    <xs:element name="skipped" type="problem"/><xs:element name="error" type="problem"/>
    <xs:element name="failure" type="problem"/></xs:choice>
    <xs:attribute name="name" type="xs:string" use="required"/><xs:attribute name="classname" type="xs:string"/>
    <xs:attribute name="time" type="xs:decimal"/></xs:complexType>
  <xs:complexType name="suite"><xs:sequence><xs:element name="properties" type="properties" minOccurs="0"/>
    <xs:element name="testcase" type="case" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name" type="xs:string" use="required"/><xs:attribute name="timestamp" type="xs:dateTime"/>
    <xs:attribute name="tests" type="xs:integer" use="required"/><xs:attribute name="failures" type="xs:integer"/>
    <xs:attribute name="errors" type="xs:integer"/><xs:attribute name="skipped" type="xs:integer"/></xs:complexType>
  <xs:element name="testsuites"><xs:complexType><xs:sequence>
    <xs:element name="testsuite" type="suite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name" type="xs:string"/><xs:attribute name="tests" type="xs:integer"/>
    <xs:attribute name="failures" type="xs:integer"/><xs:attribute name="errors" type="xs:integer"/>
  </xs:complexType></xs:element>
</xs:schema>"""
"""What the usual readers agree on, in our own words: Jenkins' form without what we never write."""


def _read(text: str) -> etree._Element:
    root = etree.fromstring(text.encode())
    etree.XMLSchema(etree.fromstring(COMMON)).assertValid(root)
    return root


def _gate(**rule: object) -> Gate:
    values = {"name": "primary", "about": "x", "unit": "points", "figure": None, "threshold": 0.0, "said": "So."} | rule
    return Gate(
        skill="s",
        iteration=1,
        against="",
        settings="",
        outcome="cannot tell",
        exit_code=4,
        rules=(Rule.model_validate(values),),
    )


@pytest.mark.parametrize("name", ["better", "worse", "unclear", "one_arm", "hostile", "large"])
def test_every_benchmark_is_valid(name: str, request: pytest.FixtureRequest) -> None:
    """By the form, and the sums are right."""
    root = _read(junit.render(request.getfixturevalue(name)))
    for suite in root.iter("testsuite"):
        tests = suite.findall("testcase")
        assert int(suite.get("tests")) == len(tests)
        for kind, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(count)) == sum(test.find(kind) is not None for test in tests)
    assert int(root.get("tests")) == sum(int(suite.get("tests")) for suite in root.iter("testsuite"))


def test_an_assertion_that_fails_once_is_a_failure(better: Benchmark) -> None:
    """In how many trials it holds is said; what no judge looked at is skipped; the baseline arm has no suite."""
    root = _read(junit.render(better))
    assert [suite.get("name") for suite in root] == ["with_skill"]
    failed = root.xpath("//testcase[failure]")
    assert [test.find("failure").get("message") for test in failed] == ["holds in 1 of 2 trials"] * 3
    assert root.xpath("//testcase[skipped]")[0].get("name") == "p1: The subject line is in the imperative mood."


def test_trials_lost_to_errors_of_tools_are_errors(unclear: Benchmark) -> None:
    """Those of the treatment arm; what was not run is skipped."""
    lost = unclear.excluded[0].model_copy(
        update={"key": unclear.excluded[0].key.model_copy(update={"arm": "with_skill"})}
    )
    root = _read(junit.render(unclear.model_copy(update={"excluded": (lost, *unclear.excluded[1:])})))
    assert [test.get("name") for test in root.xpath("//testcase[error]")] == ["run 1: harness_error"]
    assert root.xpath("//testcase[skipped]")[-1].get("name") == "run 2: not_run"


@pytest.mark.parametrize(("outcome", "kind"), [("fail", "failure"), ("undecided", "skipped"), ("pass", None)])
def test_rules_of_a_gate_are_tests(better: Benchmark, outcome: str, kind: str | None) -> None:
    """What is undecided is neither a pass nor a failure."""
    test = _read(junit.render(better, _gate(outcome=outcome))).xpath("//testsuite[@name='gate']/testcase")[0]
    assert [child.tag for child in test] == ([kind] if kind else [])


def test_characters_that_xml_has_not_are_shown(better: Benchmark) -> None:
    """As their escapes, so that nobody wonders where they went."""
    text = junit.render(better, _gate(outcome="fail", said="a\x00b\x1b[31m\ufffe]]><x>&"))
    failure = _read(text).xpath("//testsuite[@name='gate']//failure")[0]
    assert failure.get("message") == "a\\x00b\\x1b[31m\\ufffe]]><x>&"
    assert failure.text.startswith("a\\x00b")


def test_the_same_benchmark_gives_the_same_bytes(better: Benchmark) -> None:
    """No clock."""
    assert junit.render(better) == junit.render(better)
