"""The words around what the judge sees: a file of ours, `judge_prompt.md`, or the person's own."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files as package_files

from skilltrial.errors import SpecError
from skilltrial.grade.excerpt import escaped
from skilltrial.grade.judge_view import JudgeView
from skilltrial.records.suite import LlmJudge

_HEADING = re.compile(r"^# (System|Request|Again)[ \t]*$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_NEEDED = ("material", "statements")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePrompt:
    """The parts of a prompt's text; `request` has the placeholders, `again` is added where a verdict did not count."""

    system: str
    request: str
    again: str
    digest: str


@cache
def own_prompt() -> JudgePrompt:
    """The prompt that comes with this program."""
    return read_prompt(package_files("skilltrial").joinpath("grade/judge_prompt.md").read_text(encoding="utf-8"))


def read_prompt(text: str, *, where: str = "judge_prompt.md") -> JudgePrompt:
    """A prompt of three parts under the headings `# System`, `# Request`, `# Again`.

    Raises `SpecError` where a part is missing or twice, and where the request has not each of its placeholders once.
    """
    pieces = _HEADING.split(text.replace("\r\n", "\n"))
    names, bodies = pieces[1::2], pieces[2::2]
    parts = {name: body.strip() for name, body in zip(names, bodies, strict=True)}
    if sorted(names) != ["Again", "Request", "System"] or not all(parts.values()):
        hint = "Write the headings '# System', '# Request' and '# Again' once each, with text below them."
        raise SpecError("this is no prompt for the judge.", where=where, hint=hint)
    found = _PLACEHOLDER.findall(parts["Request"])
    for name in _NEEDED:
        if found.count(name) != 1:
            many = "is missing from" if name not in found else "stands more than once in"
            raise SpecError(
                f"{{{{{name}}}}} {many} the part 'Request'.", where=where, hint="It has to stand there once."
            )
    if unknown := sorted({*found} - {*_NEEDED, "count"}):
        raise SpecError(
            f"{{{{{unknown[0]}}}}} means nothing here.", where=where, hint="Known: material, statements, count."
        )
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode("utf-8", "surrogatepass")).hexdigest()
    return JudgePrompt(
        system=parts["System"], request=parts["Request"], again=parts["Again"], digest=f"sha256:{digest}"
    )


def judge_prompt(
    view: JudgeView,
    assertions: Sequence[LlmJudge],
    *,
    earlier: Mapping[str, str] | None = None,
    prompt: JudgePrompt | None = None,
) -> str:
    """The prompt of one call: the view, then the statements with their ids.

    `earlier` is given the second and last time of asking; it has, by id, the evidence that is not in the data.
    """
    prompt = prompt or own_prompt()
    material = [(section.name, section.text) for section in (*view.frame, *view.material)]
    asked = [("statements", _lines({each.id: each.rubric for each in assertions}))]
    if earlier:
        asked.append(("your earlier evidence", _lines(earlier)))
    token = fence_token([*material, *asked])
    texts = {
        "material": fenced(material, token),
        "statements": fenced(asked, token),
        "count": str(len(assertions)),
    }
    # In one pass: what is put in may hold placeholders of its own.
    request = _PLACEHOLDER.sub(lambda match: texts[match[1]], prompt.request)
    return request if earlier is None else f"{request}\n\n{prompt.again}"


def fence_token(sections: Sequence[tuple[str, str]]) -> str:
    """For the fences around these (name, text): none of them can hold it."""
    return hashlib.sha256(repr([*sections]).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def fenced(sections: Sequence[tuple[str, str]], token: str) -> str:
    """Each section (name, text) below its name in capitals, between fences."""
    return "\n\n".join(f"{name.upper()}\n<<<BEGIN {token}>>>\n{text}\n<<<END {token}>>>" for name, text in sections)


def _lines(texts: Mapping[str, str]) -> str:
    return "\n".join(json.dumps({"id": id_, "text": escaped(text)}, ensure_ascii=False) for id_, text in texts.items())
