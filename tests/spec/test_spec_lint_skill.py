"""Rules for a SKILL.md and the skill's other files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from skilltrial.spec.findings import Problem
from skilltrial.spec.lint.host_keys import FIELDS, HOSTS, meant
from skilltrial.spec.lint.skill_body import estimated_tokens
from skilltrial.spec.lint.skill_links import named_paths
from skilltrial.spec.validate import validate, validate_skill

GOOD = "Reads PDF files. Use it for PDF files."


def _write(skill: Path, *, front: str = "", description: str = GOOD, body: str = "# How\n") -> list[Problem]:
    """The findings about a skill that has this beside what every skill has."""
    (skill / "SKILL.md").write_text(f"---\nname: pdf\ndescription: {description}\n{front}---\n{body}")
    return validate_skill(skill)


def _codes(problems: list[Problem]) -> list[str]:
    return [problem.code for problem in problems]


@pytest.mark.parametrize(
    ("front", "code"),
    [
        ("compatibility: ''\n", "compatibility-empty"),
        ("compatibility:\n", "compatibility-empty"),
        ("compatibility: 3\n", "field-not-text"),
        ("license: [MIT]\n", "field-not-text"),
        ("metadata:\n", "metadata-rule"),
        ("metadata:\n  version: 1.0\n", "metadata-rule"),
        ("metadata:\n  a:\n    b: c\n", "metadata-rule"),
        ("allowed-tools:\n  - Read\n", "allowed-tools-rule"),
        ("allowed-tools:\n", "allowed-tools-rule"),
    ],
)
def test_fields_that_break_the_specification(skill: Path, front: str, code: str) -> None:
    """Each is one error, in the line of its key."""
    (problem,) = _write(skill, front=front)
    assert (problem.severity, problem.code, problem.line) == ("error", code, 4)


def test_fields_as_the_specification_has_them(skill: Path) -> None:
    """Nothing to say."""
    front = 'license: MIT\ncompatibility: Needs git\nmetadata:\n  version: "1.0"\nallowed-tools: Bash(git:*) Read\n'
    assert _write(skill, front=front) == []


def test_a_key_of_an_agent_is_a_note(skill: Path) -> None:
    """It names the agents that read it."""
    (problem,) = _write(skill, front="disable-model-invocation: true\n")
    assert (problem.severity, problem.code) == ("note", "field-of-host")
    assert "Claude Code, Cursor, Copilot and pi read it" in problem.message


@pytest.mark.parametrize(
    ("key", "field"),
    [
        ("allowed_tools", "allowed-tools"),
        ("allowedTools", "allowed-tools"),
        ("Description", "description"),
        ("licence", "license"),
        ("compatability", "compatibility"),
        ("user-invokable", "user-invocable"),
        ("when-to-use", "when_to_use"),
        ("version", None),
        ("author", None),
        ("tags", None),
    ],
)
def test_slips_of_keys(key: str, field: str | None) -> None:
    """Other spellings are recognised; keys of one's own are left alone."""
    assert meant(key) == field


def test_known_keys_are_no_slips_of_each_other() -> None:
    """Whatever is in the lists means itself."""
    assert [key for key in (*FIELDS, *HOSTS) if meant(key)] == []


def test_a_slip_is_a_warning_with_the_right_key(skill: Path) -> None:
    """It has no effect as it stands."""
    (problem,) = _write(skill, front="allowed_tools: Read\n")
    assert (problem.severity, problem.code) == ("warning", "field-slip")
    assert "did you mean 'allowed-tools'?" in problem.message


@pytest.mark.parametrize(
    ("description", "codes"),
    [
        ("pdf skill", ["description-is-name"]),
        ("Handles PDF documents", ["description-short"]),
        ("PDF 文件阅读器。当用户提到 PDF 时使用。", []),
        ("Reads the text of PDF files and fills in forms of any kind", ["description-no-when"]),
        ("Reads the text of PDF files. Use when the user mentions a PDF", []),
        ("Liest PDF-Dateien und füllt Formulare in ihnen aus", []),
        ("I can read PDF files when you ask me to", ["description-person"]),
        ('Reads PDF files when the user says "I can not open this"', []),
        ("Explains I/O errors of PDF files when a read fails", []),
        ("Reads <file> as PDF when the user asks for it", ["description-markup"]),
    ],
)
def test_what_a_description_says(skill: Path, description: str, codes: list[str]) -> None:
    """One thing at a time; wording is judged in English only."""
    assert _codes(_write(skill, description=f"'{description}'")) == codes


def test_the_end_of_a_long_entry_is_cut(skill: Path) -> None:
    """`pdf: `, 512 characters, a space and 1,019 more are 1,537, one more than Claude Code shows."""
    for length, codes in ((1018, []), (1019, ["listing-cut"])):
        text = f"Use when {'d ' * 251}d"
        problems = _write(skill, description=text, front=f"when_to_use: {'w' * length}\n")
        assert len(text) == 512
        assert [code for code in _codes(problems) if code != "field-of-host"] == codes


def test_a_description_that_takes_a_tenth_of_the_list(skill: Path) -> None:
    """730 characters are a tenth of 7,300."""
    for length, codes in ((730, []), (731, ["listing-share"])):
        description = "Use when asked. It reads PDF " + "x" * (length - 29)
        assert _codes(_write(skill, description=description)) == codes


def test_a_long_body(skill: Path) -> None:
    """500 lines are allowed, and 5,000 tokens of 4 characters."""
    assert _codes(_write(skill, body="x\n" * 500)) == []
    assert _codes(_write(skill, body="x\n" * 501)) == ["body-long"]
    assert _codes(_write(skill, body="x" * 20_003)) == []
    (problem,) = _write(skill, body="x" * 20_004)
    assert problem.code == "body-heavy"
    assert "(estimated at 4 characters each)" in problem.message


def test_tokens_of_dense_scripts() -> None:
    """A sign of Chinese is about a token; four letters are one."""
    assert (estimated_tokens("abcdefgh"), estimated_tokens("技能"), estimated_tokens("")) == (2, 2, 0)


def test_paths_that_a_text_names() -> None:
    """Links outside of code, definitions, and the conventional folders anywhere; each once, with its line."""
    text = (
        "See [a](references/a.md#top) and [b](<docs/b c.md> 'title').\n"
        "Not [c](https://x.example/c.md), [d](#d), [e](mailto:x@y.example), `[f](f.md)`, [g](path/{name}.md).\n"
        "```sh\npython scripts/run.py --in assets/x.csv\n[h](h.md)\n```\n"
        "[i]: ./references/i%20j.md\nSee references/a.md again, other/scripts/z.py, and ${CLAUDE_SKILL_DIR}/scripts/k.sh.\n"
    )
    assert [(name.path, name.line) for name in named_paths(text)] == [
        ("references/a.md", 1),
        ("docs/b c.md", 1),
        ("scripts/run.py", 4),
        ("assets/x.csv", 4),
        ("references/i j.md", 7),
        ("scripts/k.sh", 8),
    ]


def test_paths_that_lead_nowhere(skill: Path) -> None:
    """In the lines where they stand: the body starts in line 5."""
    (skill / "evals").mkdir()
    (skill / "evals/x.md").write_text("x")
    body = "[a](references/a.md)\nRun `scripts/b.py`\n[c](../other/c.md) [d](/etc/d.md)\n[e](evals/x.md)\n"
    assert [(problem.line, problem.code, problem.place) for problem in _write(skill, body=body)] == [
        (5, "reference-missing", "references/a.md"),
        (6, "script-missing", "scripts/b.py"),
        (7, "reference-outside", "../other/c.md"),
        (7, "reference-outside", "/etc/d.md"),
        (8, "reference-missing", "evals/x.md"),
    ]


def test_references_of_references(skill: Path) -> None:
    """From the skill's root or from the file's own folder; what SKILL.md does not name itself is too deep."""
    (skill / "references").mkdir()
    (skill / "references/a.md").write_text("[b](b.md)\n[c](references/c.md)\n[d](d.md)\n")
    (skill / "references/b.md").write_text("b")
    (skill / "references/c.md").write_text("c")
    problems = _write(skill, body="[a](references/a.md) [c](references/c.md)\n")
    assert [(Path(problem.file).name, problem.line, problem.code) for problem in problems] == [
        ("a.md", 1, "reference-deep"),
        ("a.md", 3, "reference-missing"),
    ]


def test_a_folder_may_be_named(skill: Path) -> None:
    """It has files."""
    (skill / "references").mkdir()
    (skill / "references/a.md").write_text("a")
    assert _write(skill, body="[all](references/) [top](.) [self](SKILL.md)\n") == []


def test_empty_files_and_scripts_that_do_not_start(skill: Path) -> None:
    """Empty files that have a reason are left alone."""
    (skill / "scripts").mkdir()
    (skill / "references").mkdir()
    (skill / "references/a.md").write_text(" \n")
    (skill / "scripts/__init__.py").write_text("")
    (skill / "scripts/run.sh").write_text("#!/bin/sh\n")
    (skill / "scripts/fine.sh").write_text("#!/bin/sh\n")
    (skill / "scripts/fine.sh").chmod(0o755)
    problems = _write(skill)
    assert [(problem.code, Path(problem.file).name) for problem in problems] == [
        ("empty-reference", "a.md"),
        ("not-executable", "run.sh"),
    ]


def test_a_second_file_in_other_letters(skill: Path) -> None:
    """Where the file system can tell them apart."""
    (skill / "skill.md").write_text("x")
    if len(list(skill.iterdir())) == 1:
        pytest.skip("this file system does not tell capitals apart")
    assert _codes(_write(skill)) == ["skill-file-twice"]


def test_only_a_file_in_lower_case(skill: Path) -> None:
    """Agents look for SKILL.md."""
    (skill / "SKILL.md").rename(skill / "skill.md")
    (problem,) = validate_skill(skill)
    assert (problem.severity, problem.rule) == ("error", "ST102")
    assert "Rename 'skill.md' to 'SKILL.md'" in problem.hint


def test_line_ends_and_marks_are_named(skill: Path) -> None:
    """Both can be fixed."""
    text = f"\ufeff---\nname: pdf\ndescription: {GOOD}\n---\nBody\n".replace("\n", "\r\n")
    (skill / "SKILL.md").write_bytes(text.encode())
    found = [(problem.severity, problem.code) for problem in validate_skill(skill)]
    assert sorted(found) == [("note", "crlf"), ("warning", "byte-order-mark")]


def test_a_key_twice_is_an_error(skill: Path) -> None:
    """Both lines are named."""
    (skill / "SKILL.md").write_text("---\nname: pdf\nname: pdf\ndescription: d\n---\nBody")
    (problem,) = validate_skill(skill)
    assert (problem.severity, problem.rule, problem.line) == ("error", "ST106", 3)
    assert "lines 2 and 3" in problem.message


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_front_matter_makes_it_crash(skill: Path, data: st.DataObject) -> None:
    """Every prefix, and a piece put in anywhere."""
    whole = (
        f"---\nname: pdf # x\ndescription: >-\n  {GOOD}\n  more\nallowed-tools: [Bash, 'Read']\n"
        "metadata:\n  a: 1\n  b: &x {c: [d]}\n---\n[a](references/a.md)\n```\n`scripts/x.py`"
    )
    piece = data.draw(
        st.sampled_from(["", "---", "\n", "\t", ": ", "'", "[", "\r\n", "\ufeff", "\0", "é", "*x", "](", "?"])
    )
    start, end = (data.draw(st.integers(0, len(whole))) for _ in range(2))
    (skill / "SKILL.md").write_bytes((whole[:start] + piece + whole[start:end]).encode())
    validation = validate(skill)
    assert all(problem.rule for problem in validation.problems)


@pytest.mark.shared
def test_all_skills_of_the_corpus_are_checked(shared: Path) -> None:
    """None makes it crash, every finding has a code, and none of those that can be read is called unreadable."""
    folders = sorted(path.parent for path in (shared / "corpus/skills").glob("*/SKILL.md"))
    assert len(folders) >= 40
    validations = [validate(folder) for folder in folders]
    assert all(problem.rule for one in validations for problem in one.problems)
    assert sum(one.skill is None for one in validations) <= len(folders) // 5
