"""Writing a first eval file in front of a person."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import anyio

from skilltrial import wiring
from skilltrial.cli.failure import INTERRUPTED, say
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError, StoreError
from skilltrial.operations.drafting import Drafted, draft_cases
from skilltrial.operations.query_drafting import DraftedQueries
from skilltrial.records.json_value import Json
from skilltrial.records.skill import Skill
from skilltrial.records.suite import Suite
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import line
from skilltrial.spec.convert.json_text import json_text
from skilltrial.spec.file_tree import is_inside
from skilltrial.spec.findings import Problem
from skilltrial.spec.skill import load_skill
from skilltrial.spec.suite import EVALS, load_suite
from skilltrial.spec.template import MARK, template
from skilltrial.spec.whole_file import write_whole

_WIDTH = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class _Written:
    path: Path
    skill: Skill
    suite: Suite
    drafted: Drafted | None


def init_and_print(
    folder: Path, *, model: str | None, base_url: str | None, n_cases: int, force: bool, as_json: bool
) -> int:
    """Make the eval file, write it, and say what is in it; returns the exit code. Nothing is replaced without `force`."""
    skill = load_skill(folder)
    path = target_of(skill, EVALS, force=force)
    drafted: Drafted | None = None
    if model is not None:
        say(f"asking {model} for {plural(n_cases, 'case')} …")
        try:
            drafted = anyio.run(_draft, skill, model, base_url, n_cases)
        except KeyboardInterrupt:
            say("stopped; nothing was written.")
            return INTERRUPTED
    elif base_url is not None:
        raise SpecError("--base-url needs the name of a model.", hint="Add --model NAME.")
    document = drafted.document if drafted else template(skill, n_cases=n_cases)
    write_document(path, document)
    written = _Written(path=path, skill=skill, suite=load_suite(skill, path), drafted=drafted)
    put(_as_json(written) if as_json else _as_text(written))
    return 0


async def _draft(skill: Skill, model: str, base_url: str | None, n_cases: int) -> Drafted:
    if model == wiring.EMBEDDED:
        hint = "Give --model openai:NAME, anthropic:NAME, or a NAME with --base-url; without, a template is written."
        raise SpecError("the embedded model is too small to draft cases.", hint=hint)
    async with wiring.open_judge(model, base_url=base_url, env=dict(os.environ)) as opened:
        return await draft_cases(skill, model=opened, n_cases=n_cases)


def target_of(skill: Skill, name: str, *, force: bool) -> Path:
    """Where a file of the skill goes; looked at before a model is asked, which costs."""
    path = Path(skill.folder) / name
    if os.path.lexists(path) and not force:
        hint = "`skilltrial validate` says what is in it; --force replaces it."
        raise SpecError("the skill has an eval file already.", where=str(path), hint=hint, code="file-exists")
    if not is_inside(path, Path(skill.folder)):
        hint = "Remove the link, or write where it points to."
        raise SpecError("this is behind a link that leaves the skill's folder.", where=str(path), hint=hint)
    if path.is_dir():
        raise SpecError("this is a folder, and an eval file has to be written here.", where=str(path))
    folder = path.parent
    if os.path.lexists(folder) and not folder.is_dir():
        raise SpecError("this is no folder, and the eval file has to be written into it.", where=str(folder))
    holder = folder if folder.is_dir() else folder.parent
    if not os.access(holder, os.W_OK | os.X_OK):
        raise StoreError("the folder cannot be written.", where=str(holder), hint="See to its rights.")
    return path


def write_document(path: Path, document: Json) -> None:
    """Write it whole, into a folder that is made where it is missing."""
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder cannot be made: {error.strerror}.", where=str(path.parent)) from error
    write_whole(path, json_text(document).encode())


def _as_json(written: _Written) -> str:
    drafted = written.drafted
    cases = written.suite.cases
    summary: dict[str, Json] = {
        "path": str(written.path),
        "skill": written.skill.name,
        "cases": len(cases),
        "negative_cases": sum(not case.skill_should_trigger for case in cases),
        "assertions": sum(len(case.assertions) for case in cases),
        "to_fill_in": drafted is None,
        "draft": None,
    }
    if drafted is not None:
        summary["draft"] = {
            "model": drafted.model,
            "calls": drafted.calls,
            "input_tokens": drafted.input_tokens,
            "output_tokens": drafted.output_tokens,
            "cost_usd": drafted.cost_usd,
            "problems": [problem.model_dump() for problem in drafted.problems],
            "dropped": list(drafted.dropped),
        }
    return json.dumps(summary, indent=2) + "\n"


def _as_text(written: _Written) -> str:
    drafted = written.drafted
    cases = written.suite.cases
    n_negative = sum(not case.skill_should_trigger for case in cases)
    n_assertions = sum(len(case.assertions) for case in cases)
    apart = f" ({n_negative} that the skill is not for)" if n_negative else ""
    lines = [
        f"Written: {line(str(written.path), 600)}",
        f"  {plural(len(cases), 'case')}{apart}, {plural(n_assertions, 'assertion')}",
    ]
    if not written.skill.description:
        lines.append("  The skill has no description, so agents leave it out: mend that first.")
    if drafted is None:
        lines.append(f"  Fill in every place that begins with '{MARK}'.")
    else:
        lines += [f"  drafted by {drafted.model} in {plural(drafted.calls, 'request')}{spent_words(drafted)}"]
        lines += [f"  left out: {reason}" for reason in drafted.dropped]
        lines += [f"  {problem_words(each)}" for each in drafted.problems]
        lines.append("  Read every case: a draft knows what the skill says, and not what its users want.")
    lines.append(f"Next: skilltrial validate {line(written.skill.folder, 600)}")
    width = min(_WIDTH, shutil.get_terminal_size().columns)
    lines = [each if each.startswith(("Written: ", "Next: ")) else wrapped(each, width) for each in lines]
    return "".join(f"{each}\n" for each in lines)


def problem_words(problem: Problem) -> str:
    """What lint says, in a line."""
    place = f"{problem.place}: " if problem.place else ""
    return f"{problem.severity} {problem.rule}: {place}{problem.message} {problem.hint}"


def spent_words(drafted: Drafted | DraftedQueries) -> str:
    """Tokens and cost in brackets, as far as they are known."""
    parts: list[str] = []
    if drafted.input_tokens is not None and drafted.output_tokens is not None:
        parts.append(f"{drafted.input_tokens + drafted.output_tokens:,} tokens")
    if drafted.cost_usd is not None:
        parts.append(f"${drafted.cost_usd:.4f}")
    return f" ({', '.join(parts)})" if parts else ""


def wrapped(text: str, width: int) -> str:
    """A line in several, that keep its indent."""
    indent = " " * (len(text) - len(text.lstrip()))
    return paragraph(text, width, indent=indent, further=f"{indent}  ")
