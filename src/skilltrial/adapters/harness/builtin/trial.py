"""One trial of the built-in agent, from the request to the result."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from importlib.metadata import version
from typing import cast

import anyio
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.models import Model

from skilltrial.adapters.harness.builtin.failures import Ending, ending_of, harness_error
from skilltrial.adapters.harness.builtin.loop import AgentLoop
from skilltrial.adapters.harness.builtin.offered_skill import OfferedSkill, offered_skill
from skilltrial.adapters.harness.builtin.recording import Recording
from skilltrial.adapters.harness.builtin.session import read_messages, session_with
from skilltrial.adapters.harness.builtin.shell import Cell
from skilltrial.adapters.harness.builtin.styles import style_of
from skilltrial.adapters.harness.builtin.toolbox import Toolbox
from skilltrial.adapters.harness.builtin.work_folder import WorkFolder
from skilltrial.adapters.harness.search_path import neutral_path
from skilltrial.errors import NotInstalled, SkilltrialError
from skilltrial.ports import ChatModel, Confinement, TrialRequest
from skilltrial.processes.strays import MARK, kill_strays
from skilltrial.records.events import SessionStarted, UserMessage
from skilltrial.records.trial import Discovery, HarnessResult, Reason, SkillEvidence

_KEPT_VARIABLES = ("LANG", "LC_ALL", "TZ")


class BuiltinTrial:
    """One request in the making. `run` is called once."""

    def __init__(
        self, request: TrialRequest, *, env: Mapping[str, str], injected: bool, confinement: Confinement | None = None
    ) -> None:
        self._request = request
        writable = (request.work, request.home, request.tmp)
        self._cell = None if confinement is None else Cell(confinement=confinement, writable=writable)
        self._injected = injected
        self._recording = Recording(request.capture, env)
        kept = {name: env[name] for name in _KEPT_VARIABLES if name in env} | dict(request.env)
        private = {"HOME": str(request.home), "TMPDIR": str(request.tmp), MARK: request.mark}
        self._env = {"LANG": "C.UTF-8", **kept, **private, "PATH": neutral_path(env, first=request.path)}
        self._chat: ChatModel | None = None
        self._toolbox: Toolbox | None = None

    async def run(self, open_model: Callable[[], Awaitable[ChatModel]]) -> HarnessResult:
        """The result, whatever the end; only `NotInstalled`, defects of ours and cancellation come out as exceptions."""
        try:
            ending = await self._in_time(open_model)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await kill_strays(self._request.mark)
            raise
        n_strays = await kill_strays(self._request.mark)
        if ending.reason is not None:
            self._recording.raw("end", outcome=ending.outcome, reason=ending.reason.model_dump())
        return self._result(ending, n_strays)

    async def _in_time(self, open_model: Callable[[], Awaitable[ChatModel]]) -> Ending:
        with anyio.move_on_after(self._request.timeout_s):
            return await self._ending(open_model)
        message = f"The agent did not finish within {self._request.timeout_s:g} s."
        return Ending("timed_out", Reason(code="timeout", message=message))

    async def _ending(self, open_model: Callable[[], Awaitable[ChatModel]]) -> Ending:
        try:
            self._chat = await open_model()
            skill = None if self._request.skill is None else offered_skill(self._request.skill)
            return await self._converse(self._chat, skill)
        except NotInstalled:
            raise
        except (AgentRunError, SkilltrialError) as error:
            return ending_of(error)
        except OSError as error:
            return harness_error("setup_failed", str(error))

    async def _converse(self, chat: ChatModel, skill: OfferedSkill | None) -> Ending:
        style = style_of("injected" if self._injected else chat.mode)
        root = self._request.work
        self._toolbox = Toolbox(WorkFolder(root), skill, root=root, env=self._env, cell=self._cell)
        listed = () if skill is None or self._injected else (skill.name,)
        self._recording.add(
            SessionStarted, model=chat.name, version=_version(), tools=tuple(style.tools(skill)), skills=listed
        )
        self._recording.add(UserMessage, text=self._request.prompt)
        model = cast("Model", chat.client)
        loop = AgentLoop(
            model,
            style,
            toolbox=self._toolbox,
            skill=skill,
            recording=self._recording,
            until_loaded=self._request.until_loaded,
        )
        earlier = () if self._request.resume is None else read_messages(self._request.resume)
        return await loop.run(self._request.prompt, seed=self._request.seed, earlier=earlier)

    def _result(self, ending: Ending, n_strays: int) -> HarnessResult:
        recording, chat = self._recording, self._chat
        facts = {} if chat is None else {**chat.facts, "mode": "injected" if self._injected else chat.mode}
        reason = ending.reason and ending.reason.model_copy(update={"message": recording.masked(ending.reason.message)})
        return HarnessResult(
            outcome=ending.outcome,
            reason=reason,
            events=tuple(recording.events),
            final_message=recording.final_message,
            usage=recording.usage,
            cost_usd=recording.cost_usd,
            model=recording.model or (chat.name if chat else None),
            version=_version(),
            evidence=self._evidence(),
            discovery=self._discovery,
            facts=facts,
            n_strays=n_strays,
            session=session_with(self._request.resume, recording.stream),
            cut=ending.cut,
        )

    @property
    def _discovery(self) -> Discovery:
        return "injected" if self._injected else "natural"

    def _evidence(self) -> SkillEvidence:
        """All is known here, as every action goes through the toolbox."""
        toolbox = self._toolbox
        placed = self._request.skill is not None and toolbox is not None
        return SkillEvidence(
            offered=placed and not self._injected,
            attempted=toolbox is not None and toolbox.attempted,
            loaded=toolbox is not None and toolbox.loaded,
            read=toolbox is not None and toolbox.read_as_file,
            injected=placed and self._injected,
        )


def _version() -> str:
    return version("skilltrial")
