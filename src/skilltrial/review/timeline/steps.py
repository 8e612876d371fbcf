"""The questions about a trial's transcript."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skilltrial.errors import SpecError
from skilltrial.execute.resume import read_trial
from skilltrial.records import layout
from skilltrial.records.events import Event, Notice, SessionStarted, ToolCall, ToolResult, UserMessage
from skilltrial.records.json_value import Json
from skilltrial.records.plan import Plan
from skilltrial.records.trial import Trial, TrialKey
from skilltrial.review.plans import plan_of
from skilltrial.review.subject import Query, Subject
from skilltrial.review.timeline.calls import about, whole_text, words_of, written_path
from skilltrial.review.timeline.lines import Line, Lines, Seen, events_at, lines_of

PAGE = 200
"""Steps of an answer; fewer where they are long."""
_TEXT_CHARS = 2_000
_PAGE_CHARS = 400_000
_PART_CHARS = 200_000
_MOST_PART_BYTES = 4_000_000
_MOST_HITS = 500
_AROUND_CHARS = 60
_BARS = 200

_KINDS: Mapping[str, Callable[[Line], bool]] = {
    "all": lambda line: line.ordinal >= 0,
    "tools": lambda line: line.kind in {"tool_call", "tool_result"},
    "texts": lambda line: line.kind in {"user_message", "assistant_message"},
    "thoughts": lambda line: line.kind == "thinking",
    "errors": lambda line: line.is_error or line.kind == "notice",
    "skill": lambda line: line.mark is not None,
    "agents": lambda line: line.depth > 0,
}
"""What `only` may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The trial that a question is about."""

    folder: str
    trial: Trial
    path: Path
    lines: Lines | None
    """None: there is no transcript, or an empty one."""


def transcript(subject: Subject, query: Query) -> object:
    """`PAGE` steps from the place `from` among those that `only` lets through, or those around `step` or `ordinal`.

    Without a transcript `rows` is empty, and `raw` names the streams that the agent program left.
    """
    asked = _asked(subject, query)
    raw = _raw(subject, asked.folder)
    if asked.lines is None:
        return {
            "n": 0,
            "n_shown": 0,
            "from": 0,
            "rows": [],
            "raw": [path.name for path in raw],
            "totals": _totals(asked, ()),
        }
    lines = asked.lines.lines
    shown = [line for line in lines if _filter(query)(line)]
    first = _first(query, shown)
    rows = _rows(asked, shown[first : first + PAGE])
    return {
        "n": len(lines),
        "n_shown": len(shown),
        "from": first,
        "rows": rows,
        "raw": [path.name for path in raw],
        "totals": _totals(asked, lines),
        "bars": _bars(lines),
    }


def transcript_text(subject: Subject, query: Query) -> object:
    """The whole text of the event `ordinal`; without one the raw stream number `stream`. In parts, from the character `from`.

    Streams are counted in bytes, and from 0; a part of one has `most` at most.
    """
    asked = _asked(subject, query)
    start = query.number("from", 0)
    if query.optional("ordinal") is None:
        most = min(_MOST_PART_BYTES, query.number("most", _PART_CHARS))
        return _raw_part(subject, asked.folder, start, stream=query.number("stream", 0), most=most)
    lines = () if asked.lines is None else asked.lines.lines
    ordinal = query.number("ordinal")
    if ordinal >= len(lines):
        raise SpecError(f"there is no event {ordinal} in this transcript.")
    _, event = next(events_at(asked.path, iter([lines[ordinal]])))
    text = whole_text(event)
    end = min(len(text), start + _PART_CHARS)
    return {"text": text[start:end], "next": end if end < len(text) else None, "n": len(text), "unit": "characters"}


def transcript_search(subject: Subject, query: Query) -> object:
    """Where `text` stands, whatever its capitals: events with the words around its first place in each."""
    asked = _asked(subject, query)
    wanted = re.compile(re.escape(query.text("text")), re.IGNORECASE)
    if not query.text("text").strip():
        return {"hits": [], "more": False}
    lines = () if asked.lines is None else asked.lines.lines
    shown = (line for line in lines if _filter(query)(line))
    hits: list[Json] = []
    for line, event in events_at(asked.path, shown) if lines else ():
        found = _found(event, wanted)
        if found is None:
            continue
        if len(hits) == _MOST_HITS:
            return {"hits": hits, "more": True}
        hits.append({"ordinal": line.ordinal, "step": line.step, **found})
    return {"hits": hits, "more": False}


def _found(event: Event, wanted: re.Pattern[str]) -> dict[str, Json] | None:
    for text in words_of(event):
        if match := wanted.search(text):
            start, end = match.span()
            before, after = text[max(0, start - _AROUND_CHARS) : start], text[end : end + _AROUND_CHARS]
            return {"before": before, "match": match[0], "after": after}
    return None


def _asked(subject: Subject, query: Query) -> _Asked:
    iteration = query.iteration(subject, earlier=True)
    key = TrialKey(case_id=query.text("case"), arm=query.text("arm"), repeat=max(1, query.number("repeat", 1)))
    trial = read_trial(subject.store, iteration, key)
    if trial is None:
        raise SpecError("this trial has no result yet.", where=str(key))
    folder = layout.trial_dir(iteration, key)
    path = subject.store.path(f"{folder}/{layout.TRANSCRIPT}")
    seen = _seen(plan_of(subject, iteration), trial)
    lines = lines_of(path, seen) if path.is_file() and not path.is_symlink() else None
    return _Asked(folder=folder, trial=trial, path=path, lines=lines if lines and lines.lines else None)


def _seen(plan: Plan, trial: Trial) -> Seen:
    arm = next((arm for arm in plan.arms if arm.name == trial.key.arm), None)
    skill = arm.skill if arm and arm.skill else plan.skill
    skills = [plan.skill, *(each.skill for each in plan.arms if each.skill)]
    said = trial.conversation.rounds[1:] if trial.conversation else ()
    return Seen(
        skill=skill.name,
        also=(Path(skill.folder).name,),
        names=tuple(sorted({each.name for each in skills})),
        said=tuple(each.prompt for each in said),
    )


def _filter(query: Query) -> Callable[[Line], bool]:
    name = query.optional("only") or "all"
    if name not in _KINDS:
        raise SpecError(f"{name[:40]!r} is nothing to filter by.", hint=f"There are: {', '.join(_KINDS)}.")
    return _KINDS[name]


def _first(query: Query, shown: Sequence[Line]) -> int:
    """Where the page begins: a little before the step or event that is asked for."""
    for name in ("step", "ordinal"):
        if query.optional(name) is not None:
            wanted = query.number(name)
            numbers = [line.step if name == "step" else line.ordinal for line in shown]
            place = next(
                (at for at, number in enumerate(numbers) if number is not None and number >= wanted), len(shown)
            )
            return place // PAGE * PAGE
    return min(query.number("from", 0), len(shown))


def _rows(asked: _Asked, shown: Sequence[Line]) -> list[Json]:
    rows: list[Json] = []
    left = _PAGE_CHARS
    most = _TEXT_CHARS
    for line, event in events_at(asked.path, iter(shown)):
        rows.append(_row(line, event, asked, most=most))
        left -= min(line.n_chars, most)
        most = _TEXT_CHARS if left > 0 else 200
    return rows


def _row(line: Line, event: Event, asked: _Asked, *, most: int) -> dict[str, Json]:
    row: dict[str, Json] = {
        "ordinal": line.ordinal,
        "step": line.step,
        "kind": line.kind,
        "depth": line.depth,
        "agent": asked.lines.calls.get(line.agent) if asked.lines and line.agent else None,
        "seconds": line.seconds,
        "mark": line.mark,
        "cut": event.cut,
    }
    text = whole_text(event)
    match event:
        case ToolCall():
            row |= {"tool": event.name, "about": about(event, most=most), "file": _file(event, asked.trial)}
        case ToolResult():
            told = {"tool": line.tool, "call": line.call, "is_error": event.is_error}
            row |= {**told, "text": text[:most], "n_chars": len(text)}
        case SessionStarted():
            skills = None if event.skills is None else list(event.skills)
            row |= {"model": event.model, "version": event.version, "tools": list(event.tools), "skills": skills}
            row |= {"text": text[:most], "n_chars": len(text)}
        case Notice():
            row |= {"code": event.code, "text": text[:most], "n_chars": len(text)}
        case UserMessage():
            row |= {"turn": line.turn, "synthetic": event.synthetic, "text": text[:most], "n_chars": len(text)}
        case _:
            row |= {"text": text[:most], "n_chars": len(text)}
    return row


def _file(call: ToolCall, trial: Trial) -> str | None:
    """The file among the trial's that a call wrote; the agent names it from its root."""
    path = (written_path(call) or "").replace("\\", "/").removeprefix("./")
    known = [file.path for file in trial.files if path == file.path or path.endswith(f"/{file.path}")]
    return max(known, key=len, default=None)


def _totals(asked: _Asked, lines: Sequence[Line]) -> Json:
    usage = asked.trial.usage
    timed = [line.seconds for line in lines if line.seconds is not None]
    return {
        "calls": sum(line.kind == "tool_call" for line in lines),
        "errors": sum(line.is_error for line in lines),
        "thoughts": sum(line.kind == "thinking" for line in lines),
        "sub_agents": len({line.agent for line in lines if line.agent}),
        "n_chars": sum(line.n_chars for line in lines),
        "seconds": max(timed, default=None),
        "input_tokens": usage.input_tokens,
        "cache_tokens": usage.cache_read_tokens,
        "output_tokens": usage.output_tokens,
        "tokens": usage.total_tokens,
        "cost_usd": asked.trial.cost_usd,
        "duration_s": None if asked.trial.duration_ms is None else asked.trial.duration_ms / 1000,
        "marks": {mark: line.ordinal for line in reversed(lines) if (mark := line.mark)},
    }


def _bars(lines: Sequence[Line]) -> list[Json]:
    """The whole transcript in few bars: how much text, of which kind most, whether something failed, where the skill is."""
    width = max(1, -(-len(lines) // _BARS))
    return [_bar(lines[at : at + width]) for at in range(0, len(lines), width)]


def _bar(part: Sequence[Line]) -> Json:
    longest = max(part, key=lambda line: line.n_chars)
    return {
        "ordinal": part[0].ordinal,
        "n": len(part),
        "kind": longest.kind,
        "n_chars": sum(line.n_chars for line in part),
        "is_error": any(line.is_error for line in part),
        "mark": next((line.mark for line in part if line.mark not in (None, "not_offered")), None),
    }


def _raw(subject: Subject, folder: str) -> list[Path]:
    """What the agent program itself wrote: one stream for each message of the user's."""
    places = [*subject.store.find(f"{folder}/stream.*"), *subject.store.find(f"{folder}/turn-*/stream.*")]
    paths = [subject.store.path(place) for place in sorted(places, key=_turn)]
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def _turn(place: str) -> int:
    found = re.search(r"/turn-(\d+)/", place)
    return int(found[1]) if found else 1


def _raw_part(subject: Subject, folder: str, start: int, *, stream: int, most: int) -> object:
    streams = _raw(subject, folder)
    if stream >= len(streams):
        raise SpecError("nothing is kept of what the agent program itself wrote.", where=folder)
    path = streams[stream]
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(min(start, size))
        data = file.read(most)
    # A character that the end cuts through belongs to the next part.
    while start + len(data) < size and len(data) > most - 4 and not _is_whole(data):
        data = data[:-1]
    end = start + len(data)
    text = data.decode("utf-8", "replace")
    return {"text": text, "next": end if end < size else None, "n": size, "unit": "bytes", "name": path.name}


def _is_whole(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.end < len(data) or error.reason != "unexpected end of data"
    return True
