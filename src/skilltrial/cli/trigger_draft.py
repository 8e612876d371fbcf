"""Writing a first trigger set in front of a person."""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from pathlib import Path

import anyio

from skilltrial import wiring
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.first_evals import problem_words, spent_words, target_of, wrapped, write_document
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.operations.query_drafting import DraftedQueries, draft_queries
from skilltrial.operations.triggering import NAMES, own_queries
from skilltrial.records.skill import Skill
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import line
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import load_triggers
from skilltrial.trigger.queries import as_suite

_WIDTH = 80


def draft_and_print(folder: Path, *, model: str, base_url: str | None, as_json: bool) -> int:
    """Draft, write, and say what is in it; returns the exit code. A set that is there is never replaced."""
    skill = load_skill(folder)
    if (there := own_queries(skill)) is not None:
        hint = "Move it away, or run it: `skilltrial trigger` without --draft."
        raise SpecError("the skill has a trigger set already.", where=str(there), hint=hint, code="file-exists")
    path = target_of(skill, f"evals/{NAMES[0]}", force=False)
    say(f"asking {model} for queries …")
    try:
        drafted = anyio.run(_draft, skill, model, base_url)
    except KeyboardInterrupt:
        say("stopped; nothing was written.")
        return INTERRUPTED
    write_document(path, drafted.document)
    as_suite(load_triggers(path, skill), skill, canaries=True)
    put(_as_json(path, skill, drafted) if as_json else _as_text(path, skill, drafted))
    return 0


async def _draft(skill: Skill, model: str, base_url: str | None) -> DraftedQueries:
    if model == wiring.EMBEDDED:
        hint = "Give --draft openai:NAME, anthropic:NAME, or a NAME with --base-url."
        raise SpecError("the embedded model is too small to draft queries.", hint=hint)
    async with wiring.open_judge(model, base_url=base_url, env=dict(os.environ)) as opened:
        return await draft_queries(skill, model=opened)


def _as_json(path: Path, skill: Skill, drafted: DraftedQueries) -> str:
    kinds = Counter(str(each["kind"]) for each in drafted.document)
    summary = {
        "path": str(path),
        "skill": skill.name,
        "queries": len(drafted.document),
        "kinds": dict(kinds),
        "draft": {
            "model": drafted.model,
            "calls": drafted.calls,
            "input_tokens": drafted.input_tokens,
            "output_tokens": drafted.output_tokens,
            "cost_usd": drafted.cost_usd,
            "problems": [problem.model_dump() for problem in drafted.problems],
            "dropped": list(drafted.dropped),
        },
    }
    return json.dumps(summary, indent=2) + "\n"


def _as_text(path: Path, skill: Skill, drafted: DraftedQueries) -> str:
    kinds = Counter(str(each["kind"]) for each in drafted.document)
    counted = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    lines = [
        f"Written: {line(str(path), 600)}",
        f"  {plural(len(drafted.document), 'query', 'queries')}: {counted}",
        f"  drafted by {drafted.model} in {plural(drafted.calls, 'request')}{spent_words(drafted)}",
        *(f"  left out: {line(reason, 600)}" for reason in drafted.dropped),
        *(f"  {line(problem_words(each), 600)}" for each in drafted.problems),
        "  Read every query: what a user would say, and what should happen then, is yours to decide.",
        f"Next: skilltrial trigger {line(skill.folder, 600)}",
    ]
    width = min(_WIDTH, shutil.get_terminal_size().columns)
    lines = [each if each.startswith(("Written: ", "Next: ")) else wrapped(each, width) for each in lines]
    return "".join(f"{each}\n" for each in lines)
