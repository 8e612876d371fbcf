"""The scripted model server, played against in each wire format."""

from __future__ import annotations

import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from skilltrial.testing.mock_llm import SCENARIOS, MockLLM, Scenario, ScenarioError

TOOLS = {
    "Skill": {"skill": "string"},
    "Read": {"file_path": "string"},
    "Write": {"file_path": "string", "content": "string"},
    "Bash": {"command": "string", "description": "string"},
}
LISTING = "Working directory: /workspace\nSkills:\n- csv-report: Turns a CSV file into a report."
HELLO = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}

Turn = tuple[str, list[tuple[str, str, Any]], Callable[[str, str], None]]


@pytest.fixture
def mock() -> Iterator[MockLLM]:
    """A server with all shipped scenarios."""
    with MockLLM(SCENARIOS / "text.json", SCENARIOS) as server:
        yield server


def post(url: str, body: dict[str, Any], timeout: float = 10) -> tuple[int, dict[str, str], str]:
    """Status, headers and text of the answer to a JSON request."""
    headers = {"content-type": "application/json", "x-api-key": "secret"}
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode()


def events(text: str) -> list[dict[str, Any]]:
    """The data of all server-sent events."""
    lines = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def schema(name: str) -> dict[str, Any]:
    """The JSON schema of a tool."""
    properties = {key: {"type": kind} for key, kind in TOOLS[name].items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def anthropic_blocks(text: str) -> list[dict[str, Any]]:
    """The content blocks of a streamed answer."""
    seen = events(text)
    assert seen[0]["type"] == "message_start"
    assert seen[-1]["type"] == "message_stop"
    blocks: list[dict[str, Any]] = []
    for event in seen:
        if event["type"] == "content_block_start":
            blocks.append({**event["content_block"], "json": ""})
        elif event["type"] == "content_block_delta":
            block = blocks[event["index"]]
            block["text"] = block.get("text", "") + event["delta"].get("text", "")
            block["json"] += event["delta"].get("partial_json", "")
    for block in blocks:
        if block["type"] == "tool_use":
            block["input"] = json.loads(block["json"])
    return blocks


def anthropic_turn(url: str, history: list[Any], stream: bool) -> Turn:
    """One turn of the Messages API."""
    tools = [{"name": name, "input_schema": schema(name)} for name in TOOLS]
    body = {"model": "m", "max_tokens": 99, "stream": stream, "system": LISTING, "messages": history, "tools": tools}
    status, _, text = post(f"{url}/v1/messages?beta=true", body)
    assert status == 200, text
    blocks = anthropic_blocks(text) if stream else json.loads(text)["content"]
    said = "".join(block.get("text", "") for block in blocks if block["type"] == "text")
    calls = [(block["id"], block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
    history.append({"role": "assistant", "content": blocks})

    def give(call_id: str, out: str) -> None:
        result = {"type": "tool_result", "tool_use_id": call_id, "content": out}
        history.append({"role": "user", "content": [result]})

    return said, calls, give


def chat_stream(text: str) -> tuple[str, list[dict[str, Any]]]:
    """Text and tool calls of a streamed answer."""
    said, calls = "", []
    seen = events(text)
    assert seen[-1]["usage"]["total_tokens"] > 0
    for choice in [choice for event in seen for choice in event["choices"]]:
        said += choice["delta"].get("content") or ""
        for call in choice["delta"].get("tool_calls", []):
            if "id" in call:
                calls.append(call)
            else:
                calls[call["index"]]["function"]["arguments"] += call["function"]["arguments"]
    return said, calls


def chat_turn(url: str, history: list[Any], stream: bool) -> Turn:
    """One turn of the Chat Completions API."""
    tools = [{"type": "function", "function": {"name": name, "parameters": schema(name)}} for name in TOOLS]
    messages = [{"role": "system", "content": LISTING}, *history]
    body = {"model": "m", "stream": stream, "stream_options": {"include_usage": True}, "messages": messages}
    status, _, text = post(f"{url}/v1/chat/completions", {**body, "tools": tools})
    assert status == 200, text
    if stream:
        said, calls = chat_stream(text)
    else:
        message = json.loads(text)["choices"][0]["message"]
        said, calls = message["content"] or "", message.get("tool_calls", [])
    history.append({"role": "assistant", "content": said, "tool_calls": calls})

    def give(call_id: str, out: str) -> None:
        history.append({"role": "tool", "tool_call_id": call_id, "content": out})

    plain = [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
    return said, plain, give


def responses_turn(url: str, history: list[Any], stream: bool) -> Turn:
    """One turn of the Responses API."""
    tools = [{"type": "function", "name": name, "parameters": schema(name)} for name in TOOLS]
    body = {"model": "m", "stream": stream, "instructions": LISTING, "input": history, "tools": tools}
    status, _, text = post(f"{url}/v1/responses", body)
    assert status == 200, text
    if stream:
        seen = events(text)
        assert [event["sequence_number"] for event in seen] == list(range(len(seen)))
        items = [event["item"] for event in seen if event["type"] == "response.output_item.done"]
        assert seen[-1]["type"] == "response.completed"
        assert seen[-1]["response"]["output"] == items
    else:
        items = json.loads(text)["output"]
    said = "".join(part["text"] for item in items if item["type"] == "message" for part in item["content"])
    calls = [
        (item["call_id"], item["name"], json.loads(item["arguments"]))
        for item in items
        if item["type"] == "function_call"
    ]
    history.extend(items)

    def give(call_id: str, out: str) -> None:
        history.append({"type": "function_call_output", "call_id": call_id, "output": out})

    return said, calls, give


def gemini_turn(url: str, history: list[Any], stream: bool) -> Turn:
    """One turn of Gemini's API."""
    contents = [{"role": item["role"], "parts": item.get("parts") or [{"text": item["content"]}]} for item in history]
    tools = [{"functionDeclarations": [{"name": name, "parametersJsonSchema": schema(name)} for name in TOOLS]}]
    body = {"systemInstruction": {"parts": [{"text": LISTING}]}, "contents": contents, "tools": tools}
    verb = "streamGenerateContent?alt=sse" if stream else "generateContent"
    status, _, text = post(f"{url}/v1beta/models/m:{verb}", body)
    assert status == 200, text
    answers = events(text) if stream else [json.loads(text)]
    assert answers[-1]["candidates"][0]["finishReason"] == "STOP"
    assert answers[-1]["usageMetadata"]["totalTokenCount"] > 0
    parts = [part for answer in answers for part in answer["candidates"][0]["content"]["parts"]]
    said = "".join(part.get("text", "") for part in parts)
    asked = [part["functionCall"] for part in parts if "functionCall" in part]
    names = {call["id"]: call["name"] for call in asked}
    history.append({"role": "model", "parts": parts})

    def give(call_id: str, out: str) -> None:
        response = {"id": call_id, "name": names[call_id], "response": {"output": out}}
        history.append({"role": "user", "parts": [{"functionResponse": response}]})

    return said, [(call["id"], call["name"], call["args"]) for call in asked], give


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("turn", [anthropic_turn, chat_turn, responses_turn, gemini_turn])
def test_a_client_plays_the_whole_tool_loop(
    mock: MockLLM, turn: Callable[[str, list[Any], bool], Turn], stream: bool
) -> None:
    """The skill scenario leads a client of each format through its four tools to the final text."""
    url = mock.url("skill", "loop")
    history: list[Any] = [{"role": "user", "content": "Summarise data.csv"}]
    used: list[tuple[str, Any]] = []
    said = ""
    for _ in range(9):
        said, calls, give = turn(url, history, stream)
        if not calls:
            break
        for call_id, tool, given in calls:
            used.append((tool, given))
            give(call_id, "fine")
    assert used == [
        ("Skill", {"skill": "csv-report"}),
        ("Read", {"file_path": "/workspace/data.csv"}),
        ("Write", {"file_path": "/workspace/report.md", "content": "# Report\n\nRows: 2\n"}),
        ("Bash", {"command": "wc -l report.md", "description": "mock"}),
    ]
    assert said == "report.md is written; the CSV has 2 rows."
    log = mock.log.select("loop")
    assert [record["step"] for record in log] == [0, 1, 2, 3, 4]
    assert not any(record["problems"] for record in log)


def test_credentials_never_reach_the_log(mock: MockLLM) -> None:
    """The log shows that a key came, not which."""
    post(f"{mock.url(run='k')}/v1/messages", HELLO)
    assert mock.log.select("k")[0]["headers"]["x-api-key"] == "<redacted>"


def test_a_skill_in_the_prompt_is_not_a_listed_skill(mock: MockLLM) -> None:
    """A mention by the user does not count as a listing."""
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "Use csv-report on data.csv"}],
        "tools": [{"name": "Read", "input_schema": schema("Read")}],
    }
    assert "no skill for this" in post(f"{mock.url('skill')}/v1/messages", body)[2]


def test_a_scripted_error_has_the_shape_of_its_format(mock: MockLLM) -> None:
    """Anthropic's and OpenAI's errors differ."""
    status, _, text = post(f"{mock.url('auth_401')}/v1/messages", HELLO)
    assert (status, json.loads(text)["error"]["type"]) == (401, "authentication_error")
    status, _, text = post(f"{mock.url('auth_401')}/v1/responses", {"model": "m", "input": "hi"})
    assert (status, json.loads(text)["error"]["message"]) == (401, "invalid x-api-key")


@pytest.mark.parametrize("run", ["a", "b"])
def test_counters_are_kept_per_run(mock: MockLLM, run: str) -> None:
    """`times` starts anew for every run."""
    post(f"{mock.url('rate_limit_then_ok', 'other')}/v1/messages", HELLO)
    answers = [post(f"{mock.url('rate_limit_then_ok', run)}/v1/messages", HELLO) for _ in range(3)]
    assert [answer[0] for answer in answers] == [429, 429, 200]
    assert answers[0][1]["retry-after"] == "1"


def test_texts_are_filled_in(mock: MockLLM) -> None:
    """A scenario's text names the model that was asked for."""
    text = post(f"{mock.url('unknown_model')}/v1/chat/completions", {**HELLO, "model": "gone"})[2]
    assert "model: gone" in text


def test_a_cut_stream_breaks_off_once(mock: MockLLM) -> None:
    """The first answer ends in the middle, the second is whole."""
    url = f"{mock.url('cut_stream', 'c')}/v1/messages"
    with pytest.raises(http.client.IncompleteRead):
        post(url, {**HELLO, "stream": True})
    assert "whole" in post(url, {**HELLO, "stream": True})[2]


def test_a_hanging_answer_shows_as_aborted(mock: MockLLM) -> None:
    """The log shows that the client gave up."""
    for limit in (0.3, 30.0):  # the longer one where the machine is busy
        with pytest.raises(OSError, match="timed out"):
            post(f"{mock.url('hang', 'h')}/v1/messages", HELLO, timeout=limit)
        if mock.log.select("h"):
            break
    for _ in range(1200):
        if mock.log.select("h")[0]["done"]:
            break
        time.sleep(0.05)
    assert mock.log.select("h")[0]["aborted"]


def test_the_other_routes_answer(mock: MockLLM) -> None:
    """Models, token counts, health, and a plain 404 for the rest."""
    with urllib.request.urlopen(f"{mock.url(openai=True)}/models") as answer:
        assert json.load(answer)["data"][0]["id"] == "mock-model"
    status, _, text = post(f"{mock.url()}/v1/messages/count_tokens", {"messages": []})
    assert status == 200
    assert json.loads(text)["input_tokens"] > 0
    assert post(f"{mock.url()}/v1/nothing", {})[0] == 404
    assert post(f"{mock.url('nothing')}/v1/messages", {})[0] == 404
    with urllib.request.urlopen(f"{mock.url()}/_mock/health") as answer:
        assert "skill" in json.load(answer)["scenarios"]


def test_parallel_runs_are_all_answered(mock: MockLLM) -> None:
    """Of twenty clients at once none is lost."""
    failures: list[Any] = []

    def work(number: int) -> None:
        status, _, text = post(f"{mock.url('text', f'p{number}')}/v1/messages", {**HELLO, "stream": True})
        if status != 200 or "message_stop" not in text:
            failures.append((number, status, text))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert [len(mock.log.select(f"p{number}")) for number in range(20)] == [1] * 20


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ({}, "no rules"),
        ({"rules": [{"reply": {"txt": "x"}}]}, "reply: unknown txt"),
        ({"rules": [{"when": {"stepp": 1}, "reply": {}}]}, "when: unknown stepp"),
        ({"rules": [{"reply": {"fault": "explode"}}]}, "fault is one of"),
        ({"rules": [{"reply": {"calls": [{}]}}]}, "a call has no tool"),
    ],
)
def test_a_mistake_in_a_scenario_is_named(data: dict[str, Any], place: str) -> None:
    """The message says where the mistake is."""
    with pytest.raises(ScenarioError, match=place):
        Scenario(data)


@pytest.mark.parametrize("path", sorted(SCENARIOS.iterdir()), ids=lambda path: path.stem)
def test_every_shipped_scenario_loads(path: Any) -> None:
    """The package's own scenarios are valid."""
    assert Scenario.load(path).name == path.stem
