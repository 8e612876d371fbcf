"""The built-in agent as a harness."""

from __future__ import annotations

import importlib.util
from contextlib import AsyncExitStack
from importlib.metadata import version

import anyio

from skilltrial.adapters.harness.builtin.offered_skill import SKILL_ROOT
from skilltrial.errors import NotInstalled, SpecError
from skilltrial.ports import Capabilities, ChatModel, HarnessSettings, HarnessStatus, ModelStatus, TrialRequest
from skilltrial.records.trial import Discovery, HarnessResult

NAME = "builtin"
INJECT = "inject"
EMBEDDED = "embedded"

_NO_EXTRA = "the extra [llm] is not installed."
_INSTALL = "Run: pip install 'skilltrial[llm]'."
_INSTALL_LOCAL = "Run: pip install 'skilltrial[local]'."
_NO_MODEL = "Give --model embedded, openai:NAME or anthropic:NAME."


def create(settings: HarnessSettings) -> BuiltinHarness:
    """The harness; SpecError for arguments that it does not know (it knows `inject`)."""
    unknown = [argument for argument in settings.args if argument != INJECT]
    if unknown:
        raise SpecError(f"the built-in agent does not know the argument {unknown[0]!r}.", hint=f"It knows {INJECT!r}.")
    return BuiltinHarness(settings)


class BuiltinHarness:
    """Satisfies `ports.Harness`. The model is opened at the first trial and shared by all."""

    def __init__(self, settings: HarnessSettings) -> None:
        self._settings = settings
        self._discovery: Discovery = "injected" if INJECT in settings.args else "natural"
        self._opening = anyio.Lock()
        self._open = AsyncExitStack()
        self._model: ChatModel | None = None

    @property
    def name(self) -> str:
        """`builtin`."""
        return NAME

    @property
    def capabilities(self) -> Capabilities:
        """One trial at a time on the embedded model."""
        one = self._settings.model == EMBEDDED
        limit = 1 if one else None
        return Capabilities(
            skill_root=SKILL_ROOT,
            discovery=self._discovery,
            max_concurrency=limit,
            paid=not one,
            confines=True,
            shows_answers=True,
            resumes=True,
            takes_environment=True,
            takes_path=True,
        )

    async def probe(self) -> HarnessStatus:
        """Whether the extra and the model are there; the model is not opened."""
        installed = importlib.util.find_spec("pydantic_ai") is not None
        try:
            model = self._model_status() if installed else self._no_extra()
        except SpecError as error:
            model = ModelStatus(ready=False, detail=error.message, todo=error.hint)
        return HarnessStatus(
            name=NAME,
            installed=installed,
            ready=model.ready,
            version=version("skilltrial"),
            detail=model.detail,
            todo=model.todo,
            notices=model.notices,
        )

    def _no_extra(self) -> ModelStatus:
        todo = _INSTALL_LOCAL if self._settings.model == EMBEDDED else _INSTALL
        return ModelStatus(ready=False, detail=_NO_EXTRA, todo=todo)

    def _model_status(self) -> ModelStatus:
        if self._settings.open_model is None:
            return ModelStatus(ready=False, detail="no model was chosen.", todo=_NO_MODEL)
        return self._settings.model_status() if self._settings.model_status else ModelStatus(ready=True)

    async def run(self, request: TrialRequest) -> HarnessResult:
        """See the port. The time limit includes opening the model at the first trial."""
        try:
            from skilltrial.adapters.harness.builtin.trial import BuiltinTrial  # noqa: PLC0415 - seconds of imports
        except ImportError as error:
            raise NotInstalled(f"model access is not installed: {error}.", hint=_INSTALL) from error
        trial = BuiltinTrial(
            request,
            env=self._settings.env,
            injected=self._discovery == "injected",
            confinement=self._settings.confinement,
        )
        result = await trial.run(self._opened)
        if self.capabilities.max_concurrency == 1 and result.reason and result.reason.code == "network_error":
            await self.aclose()  # the model's process is gone: the next trial starts a new one
        return result

    async def aclose(self) -> None:
        """Closes the model, if it is open."""
        with anyio.CancelScope(shield=True):
            async with self._opening:
                self._model = None
                await self._open.aclose()

    async def _opened(self) -> ChatModel:
        async with self._opening:
            if self._model is None:
                if self._settings.open_model is None:
                    raise SpecError("the built-in agent has no model.", hint=_NO_MODEL)
                self._model = await self._open.enter_async_context(self._settings.open_model())
            return self._model
