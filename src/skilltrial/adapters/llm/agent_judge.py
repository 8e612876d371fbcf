"""An agent program that answers as a model does: a prompt in, one JSON object out, in fresh folders without any skill."""

from __future__ import annotations

import json
import re
import secrets
import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import anyio
from pydantic import ValidationError

from skilltrial.errors import AuthFailed, Crashed, HarnessError, NotInstalled, RateLimited, TimedOut, Unparsable
from skilltrial.ports import Answer, AnswerT, Harness, Image, TrialRequest, Workspace
from skilltrial.records.trial import HarnessResult

NumberT = TypeVar("NumberT", int, float)

RE_ASKS = 1
"""How often an answer that does not fit the type is asked for again."""
TRIES = 3
"""Of one request, where the service or the program is in trouble that may pass."""
_MAY_PASS = frozenset({"rate_limited", "api_error", "network_error", "crashed"})
_KINDS: dict[str, type[HarnessError]] = {
    "auth_failed": AuthFailed,
    "not_installed": NotInstalled,
    "rate_limited": RateLimited,
    "timeout": TimedOut,
    "crashed": Crashed,
    "unparsable": Unparsable,
}
_LONGEST_WAIT_S = 60.0
_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL)


class AgentJudge:
    """Satisfies `ports.LanguageModel`. It owns neither the harness nor the workspace.

    It gives the agent no file, no skill and no tool server, and reads nothing but its last message.
    """

    def __init__(
        self,
        harness: Harness,
        workspace: Workspace,
        *,
        name: str,
        model: str | None,
        timeout_s: float = 300.0,
        sleep: Callable[[float], Awaitable[None]] = anyio.sleep,
    ) -> None:
        self._harness = harness
        self._workspace = workspace
        self._name = name
        self._model = model
        self._timeout_s = timeout_s
        self._sleep = sleep

    @property
    def name(self) -> str:
        """The name as the person gave it."""
        return self._name

    @property
    def sees_images(self) -> bool:
        """Never: its answer is asked for in text alone."""
        return False

    async def ask(
        self,
        *,
        system: str,
        prompt: str,
        output: type[AnswerT],
        images: Sequence[Image] = (),  # noqa: ARG002 - of the port; see `sees_images`
    ) -> Answer[AnswerT]:
        """One answer of the type `output`; errors as in the port."""
        begun = time.monotonic()
        text = "\n\n".join([system, prompt, _form(output)])
        results: list[HarnessResult] = []
        problem = ""
        for _ in range(1 + RE_ASKS):
            results.append(await self._run(f"{text}\n\n{problem}" if problem else text))
            try:
                value = output.model_validate_json(_json_in(results[-1].final_message or ""))
            except (ValidationError, ValueError) as error:
                problem = f"You were asked before, and your answer was no such object: {_words(error)}"
                continue
            return Answer(
                value=value,
                model=results[-1].model or self._name,
                input_tokens=_sum([_input(result) for result in results]),
                output_tokens=_sum([result.usage.output_tokens for result in results]),
                cost_usd=_sum([result.cost_usd for result in results]),
                duration_ms=round((time.monotonic() - begun) * 1000),
            )
        raise Unparsable(f"the agent {self._name!r} gave no answer of the asked form: {problem.partition(': ')[2]}")

    async def _run(self, prompt: str) -> HarnessResult:
        for n in range(1, TRIES + 1):
            result = await self._once(prompt)
            if result.outcome == "completed":
                return result
            code = result.reason.code if result.reason else "crashed"
            if n == TRIES or code not in _MAY_PASS:
                said = result.reason.message if result.reason else result.outcome
                raise _KINDS.get(code, HarnessError)(f"the agent {self._name!r} could not judge: {said}")
            asked = result.reason.retry_after_s if result.reason else None
            await self._sleep(min(_LONGEST_WAIT_S, asked if asked is not None else 2.0**n))
        raise AssertionError

    async def _once(self, prompt: str) -> HarnessResult:
        root = self._harness.capabilities.skill_root
        async with self._workspace.open((), None, skill_root=root) as folders:
            with tempfile.TemporaryDirectory(prefix="capture-") as capture:
                return await self._harness.run(
                    TrialRequest(
                        prompt=prompt,
                        work=folders.work,
                        home=folders.home,
                        tmp=folders.tmp,
                        capture=Path(capture),
                        skill=None,
                        model=self._model,
                        timeout_s=self._timeout_s,
                        seed=1,
                        mark=secrets.token_hex(16),
                    )
                )


def _form(output: type[AnswerT]) -> str:
    schema = json.dumps(output.model_json_schema(), ensure_ascii=False)
    return (
        "Use no tools and write no files. Your whole answer is one JSON object, with nothing before or after it, that fits this "
        f"JSON Schema:\n{schema}"
    )


def _json_in(text: str) -> str:
    """The whole text, or the one fenced block in it."""
    blocks = _FENCE.findall(text)
    return blocks[0] if len(blocks) == 1 else text.strip()


def _words(error: ValueError) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}".removeprefix(": ")
    return str(error)


def _input(result: HarnessResult) -> int | None:
    usage = result.usage
    if usage.input_tokens is None:
        return None
    return usage.input_tokens + (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)


def _sum(figures: Sequence[NumberT | None]) -> NumberT | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known[1:], known[0]) if len(known) == len(figures) else None
