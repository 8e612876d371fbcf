"""The server: where it listens, which scenario answers, what was asked."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Self

from skilltrial.testing.mock_llm.handler import Server
from skilltrial.testing.mock_llm.request_log import RequestLog
from skilltrial.testing.mock_llm.scenario import Scenario

SCENARIOS = Path(__file__).parent / "scenarios"
"""The scenarios that come with the package."""


class MockLLM:
    """A scripted model API on 127.0.0.1.

        with MockLLM(SCENARIOS / "skill.json") as mock:
            env["ANTHROPIC_BASE_URL"] = mock.url(run="a")
            ...
            mock.log.select(run="a")

    The first scenario is the default; others are chosen by the URL. Scenarios are files, folders of files, objects or dicts.
    """

    def __init__(
        self,
        *scenarios: str | Path | dict[str, Any] | Scenario,
        port: int = 0,
        log: str | Path | None = None,
        bodies: bool = True,
        variables: dict[str, str] | None = None,
    ) -> None:
        self.scenarios: dict[str, Scenario] = {}
        self.default = ""
        for item in scenarios:
            for scenario in _load(item):
                scenario.vars.update(variables or {})
                self.scenarios[scenario.name] = scenario
                self.default = self.default or scenario.name
        self.log = RequestLog(Path(log) if log else None, bodies=bodies)
        self.stopping = threading.Event()
        self._server = Server(port, self)
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def scenario(self, name: str | None) -> Scenario | None:
        """The scenario of this name; the default one for None."""
        return self.scenarios.get(name or self.default)

    def url(self, scenario: str | None = None, run: str | None = None, *, openai: bool = False) -> str:
        """The base URL to give to a client. OpenAI clients want it with /v1."""
        parts = [f"http://127.0.0.1:{self.port}"]
        parts += [f"scenario/{scenario}"] if scenario else []
        parts += [f"run/{run}"] if run else []
        parts += ["v1"] if openai else []
        return "/".join(parts)

    def reset(self) -> None:
        """Forgets all requests and counts again from the start."""
        self.log.clear()
        for scenario in self.scenarios.values():
            scenario.reset()

    def start(self) -> Self:
        """Starts to listen."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stops; requests that hang are dropped."""
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()


def _load(item: str | Path | dict[str, Any] | Scenario) -> list[Scenario]:
    if isinstance(item, Scenario):
        return [item]
    if isinstance(item, dict):
        return [Scenario(item)]
    path = Path(item)
    if path.is_dir():
        return [Scenario.load(file) for file in sorted(path.iterdir()) if file.suffix in (".json", ".yaml", ".yml")]
    return [Scenario.load(path)]
