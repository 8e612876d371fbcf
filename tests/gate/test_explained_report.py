"""`skilltrial report --explain`: a scripted model over real HTTP, and what is kept of its answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from skilltrial.cli.app import make_app
from skilltrial.errors import AuthFailed, SpecError, Unparsable
from skilltrial.testing.mock_llm import MockLLM

SAID = ["No difference beyond the margin in 21 cases.", "The skill is 37 times better."]


@contextmanager
def _model(*sentences: str, **reply: Any) -> Iterator[MockLLM]:
    answer = reply or {"calls": [{"tool": "final_result", "input": {"sentences": list(sentences)}}]}
    with MockLLM({"name": "explainer", "rules": [{"reply": answer}], "usage": {"input": 900, "output": 50}}) as server:
        yield server


def _asked(server: MockLLM) -> list[str]:
    """The bodies of all requests."""
    return [str(call) for call in server.log.select() if call["method"] == "POST"]


def _report(work: Path, server: MockLLM, *more: object, model: str = "openai:m") -> Result:
    env = {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": server.url(openai=True), "COLUMNS": "80"}
    arguments = ["report", str(work), "--explain", model, *map(str, more)]
    return CliRunner().invoke(make_app(["report"]), arguments, env=env)


def test_a_models_sentences_are_checked_kept_and_shown(even, written) -> None:
    """One call; the sentence with an invented number is named and not shown; the second report asks nobody."""
    work = written(even(21))
    with _model(*SAID) as server:
        first = _report(work, server)
        again = _report(work, server)
        n_asked = len(_asked(server))
    assert first.exit_code == 0, first.output
    told = " ".join(first.stdout.split())
    assert "openai:m wrote this from the figures of this report." in told
    assert SAID[0] in told
    assert "37 times" not in told
    assert "1 sentence left out, with numbers that are not in the figures: 37." in told
    assert "one call at an unknown price" in first.stderr
    assert again.stdout == first.stdout
    assert n_asked == 1
    kept = json.loads((work / "iteration-1/prose.json").read_text())
    assert (kept["model"], kept["input_tokens"], kept["left_out"][0]["numbers"]) == ("openai:m", 900, ["37"])


def test_the_model_sees_figures_and_no_task(even, written) -> None:
    """Names of arms and cases, rates and words; no prompt of a case and no evidence."""
    with _model(*SAID) as server:
        _report(written(even(2)), server)
        sent = _asked(server)[0]
    assert "Pass rate by case" in sent
    assert "Do c0." not in sent
    assert "seen" not in sent.partition("BEGIN")[2]


@pytest.mark.parametrize(
    ("model", "reply", "error"),
    [
        ("openai:m", {"error": {"status": 401, "message": "bad key"}}, AuthFailed),
        ("embedded", {}, SpecError),
        ("openai:m", {"calls": [{"tool": "final_result", "input": {"sentences": []}}]}, Unparsable),
    ],
)
def test_without_an_answer_nothing_is_written(even, written, model: str, reply: Any, error: type[Exception]) -> None:
    """And the error is the model's, not a report without it."""
    work = written(even(2))
    with _model(**reply) as server:
        found = _report(work, server, model=model)
    assert isinstance(found.exception, error)
    assert not (work / "iteration-1/prose.json").exists()


def test_an_empty_folder_stays_empty(tmp_path: Path) -> None:
    """No workspace is made where there is none."""
    with _model(*SAID) as server:
        found = _report(tmp_path, server)
        assert not _asked(server)
    assert isinstance(found.exception, SpecError)
    assert list(tmp_path.iterdir()) == []
