"""What the client's context says of skills and of its folder."""

from __future__ import annotations

import re

from skilltrial.testing.mock_llm.request import Request

_CWD = (
    r"working directory is `([^`\n]+)`",
    r"working in the directory: ([^\n]+)",
    r"Primary working directory: ([^\n]+)",
    r"<cwd>([^<]+)</cwd>",
    r"[Ww]orking directory:? ([^\n]+)",
    r"current working directory is:? ([^\n]+)",
    r"Workspace Directories:\*\*\s+- ([^\n]+)",
)


def working_folder(request: Request) -> str:
    """The folder that the client says it works in, or `.`."""
    for pattern in _CWD:
        found = re.search(pattern, request.text)
        if found:
            return found.group(1).strip().rstrip(".")
    return "."


def skill_listed(request: Request, name: str) -> bool:
    """Whether a listing names the skill as an entry: a list item, a name element or key, a path to its SKILL.md."""
    n = re.escape(name)
    patterns = (
        rf"(?m)^\s*[-*•]\s*[`*\"']*(?:[\w.-]+:)?{n}[`*\"']*\s*(?:[:(–—-]|$)",
        rf"<name>\s*{n}\s*</name>",
        rf"\bname\s*[=:]\s*[\"']?{n}[\"']?(?![\w-])",
        rf"[/\\]{n}[/\\]SKILL\.md",
    )
    return any(re.search(pattern, request.context) for pattern in patterns)


def skill_file(request: Request, name: str) -> str:
    """The path that the client lists for the skill's SKILL.md, or a usual one.

    Codex shortens paths with a table of roots (`r1` = `/path`).
    """
    found = re.search(rf"([^\s()<>\"'`]*[/\\]{re.escape(name)}[/\\]SKILL\.md)", request.context)
    if not found:
        return f".agents/skills/{name}/SKILL.md"
    root, _, rest = found.group(1).partition("/")
    table = re.search(rf"`{re.escape(root)}` = `([^`]+)`", request.context) if root else None
    return f"{table.group(1)}/{rest}" if table else found.group(1)
