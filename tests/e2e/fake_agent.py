"""An agent program that costs nothing: a shell script that answers in Claude Code's words."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from command import Person

_SCRIPT = """#!/bin/sh
if [ "$1" = --version ]; then echo 2.1.0; exit; fi
cat > /dev/null
sleep {seconds}
echo done > answer.txt
echo '{{"type":"system","subtype":"init","session_id":"s","model":"m","claude_code_version":"2.1.0","tools":[],"skills":[]}}'
echo '{{"type":"assistant","message":{{"id":"1","role":"assistant","content":[{{"type":"text","text":"Hello."}}]}}}}'
echo '{{"type":"result","subtype":"success","is_error":false,"result":"Hello.","total_cost_usd":0.25,\
"modelUsage":{{"m":{{"inputTokens":100,"outputTokens":20,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.25}}}}}}'
"""
ANSWERED = {"id": "said", "type": "answer_matches", "pattern": "Hello"}


def a_person(folder: Path, *, seconds: float = 0.0) -> Person:
    """Somebody whose agent takes so long, says hello and costs 0.25 US dollars."""
    agent = folder / "agent"
    agent.write_text(_SCRIPT.format(seconds=seconds))
    agent.chmod(0o755)
    for name in ("home", "temporary"):
        (folder / name).mkdir()
    variables = {
        "SKILLTRIAL_CLAUDE": str(agent),
        "ANTHROPIC_API_KEY": "dummy-key-1234",
        "TMPDIR": str(folder / "temporary"),
    }
    if "PYTHONPATH" in os.environ:
        variables["PYTHONPATH"] = os.environ["PYTHONPATH"]
    return Person(home=folder / "home", variables=variables)


def processes_in(folder: Path) -> list[str]:
    """What runs with a trial's temporary folder below this one: agents and what they started. Linux only."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"{folder}/temporary/task-".encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found


LINUX = sys.platform == "linux"
