"""The embedded model, for real: its process, its answers under a schema, and its end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest

from skilltrial.adapters.llm.embedded import embedded_status, open_embedded, physical_cores
from skilltrial.adapters.llm.model_file import MODEL_NAME, PUBLISHED_SHA256, prepare_model_file
from skilltrial.errors import Crashed

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}

PARENT = """
import subprocess, sys
child = subprocess.Popen(
    [sys.executable, "-m", "skilltrial.adapters.llm.embedded_server", sys.argv[1], "--threads", "1", "--context", "512"],
    stdin=subprocess.PIPE,
)
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.local_model
def test_it_answers_under_a_schema_and_says_what_it_is() -> None:
    """One model, one answer of the asked form, and its facts."""
    from pydantic_ai.direct import model_request
    from pydantic_ai.messages import ModelRequest, UserPromptPart
    from pydantic_ai.settings import ModelSettings

    wanted = {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": SCHEMA}}

    async def ask() -> tuple[str, dict[str, str], str | None]:
        async with open_embedded(dict(os.environ)) as model:
            said = await model_request(
                model.client,
                [ModelRequest(parts=[UserPromptPart("What is 2 + 2?")])],
                model_settings=ModelSettings(extra_body={"response_format": wanted}, seed=1),
            )
            return said.text or "", dict(model.facts), said.model_name

    text, facts, served = anyio.run(ask)
    assert set(json.loads(text)) == {"sum"}
    assert facts["model_sha256"] == PUBLISHED_SHA256
    assert facts["engine"].startswith("xllamacpp ")
    assert facts["threads"] == str(physical_cores())
    assert served == MODEL_NAME


@pytest.mark.local_model
def test_it_ends_when_its_parent_is_killed() -> None:
    """Also by SIGKILL, also while it loads: two gigabytes must not stay behind."""
    model = prepare_model_file(dict(os.environ))
    parent = subprocess.Popen([sys.executable, "-c", PARENT, str(model.path)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent, parent.stdout:
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 120
    while alive(child) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(child)


@pytest.mark.local_model
def test_a_file_that_is_no_model_is_one_clear_error(tmp_path: Path) -> None:
    """The engine's end is told with the file and what it takes; nothing hangs."""
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF, but not really")
    env = {**os.environ, "SKILLTRIAL_EMBEDDED_MODEL": str(broken), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    async def open_it() -> None:
        async with open_embedded(env):
            pytest.fail("it was opened")

    with pytest.raises(Crashed, match=r"broken\.gguf: the embedded model did not start"):
        anyio.run(open_it)


def test_the_status_of_a_machine_without_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is loaded to find that out."""
    from skilltrial.adapters.llm import embedded

    monkeypatch.setattr(embedded, "part_files", lambda: [tmp_path] * 5)
    monkeypatch.setattr(embedded, "_engine_version", lambda: "1.0")
    status = embedded_status({"XDG_CACHE_HOME": str(tmp_path)})
    assert not status.ready
    assert status.detail == "xllamacpp 1.0, but only 5 of 22 parts of the model."
    assert "skilltrial[local]" in status.todo


def test_there_is_at_least_one_core() -> None:
    """And never more than the system has."""
    assert 1 <= physical_cores() <= (os.cpu_count() or 1)


def alive(pid: int) -> bool:
    """Whether the process still runs (a zombie does not)."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
