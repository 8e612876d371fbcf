"""Scenario files: which scripted turn answers which request.

A scenario is an ordered list of rules. The first rule whose conditions hold and whose `times` is not used up answers.
README.md lists all keys.
"""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from skilltrial.testing.mock_llm.aliases import resolve
from skilltrial.testing.mock_llm.conditions import CONDITIONS, holds
from skilltrial.testing.mock_llm.listing import working_folder
from skilltrial.testing.mock_llm.request import Request
from skilltrial.testing.mock_llm.turn import Turn

_TOP_KEYS = {"rules", "name", "description", "models", "usage", "vars"}
_RULE_KEYS = {"name", "when", "times", "capture", "reply"}
_REPLY_KEYS = {"text", "json", "thinking", "calls", "stop", "usage", "delay", "chunk_delay", "error", "fault"}
_USAGE_KEYS = {"input", "output", "cache_read", "cache_write"}
_FAULTS = {"hang", "reset", "cut", "garbage", "stream_error"}


class ScenarioError(ValueError):
    """A scenario that cannot be used, with the place of the mistake."""


def _fill(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return re.sub(r"\{\{(\w+)\}\}", lambda found: names.get(found.group(1), found.group(0)), value)
    if isinstance(value, list):
        return [_fill(part, names) for part in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _fill(part, names) for key, part in cast("dict[str, Any]", value).items()}
    return value


class Scenario:
    """Rules, and the counters of each run behind `times` and `number`."""

    def __init__(self, data: dict[str, Any], name: str = "scenario") -> None:
        self.name: str = data.get("name", name)
        self.models: list[str] = data.get("models", ["mock-model"])
        self.usage: dict[str, int] = data.get("usage", {})
        self.vars: dict[str, str] = dict(data.get("vars", {}))
        self.rules: list[dict[str, Any]] = data.get("rules", [])
        self._lock = threading.Lock()
        self._used: Counter[tuple[str, int]] = Counter()
        self._numbers: Counter[str] = Counter()
        self._allow("top level", data, _TOP_KEYS)
        if not self.rules:
            raise ScenarioError(f"{self.name}: no rules")
        for index, rule in enumerate(self.rules):
            self._check(rule, f"rule {index + 1} ({rule.get('name', 'unnamed')})")

    @classmethod
    def load(cls, path: str | Path) -> Scenario:
        """The scenario of a JSON or YAML file. Raises `ScenarioError`."""
        path = Path(path)
        text = path.read_text(encoding="utf-8")
        if path.suffix in (".yaml", ".yml"):
            import yaml  # noqa: PLC0415 - JSON scenarios do not need it

            data = yaml.safe_load(text)
        else:
            try:
                data = json.loads(text)
            except ValueError as error:
                raise ScenarioError(f"{path}: not JSON: {error}") from None
        if not isinstance(data, dict):
            raise ScenarioError(f"{path}: a scenario is an object with the key 'rules'")
        return cls(cast("dict[str, Any]", data), path.stem)

    def reset(self, run: str | None = None) -> None:
        """Counts again from the start, for one run or for all."""
        with self._lock:
            for key in [key for key in self._used if run in (None, key[0])]:
                del self._used[key]
            for name in [name for name in self._numbers if run in (None, name)]:
                del self._numbers[name]

    def answer(self, request: Request) -> Turn:
        """The scripted answer; it also numbers the request within its run."""
        with self._lock:
            self._numbers[request.run] += 1
            request.number = self._numbers[request.run]
            for index, rule in enumerate(self.rules):
                left = rule.get("times", float("inf")) - self._used[request.run, index]
                if left > 0 and holds(_fill(rule.get("when", {}), self.vars), request):
                    self._used[request.run, index] += 1
                    return self._turn(rule, index, request)
        return Turn(text="MOCK: no rule of the scenario matches.", problems=["no rule matches"])

    def _turn(self, rule: dict[str, Any], index: int, request: Request) -> Turn:
        problems: list[str] = []
        reply = _fill(rule["reply"], self._names(rule, request, problems))
        text = json.dumps(reply["json"], ensure_ascii=False) if "json" in reply else reply.get("text", "")
        return Turn(
            text=text,
            thinking=reply.get("thinking", ""),
            calls=[resolve(call, request, problems) for call in reply.get("calls", [])],
            stop=reply.get("stop"),
            usage={**self.usage, **reply.get("usage", {})},
            delay=float(reply.get("delay", 0)),
            chunk_delay=float(reply.get("chunk_delay", 0)),
            error=reply.get("error"),
            fault=reply.get("fault"),
            rule=rule.get("name", f"rule {index + 1}"),
            problems=problems,
        )

    def _names(self, rule: dict[str, Any], request: Request, problems: list[str]) -> dict[str, str]:
        names = {
            **self.vars,
            "prompt": request.prompt,
            "model": request.model,
            "run": request.run,
            "step": str(request.step),
            "cwd": working_folder(request),
            "last_result": "\n".join(result.text for result in request.last_results),
        }
        for name, pattern in rule.get("capture", {}).items():
            found = list(re.finditer(pattern, request.text))
            if found:
                names[name] = found[-1].group(1) if found[-1].re.groups else found[-1].group()
            else:
                problems.append(f"capture {name} found nothing")
        return names

    def _check(self, rule: dict[str, Any], where: str) -> None:
        self._allow(where, rule, _RULE_KEYS)
        self._allow(f"{where}, when", rule.get("when", {}), set(CONDITIONS))
        if not isinstance(rule.get("reply"), dict):
            raise ScenarioError(f"{self.name}: {where}: no reply")
        reply: dict[str, Any] = rule["reply"]
        self._allow(f"{where}, reply", reply, _REPLY_KEYS)
        self._allow(f"{where}, usage", reply.get("usage", {}), _USAGE_KEYS)
        if "fault" in reply and reply["fault"] not in _FAULTS:
            raise ScenarioError(f"{self.name}: {where}: fault is one of {sorted(_FAULTS)}")
        if any("tool" not in call for call in reply.get("calls", [])):
            raise ScenarioError(f"{self.name}: {where}: a call has no tool")

    def _allow(self, where: str, keys: Iterable[str], allowed: set[str]) -> None:
        unknown = sorted(set(keys) - allowed)
        if unknown:
            raise ScenarioError(f"{self.name}: {where}: unknown {', '.join(unknown)}")
