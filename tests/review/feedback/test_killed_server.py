"""A server that is killed while people type loses nothing that it acknowledged."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from browsing import subject_of

from skilltrial.journal import read_journal
from skilltrial.review.plans import plan_of


def test_every_acknowledged_line_is_there_once_after_kill_9(shown_workspace: Path) -> None:
    """Two hundred comments from four windows; the server is killed once fifty were acknowledged."""
    key = plan_of(subject_of(shown_workspace), 1).trials[0].key
    command = [sys.executable, "-m", "skilltrial", "view", str(shown_workspace), "--no-browser", "--by", "Ada"]
    acknowledged: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout
        link = next(word for line in server.stdout for word in line.split() if word.startswith("http://"))

        def send(number: int) -> None:
            body = {"id": f"n{number}", "iteration": 1, "text": f"word {number}", **key.model_dump(exclude={"case_id"})}
            data = json.dumps({**body, "case": key.case_id}).encode()
            headers = {"Content-Type": "application/json", "Origin": "/".join(link.split("/")[:3])}
            request = urllib.request.Request(f"{link}api/comment", data, headers)
            try:
                with urllib.request.urlopen(request) as answer:
                    acknowledged.append(json.load(answer)["id"])
            except OSError:
                return
            if len(acknowledged) == 50:
                server.kill()

        with ThreadPoolExecutor(4) as windows:
            list(windows.map(send, range(200)))
        server.kill()
    journal = read_journal(subject_of(shown_workspace).journal)
    ids = [line.id for line in journal.lines]
    assert 50 <= len(acknowledged) < 200
    assert len(ids) == len(set(ids))
    assert set(acknowledged) <= set(ids)
