"""Read, write, read: a file of one of the four main dialects stays the same suite."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.records.layout import slug
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.spec.convert.conversion import convert
from skilltrial.spec.convert.converted import TargetName
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import examine_suite

SKILL_FILES = ("evals/files/a.txt", "evals/fixtures/b.txt", "c.txt", "evals/files/more/d.txt")
TARGETS: tuple[TargetName, ...] = ("agentskills", "skill-creator", "skill-builder", "slow-powers")

CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXT = st.text(CHARACTERS, min_size=1, max_size=20).filter(lambda text: bool(text.strip()))
SCALAR = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(SCALAR | TEXT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3))


def _both(first: Mapping[str, object], second: Mapping[str, object]) -> Mapping[str, object]:
    return {**first, **second}


NEWER: st.SearchStrategy[Mapping[str, object]] = st.sampled_from(
    [
        dict[str, object](),
        {"turns": [{"prompt": "Q", "deliver_when": "always"}]},
        {"responder": {"type": "llm"}, "codebase": {"url": "https://example.org/x.git", "ref": "main"}},
    ]
)
"""What eval-magic has and the published schema has not."""
UNKNOWN = st.builds(
    _both,
    st.dictionaries(
        TEXT.map(lambda text: f"x {text}") | st.sampled_from(["$comment", "expectations_notes", "tags"]),
        JSON.filter(lambda value: value is not None),
        max_size=2,
    ),
    NEWER,
)
KEBAB = st.from_regex(r"[a-z0-9][a-z0-9-]{0,12}", fullmatch=True)
WORDY = st.text(st.characters(categories=["L", "N", "P", "Zs"]), min_size=1, max_size=12).filter(
    lambda text: bool(text.strip())
)
PATHS = {
    "skill-creator": ["evals/files/a.txt", "evals/fixtures/b.txt", "c.txt", "evals/files/more"],
    "agentskills": ["evals/files/a.txt", "evals/fixtures/b.txt", "c.txt", "evals/files/more"],
    "slow-powers": ["files/a.txt", "fixtures/b.txt", "files/more"],
}
PROMPT = TEXT | st.sampled_from(["Read a.txt", "Read evals/files/a.txt", "Use fixtures/b.txt and files/a.txt"])
STATEMENTS = st.lists(TEXT, min_size=1, max_size=3, unique=True)


def _judge(assertion_id: str, rubric: str, model: str | None) -> dict[str, object]:
    value: dict[str, object] = {"id": assertion_id, "type": "llm_judge", "rubric": rubric}
    return value if model is None else {**value, "model": model}


def _transcript(assertion_id: str, check: str, must: str | None) -> dict[str, object]:
    value: dict[str, object] = {"id": assertion_id, "type": "transcript_check", "check": check, "pattern": "Bash.*npm"}
    return value if must is None else {**value, "must_precede": must}


def _with_ids(assertions: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{**one, "id": f"a{number}"} for number, one in enumerate(assertions)]


CHECKS = st.sampled_from(["tool_invocation_matches", "assistant_message_matches"])
TYPED = st.lists(
    st.builds(_judge, KEBAB, TEXT, st.none() | st.just("opus"))
    | st.builds(_transcript, KEBAB, CHECKS, st.sampled_from([None, "any", "completion_claim"])),
    min_size=1,
    max_size=3,
).map(_with_ids)
OURS = st.sampled_from(
    [
        {"type": "file_exists", "path": "out/*.md", "text": "A report is there"},
        {"id": "m", "type": "file_matches", "path": "a.txt", "pattern": "\\d+", "negate": True},
        {"type": "json_matches", "pointer": "/a~1b", "equals": [1, None]},
        {"type": "command_check", "command": "true", "timeout_s": 1.5, "weight": 2},
        {"type": "transcript_check", "check": "tool_invocation_matches", "pattern": "x", "must_precede": "first_write"},
        {"type": "skill_invoked"},
        {"type": "diff_scope", "max_files_touched": 3},
        {"name": "short", "description": "The whole statement"},
    ]
)
CRITERIA: Mapping[str, tuple[str, st.SearchStrategy[object]]] = {
    "skill-creator": ("expectations", STATEMENTS),
    "agentskills": ("assertions", st.lists(TEXT | OURS, min_size=1, max_size=3, unique_by=str)),
    "skill-builder": ("assertions", STATEMENTS),
    "slow-powers": ("assertions", TYPED),
}


@st.composite
def documents(draw: st.DrawFn, dialect: TargetName, *, unknown: bool = True) -> dict[str, object]:
    """A file of a dialect, with unknown keys at every level where that is wanted."""
    extra: st.SearchStrategy[Mapping[str, object]] = UNKNOWN if unknown else st.just({})
    plain = KEBAB if dialect == "slow-powers" else WORDY
    ids = st.integers(-9, 10**12) | plain if dialect in {"skill-creator", "agentskills"} else plain
    written = draw(st.lists(ids, min_size=1, max_size=3, unique_by=lambda one: slug(str(one)).lower()))
    cases = [draw(_cases(dialect, case_id, extra)) for case_id in written]
    name = {} if dialect == "skill-builder" else {"skill_name": "pdf"}
    return {**name, "evals": cases, **draw(extra)}


@st.composite
def _cases(
    draw: st.DrawFn, dialect: TargetName, case_id: object, extra: st.SearchStrategy[Mapping[str, object]]
) -> dict[str, object]:
    key, criteria = CRITERIA[dialect]
    if dialect == "skill-builder":
        files = st.dictionaries(st.sampled_from(["src/in.txt", "é.md", "a.txt"]), TEXT, max_size=2)
    else:
        files = st.lists(st.sampled_from(PATHS[dialect]), max_size=2, unique=True)
    optional: dict[str, st.SearchStrategy[object]] = {"files": files, "runs": st.integers(1, 9)}
    optional["skill_should_trigger"] = st.just(value=False)
    if dialect != "slow-powers":
        optional |= {"name": TEXT, "expected_output": TEXT}
    fields = {"prompt": PROMPT, key: criteria} | ({"expected_output": TEXT} if dialect == "slow-powers" else {})
    return {"id": case_id, **draw(st.fixed_dictionaries(fields, optional=optional)), **draw(extra)}


@pytest.fixture(scope="module")
def skill(tmp_path_factory: pytest.TempPathFactory) -> Skill:
    """A skill with input files; its eval file is written again and again."""
    folder = tmp_path_factory.mktemp("skill") / "pdf"
    for name in SKILL_FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "SKILL.md").write_text("---\nname: pdf\ndescription: d\n---\n")
    return load_skill(folder)


def _read(skill: Skill, text: str) -> Suite:
    path = Path(skill.folder) / "evals/evals.json"
    path.write_text(text, encoding="utf-8")
    reading = examine_suite(path, skill)
    assert reading.suite is not None, reading.errors
    return reading.suite


def _places(suite: Suite) -> list[list[tuple[str, str]]]:
    return [[(file.path, file.sha256) for file in case.files] for case in suite.cases]


@pytest.mark.parametrize("dialect", TARGETS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_a_file_that_keeps_its_dialect_stays_the_same_suite(
    skill: Skill, dialect: TargetName, data: st.DataObject
) -> None:
    """With the author's values and unknown keys, and the same bytes when written once more."""
    suite = _read(skill, json.dumps(data.draw(documents(dialect, unknown=dialect != "slow-powers"))))
    assert suite.dialect == dialect
    written = convert(suite, to=dialect, skill=skill)
    assert written.losses == ()
    again = _read(skill, json_text(written.value))
    assert (again.digest, again.cases, again.extra) == (suite.digest, suite.cases, suite.extra)
    assert (again.skill_name, again.dialect) == (suite.skill_name, suite.dialect)
    assert json_text(convert(again, to=dialect, skill=skill).value) == json_text(written.value)


@pytest.mark.parametrize("dialect", TARGETS)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_our_own_form_holds_everything(skill: Skill, dialect: TargetName, data: st.DataObject) -> None:
    """Of all four: nothing is lost, and trials and gradings would be the same."""
    suite = _read(skill, json.dumps(data.draw(documents(dialect))))
    written = convert(suite, to="agentskills", skill=skill)
    assert written.losses == ()
    again = _read(skill, json_text(written.value))
    assert (again.digest, again.extra) == (suite.digest, suite.extra)
    assert [case.extra for case in again.cases] == [case.extra for case in suite.cases]
    assert [[one.written for one in case.assertions] for case in again.cases] == [
        [one.written for one in case.assertions] for case in suite.cases
    ]


@settings(deadline=None, max_examples=30)
@given(document=documents("slow-powers"))
def test_unknown_keys_that_a_schema_forbids_are_losses(skill: Skill, document: dict[str, object]) -> None:
    """Each by its name."""
    suite = _read(skill, json.dumps(document))
    losses = " ".join(loss.what for loss in convert(suite, to="slow-powers", skill=skill).losses)
    for key in [*suite.extra, *(key for case in suite.cases for key in case.extra)]:
        assert repr(key) in losses


@pytest.mark.parametrize("to", TARGETS)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_whatever_is_converted_reads_back(skill: Skill, to: TargetName, data: st.DataObject) -> None:
    """With as many cases, the prompts, and (where a case has criteria left) the dialect that was asked for."""
    suite = _read(skill, json.dumps(data.draw(documents(data.draw(st.sampled_from(TARGETS))))))
    written = convert(suite, to=to, skill=skill)
    for made in written.files:
        place = Path(skill.folder) / made.path
        place.parent.mkdir(parents=True, exist_ok=True)
        content = made.content.read_bytes() if isinstance(made.content, Path) else str(made.content).encode()
        place.write_bytes(content)
    again = _read(skill, json_text(written.value))
    assert [case.prompt for case in again.cases] == [case.prompt for case in suite.cases]
    if to != "agentskills" and all(
        case.get("assertions") or case.get("expectations") for case in written.value["evals"]
    ):
        assert again.dialect == to
    if not written.losses and not written.notes:
        assert _places(again) == _places(suite)
