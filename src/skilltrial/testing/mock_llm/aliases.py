"""Tool names of several agent programs, so that one scenario fits many.

An alias like `$run` takes the first known tool that the request offers, renames the parameters by its schema and fills
what else the schema requires.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from skilltrial.testing.mock_llm.listing import skill_file
from skilltrial.testing.mock_llm.request import Request, ToolSpec
from skilltrial.testing.mock_llm.turn import ScriptedCall


@dataclass(frozen=True)
class Alias:
    """Names that a tool has, and that its parameters have, the usual ones first."""

    names: Sequence[str]
    parameters: Mapping[str, Sequence[str]]


ALIASES = {
    "$run": Alias(
        (
            "Bash",
            "shell_command",
            "shell",
            "exec_command",
            "local_shell",
            "run_shell_command",
            "run_command",
            "execute_command",
            "developer__shell",
            "terminal",
        ),
        {"command": ("command", "cmd", "CommandLine", "script")},
    ),
    "$read": Alias(
        ("Read", "read_file", "view", "view_file", "read_text_file"),
        {"path": ("file_path", "filePath", "path", "absolute_path", "AbsolutePath", "target_file")},
    ),
    "$write": Alias(
        ("Write", "write_file", "create", "create_file", "write_to_file"),
        {
            "path": ("file_path", "filePath", "path", "absolute_path", "TargetFile"),
            "content": ("content", "contents", "file_text", "text", "CodeContent"),
        },
    ),
    "$skill": Alias(
        ("Skill", "activate_skill", "use_skill", "load_skill"),
        {"name": ("skill", "name", "skill_name", "skillName")},
    ),
    "$agent": Alias(
        ("Task", "Agent", "spawn_agent", "delegate"),
        {
            "prompt": ("prompt", "message", "task", "objective"),
            "type": ("subagent_type", "agent_type", "agent", "agent_name"),
            "description": ("description", "title"),
        },
    ),
}


def offered(request: Request, tool: str) -> ToolSpec | None:
    """The offered tool of this name or alias."""
    if tool in ALIASES:
        return next(filter(None, (request.tool(name) for name in ALIASES[tool].names)), None)
    return request.tool(tool)


def resolve(call: dict[str, Any], request: Request, problems: list[str]) -> ScriptedCall:
    """The call that a scenario asks for, in the words of the client; what cannot be done is added to `problems`."""
    tool, given = call["tool"], call.get("input", {})
    spec = offered(request, tool)
    if tool not in ALIASES:
        return ScriptedCall(spec.name, given, spec.kind, spec.group) if spec else ScriptedCall(tool, given)
    if spec:
        return ScriptedCall(spec.name, _fit(spec, ALIASES[tool], given), spec.kind)
    plainer = _plainer(tool, given, request)
    if plainer:
        return resolve(plainer, request, problems)
    problems.append(f"no tool for {tool} among: {', '.join(spec.name for spec in request.tools)}")
    return ScriptedCall(ALIASES[tool].names[0], given)


def _plainer(tool: str, given: dict[str, Any], request: Request) -> dict[str, Any] | None:
    """The same work through a plainer tool, for clients that lack the right one."""
    if tool == "$skill":
        return {"tool": "$read", "input": {"path": skill_file(request, given.get("name", ""))}}
    if tool not in ("$read", "$write") or not offered(request, "$run"):
        return None
    path = shlex.quote(given.get("path", ""))
    if tool == "$read":
        return {"tool": "$run", "input": {"command": f"cat {path}"}}
    content = given.get("content", "").removesuffix("\n")
    return {"tool": "$run", "input": {"command": f"cat > {path} <<'MOCK_EOF'\n{content}\nMOCK_EOF"}}


def _fit(spec: ToolSpec, alias: Alias, given: dict[str, Any]) -> dict[str, Any]:
    properties: dict[str, Any] = spec.schema.get("properties") or {}
    fitted: dict[str, Any] = {}
    for key, value in given.items():
        options = alias.parameters.get(key, [key])
        name = next((option for option in options if option in properties), options[0])
        as_list = key == "command" and properties.get(name, {}).get("type") == "array"
        fitted[name] = ["bash", "-lc", value] if as_list else value
    required: list[str] = spec.schema.get("required", [])
    for name in required:
        if name not in fitted:
            fitted[name] = _filler(properties.get(name) or {})
    return fitted


def _filler(schema: dict[str, Any]) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    kind = schema.get("type")
    empty: dict[str, Any] = {"boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}
    return empty.get(str(cast("list[Any]", kind)[0] if isinstance(kind, list) else kind), "mock")
