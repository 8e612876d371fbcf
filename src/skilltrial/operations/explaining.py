"""A model says in sentences what the figures of an iteration say; code leaves out what has other numbers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from importlib.resources import files as package_files
from pathlib import Path

from anyio import to_thread
from pydantic import BaseModel, Field

from skilltrial import wiring
from skilltrial.errors import SpecError, Unparsable
from skilltrial.grade.excerpt import escaped
from skilltrial.grade.run import read_gradings
from skilltrial.pipeline import newest_iteration, read_prose, summarise
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import Answer, LanguageModel, Store
from skilltrial.preparing.judging import price_of_calls
from skilltrial.records import layout
from skilltrial.records.prose import Prose
from skilltrial.report.account import account
from skilltrial.report.prose import digest_of, figure_sheet, sifted


class ModelProse(BaseModel):
    """What the model answers."""

    sentences: list[str] = Field(description="3 to 8 short sentences, each with numbers of the figures alone.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRequest:
    """What a person asks for."""

    workspace: Path
    model: str
    env: Mapping[str, str] = field(repr=False)
    iteration: int | None = None
    base_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseOutlay:
    """What is about to be spent: one call."""

    n_chars: int
    """Of the figures that are sent."""
    usd: float | None
    """At the mean price of a call of the same model as judge; None: unknown."""


async def explain(request: ExplainRequest, *, agree: Callable[[ProseOutlay], Awaitable[None]]) -> Prose:
    """Ask, check the numbers, and keep the text in the iteration; the same model is not asked twice about the same figures.

    `agree` is asked before the call. Raises `SpecError` for a model that is too small, `Unparsable` where nothing was
    answered, and what stores and models raise. Nothing is written then.
    """
    if request.model == wiring.EMBEDDED:
        hint = "Give --explain openai:NAME, anthropic:NAME, or a NAME with --base-url."
        raise SpecError("the embedded model is too small to explain figures.", where="--explain", hint=hint)
    # Looked at before anything is locked: a folder that is no workspace is left as it is.
    iteration = newest_iteration(wiring.open_store(request.workspace, write=False), request.iteration)
    async with AsyncExitStack() as stack:
        store = wiring.open_store(request.workspace, write=True)
        stack.callback(store.close)
        sheet = figure_sheet(account(summarise(store, iteration)))
        kept = read_prose(store, iteration)
        if kept and (kept.model, kept.seen) == (request.model, digest_of(sheet)):
            return kept
        model = await _open(request, store, iteration, stack)
        await agree(ProseOutlay(n_chars=len(sheet), usd=_price(store, iteration, request.model)))
        answer = await _ask(model, sheet)
        prose = _prose(request.model, answer, sheet)
        store.write(layout.prose_path(iteration), prose.model_dump_json(indent=2).encode() + b"\n")
    return prose


async def _open(request: ExplainRequest, store: Store, iteration: int, stack: AsyncExitStack) -> LanguageModel:
    plan = read_plan(store, iteration)
    hidden = (request.workspace.absolute(), Path(plan.skill.folder))
    confinement = await to_thread.run_sync(
        lambda: wiring.open_sandbox(
            plan.harness.sandbox or "none", request.env, hidden=hidden, base_url=request.base_url
        )
    )
    opened = wiring.open_judge(request.model, base_url=request.base_url, env=request.env, confinement=confinement)
    return await stack.enter_async_context(opened)


def _price(store: Store, iteration: int, model: str) -> float | None:
    return price_of_calls(1, judges=model, gradings=read_gradings(store, read_plan(store, iteration), iteration))


async def _ask(model: LanguageModel, sheet: str) -> Answer[ModelProse]:
    token = digest_of(sheet)[-24:]
    system = package_files("skilltrial.operations").joinpath("explaining.md").read_text(encoding="utf-8")
    prompt = f"FIGURES\n<<<BEGIN {token}>>>\n{escaped(sheet)}\n<<<END {token}>>>\n\nExplain these figures."
    return await model.ask(system=system, prompt=prompt, output=ModelProse)


def _prose(model: str, answer: Answer[ModelProse], sheet: str) -> Prose:
    sentences, left_out = sifted(answer.value.sentences, sheet)
    if not sentences and not left_out:
        raise Unparsable(f"the model {model!r} said nothing.", hint="Try again, or another model.")
    return Prose(
        model=model,
        seen=digest_of(sheet),
        sentences=sentences,
        left_out=left_out,
        input_tokens=answer.input_tokens,
        output_tokens=answer.output_tokens,
        cost_usd=answer.cost_usd,
    )
