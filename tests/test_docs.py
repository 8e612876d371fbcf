"""What the documents promise: commands and options that are there, links that lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from skilltrial.cli.app import make_app

ROOT = Path(__file__).resolve().parent.parent
OWN_SKILL = [ROOT / "skills/skilltrial/SKILL.md", *ROOT.glob("skills/skilltrial/references/*.md")]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md"), *OWN_SKILL])
CODE = re.compile(r"^(?: {4}|\t).*$|`[^`\n]+`", re.MULTILINE)
COMMAND = re.compile(r"\bskilltrial ((?:[a-z][a-z-]*)(?: [^`#|;&>\n]*)?)")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def _code(text: str) -> list[str]:
    """All that is set as code, line by line."""
    fenced = [line for block in FENCE.findall(text) for line in block.splitlines()[1:-1]]
    return fenced + CODE.findall(FENCE.sub("", text))


def _unknown(words: list[str], command: Any) -> str | None:
    """The first command or option in a line that there is none of."""
    while isinstance(command, TyperGroup):
        if not words or not words[0][0].isalpha():
            return None
        found = command.commands.get(words[0]) or command.commands.get(getattr(command, "default", ""))
        if found is None:
            return words[0]
        command, words = found, words[1:]
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    known |= {"--help", "-h"}
    options = [word.split("=")[0].strip("[]().,:") for word in words if word.lstrip("[(").startswith("--")]
    return next((option for option in options if option != "--" and option not in known), None)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_in_the_documents_are_there(page: Path) -> None:
    """Each with each of its options; a changelog tells of what was as well."""
    root = typer.main.get_command(make_app())
    lines = [match[1] for line in _code(page.read_text(encoding="utf-8")) for match in COMMAND.finditer(line)]
    wrong = [
        (line, unknown) for line in lines if (unknown := _unknown(QUOTED.sub("X", line).split(), root)) is not None
    ]
    assert wrong == []


def _anchors(page: Path) -> set[str]:
    """Of the headings, as GitHub makes them."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Those to other files and headings of the repository."""
    missing: list[str] = []
    for link in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in _anchors(target)):
            missing.append(link)
    assert missing == []
