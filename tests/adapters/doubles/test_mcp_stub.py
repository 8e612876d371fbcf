"""The MCP stub, over the standard input and output of the program that an agent starts."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from doubles_bench import Visit

from skilltrial.ports import StandIns, TrialFolders

TICKETS = {
    "mcp": [
        {
            "name": "tickets",
            "tools": [
                {
                    "name": "close",
                    "description": "Closes one.",
                    "input_schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
                    "replies": [
                        {"args_match": '"id":7', "stdout": "closed"},
                        {"stderr": "no such ticket", "exit_code": 1},
                    ],
                },
                {"name": "list"},
            ],
        }
    ]
}


def saying(*messages: Any) -> tuple[list[Any], Any]:
    """A client that says messages, and what it is answered."""
    said: list[Any] = []

    def act(stand_ins: StandIns, folders: TrialFolders) -> None:
        text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in messages)
        done = subprocess.run(
            stand_ins.servers[0].argv, input=text, capture_output=True, text=True, check=True, cwd=folders.work
        )
        said.extend(map(json.loads, done.stdout.splitlines()))

    return said, act


def request(number: int, method: str, **params: Any) -> dict[str, Any]:
    """A JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def test_a_session_from_hello_to_call(visit: Visit) -> None:
    """The client's version is taken where it is known; notifications are not answered."""
    said, act = saying(
        request(1, "initialize", protocolVersion="2024-11-05"),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request(2, "tools/list"),
        request(3, "tools/call", name="close", arguments={"id": 7}),
    )
    calls = visit(TICKETS, act)
    hello, listed, called = (one["result"] for one in said)
    assert hello == {
        "protocolVersion": "2024-11-05",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "tickets", "version": "1.0.0"},
    }
    assert [(tool["name"], tool["inputSchema"]["type"]) for tool in listed["tools"]] == [
        ("close", "object"),
        ("list", "object"),
    ]
    assert called == {"content": [{"type": "text", "text": "closed"}], "isError": False}
    assert [(call.kind, call.name, call.input, call.expected) for call in calls] == [
        ("mcp", "tickets/close", '{"id":7}', True)
    ]


def test_errors_of_tools_are_results_and_unknown_ones_are_errors(visit: Visit) -> None:
    """A reply with a code; a tool without a fitting reply; a tool that is none."""
    said, act = saying(*(request(n, "tools/call", name=name) for n, name in enumerate(["close", "list", "burn"], 1)))
    calls = visit(TICKETS, act)
    assert said[0]["result"] == {"content": [{"type": "text", "text": "no such ticket"}], "isError": True}
    assert said[1]["result"]["isError"] is True
    assert said[2]["error"]["code"] == -32602
    assert [(call.name, call.expected) for call in calls] == [
        ("tickets/close", True),
        ("tickets/list", False),
        ("tickets/burn", False),
    ]


def test_what_is_no_message_is_an_error(visit: Visit) -> None:
    """And the session goes on."""
    said, act = saying("{no json", "7", request(1, "resources/list"), request(2, "ping"))
    visit(TICKETS, act)
    assert [one.get("error", {}).get("code") for one in said] == [-32700, -32600, -32601, None]


def test_an_unknown_version_gets_the_newest(visit: Visit) -> None:
    """The client then decides whether it can go on."""
    said, act = saying(request(1, "initialize", protocolVersion="1999-01-01"))
    visit(TICKETS, act)
    assert said[0]["result"]["protocolVersion"] == "2025-11-25"


def test_names_of_the_agents_making_are_recorded_as_text_without_secrets(visit: Visit) -> None:
    """Half a character in one would be a record that cannot be written, and the end of the run."""
    said, act = saying(
        request(1, "tools/call", name="\udc00"),
        request(2, "tools/call", name="sesame"),
    )
    calls = visit(TICKETS, act)
    assert [answer["error"]["code"] for answer in said] == [-32602, -32602]
    assert [call.model_dump_json(include={"name"}) for call in calls] == [
        '{"name":"tickets/?"}',
        '{"name":"tickets/***"}',
    ]
