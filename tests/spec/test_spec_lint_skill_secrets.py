"""Keys and passwords in the files of a skill. All of these are made up; none is whole in this file."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.spec.lint.secrets import find_secrets
from skilltrial.spec.validate import validate_skill

TAIL = "q7Zk2Vx9Lm4Tn8Rb3Wy6Hc1Jd5Fg0PsUaT"
AWS = "AKIA" + "Q7ZK2VX9LM4TN8RB"
GITHUB = "ghp_" + TAIL + "eK"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("key = " + "sk-ant-api03-" + TAIL, "an Anthropic key"),
        ("OPENAI_API_KEY=" + "sk-proj-" + TAIL, "an OpenAI key"),
        (AWS, "an AWS access key"),
        (f'"{GITHUB}"', "a GitHub token"),
        ("glpat-" + TAIL[:20], "a GitLab token"),
        ("AIza" + TAIL + "x", "a Google key"),
        ("xoxb-" + TAIL, "a Slack token"),
        ("https://hooks.slack.com" + f"/services/T{'A1' * 4}/B{'B2' * 4}/{TAIL[:24]}", "a Slack webhook"),
        ("sk_live_" + TAIL[:24], "a Stripe key"),
        ("npm_" + TAIL + "eK", "an npm token"),
        ("hf_" + TAIL, "a Hugging Face token"),
        ("-----BEGIN RSA PRIVATE " + f"KEY-----\n{TAIL}", "a private key"),
        ("-----BEGIN PRIVATE " + f"KEY-----\\n{TAIL}", "a private key"),
    ],
)
def test_forms_of_services(text: str, kind: str) -> None:
    """These are sure; the line counts from 1."""
    assert [(secret.line, secret.kind, secret.sure) for secret in find_secrets(f"x\n{text}\n".encode())] == [
        (2, kind, True)
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"api_key: '{TAIL}'", "a key or password"),
        (f'"password" : "{TAIL}"', "a key or password"),
        (f"postgres://user:{TAIL[:16]}@db/x", "a password in an address"),
    ],
)
def test_random_values_with_such_a_name_are_likely(text: str, kind: str) -> None:
    """Not sure, so a warning."""
    assert [(secret.kind, secret.sure) for secret in find_secrets(text.encode())] == [(kind, False)]


@pytest.mark.parametrize(
    "text",
    [
        "AKIA" + "IOSFODNN7EXAMPLE",
        "sk-ant-" + "x" * 40,
        "ghp_" + "a" * 36,
        "sk-" + "your-key-goes-here-and-nowhere-else-1",
        "-----BEGIN PRIVATE KEY----- is how such a file starts",
        "api_key: 'os.environ.get(...)'",
        'token = "<your token of 20 characters>"',
        'password: "correct horse battery"',
        "postgres://user:password@localhost/x",
        "task-" + "a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7",
        "",
    ],
)
def test_placeholders_are_none(text: str) -> None:
    """Examples, repeated letters, templates, words."""
    assert find_secrets(text.encode()) == []


def test_a_finding_never_tells_the_secret(skill: Path) -> None:
    """Not in the message, the value or the hint; files of the evals are looked at too."""
    (skill / "scripts").mkdir()
    (skill / "scripts/a.py").write_text(f"# a\nKEY = '{GITHUB}'\n")
    (skill / "evals/files").mkdir(parents=True)
    (skill / "evals/files/b.env").write_text(f"AWS={AWS}\npassword='{TAIL}'\n")
    problems = [problem for problem in validate_skill(skill) if problem.rule in {"ST206", "ST209"}]
    assert [(problem.severity, Path(problem.file).name, problem.line) for problem in problems] == [
        ("error", "b.env", 1),
        ("warning", "b.env", 2),
        ("error", "a.py", 2),
    ]
    told = "".join(problem.model_dump_json() for problem in problems)
    assert all(secret not in told for secret in (GITHUB, AWS, TAIL))


def test_binary_files_are_no_trouble() -> None:
    """And what is in them is found."""
    assert [secret.line for secret in find_secrets(b"\x00\xff\n" + AWS.encode() + b"\x00")] == [2]
