"""An MCP server (Model Context Protocol) with tools alone: JSON-RPC, a message a line."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from skilltrial.adapters.doubles.channel import Caller
from skilltrial.adapters.doubles.command_stub import outcome
from skilltrial.adapters.doubles.playbook import Playbook, TooManyCallsError, fits
from skilltrial.records.doubles import DoubleCall, McpDouble, McpTool
from skilltrial.records.json_value import Json

VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Of the protocol, the newest first; in all of them these messages are the same."""
_MAX_LINE_BYTES = 4_000_000
_PARSE_ERROR, _INVALID, _NO_METHOD, _BAD_PARAMS = -32700, -32600, -32601, -32602


class McpStub:
    """Answers the messages of one server's clients."""

    def __init__(self, double: McpDouble, playbook: Playbook, *, folders: Sequence[Path]) -> None:
        self._double, self._playbook, self._folders = double, playbook, folders
        self._tools = {tool.name: tool for tool in double.tools}

    async def serve(self, caller: Caller) -> None:
        """One session, until the client ends it."""
        await caller.print(b"0\n")
        waiting = caller.rest
        while chunk := await caller.read():
            *lines, waiting = (waiting + chunk).split(b"\n")
            for line in lines:
                answer = self.answer(line, cwd=caller.cwd)
                if answer is not None:
                    await caller.print(json.dumps(answer, separators=(",", ":")).encode() + b"\n")
            if len(waiting) > _MAX_LINE_BYTES:
                return

    def answer(self, line: bytes, *, cwd: str) -> Json:
        """What is said to a line; None where nothing is."""
        if not line.strip():
            return None
        try:
            message: Any = json.loads(line)
        except (ValueError, RecursionError):
            return _error(None, _PARSE_ERROR, "Parse error")
        if isinstance(message, list):
            said = [self._message(one, cwd) for one in cast("list[Any]", message)]
            return [one for one in said if one is not None] or None
        return self._message(message, cwd)

    def _message(self, message: Any, cwd: str) -> Json:
        if not isinstance(message, dict):
            return _error(None, _INVALID, "Invalid Request")
        fields = cast("dict[str, Any]", message)
        if fields.get("id") is None or "method" not in fields:
            return None  # a notification, or an answer to something that was not asked
        found: Any = fields.get("params")
        params = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        match fields["method"]:
            case "initialize":
                result = self._hello(params)
            case "ping":
                result = {}
            case "tools/list":
                result = {"tools": [_listed(tool) for tool in self._double.tools]}
            case "tools/call":
                return self._call(fields["id"], params, cwd)
            case other:
                return _error(fields["id"], _NO_METHOD, f"Method not found: {str(other)[:100]}")
        return {"jsonrpc": "2.0", "id": fields["id"], "result": result}

    def _hello(self, params: Mapping[str, Any]) -> dict[str, Json]:
        asked: Any = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": self._double.name, "version": "1.0.0"},
        }

    def _call(self, id_: Json, params: Mapping[str, Any], cwd: str) -> Json:
        name = str(params.get("name"))[:200]
        tool = self._tools.get(name)
        said = json.dumps(params.get("arguments") or {}, ensure_ascii=False, separators=(",", ":"))
        try:
            reply, state = self._playbook.take(
                f"mcp:{self._double.name}", tool.replies if tool else (), lambda one: fits(one.args_match, said)
            )
        except TooManyCallsError:
            return _error(id_, _BAD_PARAMS, "Too many calls")
        code, stdout, stderr = outcome(reply, "not available here", cwd, self._folders)
        self._playbook.record(
            DoubleCall(
                kind="mcp",
                name=f"{self._double.name}/{name}",
                input=said,
                output=stdout + stderr,
                exit_code=code,
                expected=reply is not None,
                state=state,
            )
        )
        if tool is None:
            return _error(id_, _BAD_PARAMS, f"Unknown tool: {name}")
        text = stdout + (stderr if code else "")
        result: Json = {"content": [{"type": "text", "text": text}], "isError": code != 0}
        return {"jsonrpc": "2.0", "id": id_, "result": result}


def _listed(tool: McpTool) -> Json:
    schema = tool.input_schema or {"type": "object"}
    return {"name": tool.name, "description": tool.description, "inputSchema": dict(schema)}


def _error(id_: Json, code: int, message: str) -> Json:
    return {"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}}
