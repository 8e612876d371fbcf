"""A person at a terminal is asked what the judge was asked."""

from __future__ import annotations

import json
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.standard_output import put
from skilltrial.errors import SpecError
from skilltrial.grade.judge_view import Section
from skilltrial.labelling.desk import Answer, Desk, LabelRequest, Question, lay_out
from skilltrial.labelling.sheet import take_back, write_sheet
from skilltrial.report.figures import plural
from skilltrial.report.plain_text import block, line

_FIRST = 1_500
"""Characters of a long text that are shown unasked."""
_WHOLE = 100_000
_WIDTH = 80
_NOTE = 1_000
_ANSWERS: dict[str, Answer] = {"p": "PASS", "f": "FAIL", "u": "UNSURE"}
_KEYS = "p(ass) f(ail) u(nsure) · n(ote) s(how) b(ack) q(uit) > "
_MAIN = ("task", "notes on a good result", "final message")


def label_and_print(request: LabelRequest, *, export: Path | None, taken: Path | None, as_json: bool) -> None:
    """Ask at the terminal, or write or take back a sheet, and say what came of it."""
    if export is not None and taken is not None:
        raise SpecError("--export and --import cannot be done at once.")
    desk = lay_out(request)
    told: dict[str, int | str] = {"workspace": str(request.workspace), "iteration": desk.iteration, "by": desk.by}
    if taken is not None:
        back = take_back(desk, taken, now=_now)
        told |= {"kept": back.n_kept, "known": back.n_known, "empty": back.n_empty}
        words = f"{plural(back.n_kept, 'answer')} kept, {back.n_known} known before, {back.n_empty} left empty."
    else:
        if export is None and desk.open:
            _require_terminal()
        carried = desk.carry_over()
        told |= {"drawn": len(desk.questions), "carried_over": carried}
        if export is not None:
            told |= {"exported": write_sheet(desk, export)}
            words = f"{plural(int(told['exported']), 'question')} in {export}; `--import` takes the file back."
        elif not desk.open:
            words = _nothing_left(desk, request)
        else:
            answered = _ask_here(desk, as_json=as_json)
            told |= {"answered": answered, "open": len(desk.open)}
            words = f"{plural(answered, 'answer')} kept, {len(desk.open)} of {len(desk.questions)} open."
        if carried:
            words += f" {carried} of your earlier answers hold for the judge of now as well."
    if as_json:
        put(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    else:
        next_step = "Next: `skilltrial calibration` says how far the judge can be trusted."
        put("".join(f"{paragraph(text, _WIDTH)}\n" for text in (words, next_step)))


def _nothing_left(desk: Desk, request: LabelRequest) -> str:
    n = len(desk.questions)
    more = len(desk.everything) > n and not request.only
    what = f"--n {request.n * 2} draws more." if more else "Nothing else was judged here."
    return f"Nothing is left to label: {line(desk.by)} has answered all {n} of this draw. {what}"


def _require_terminal() -> None:
    if not (sys.stdin and sys.stdin.isatty()):
        raise SpecError(
            "there is no terminal to ask at.",
            hint="--export FILE writes the questions to a sheet, and --import FILE takes it back.",
        )


def _ask_here(desk: Desk, *, as_json: bool) -> int:
    out = sys.stderr.write if as_json else put
    width = min(Screen(stderr=as_json).width, _WIDTH)

    def read(prompt: str) -> str | None:
        out(prompt)
        if as_json:
            sys.stderr.flush()
        typed = sys.stdin.readline()
        return typed.strip() if typed else None

    return Interview(desk=desk, read=read, out=out, width=width, now=_now).hold()


@dataclass(kw_only=True)
class Interview:
    """One sitting. `read` shows a prompt and gives what was typed, None at the end of the input."""

    desk: Desk
    read: Callable[[str], str | None]
    out: Callable[[str], object]
    width: int
    now: Callable[[], datetime]
    note: str = ""
    """For the answer that comes next."""

    def hold(self) -> int:
        """Ask all open questions; returns how many were answered. Ends early at `q` or where the input ends."""
        questions = self.desk.open
        answered: set[str] = set()
        place = 0
        while place < len(questions):
            question = questions[place]
            sections = self.desk.sections(question)
            self._show(question, sections, f"{place + 1} of {len(questions)}")
            step = self._until_answered(question, sections)
            if step is None:
                break
            if step > 0:
                answered.add(question.id)
            place = max(place + step, 0)
            self.note = ""
        return len(answered)

    def _until_answered(self, question: Question, sections: Sequence[Section]) -> int | None:
        """How many questions to go on; None to end."""
        while True:
            typed = self.read(_KEYS)
            key, _, rest = (typed or "").partition(" ")
            match key.lower():
                case "p" | "f" | "u" as letter:
                    self.desk.answer(question, _ANSWERS[letter], note=self.note, at=self.now())
                    return 1
                case "b":
                    return -1
                case "q":
                    return None
                case "" if typed is None:
                    return None
                case "n":
                    self.note = line(rest or self.read("Note: ") or "", _NOTE)
                case "s":
                    self._show_section(sections, rest.strip())
                case _:
                    self.out("Type a letter before a bracket, and Enter; s 3 shows the third text whole.\n")

    def _show(self, question: Question, sections: Sequence[Section], place: str) -> None:
        self.out(f"\n{'─' * self.width}\n{place}\n")
        for number, section in enumerate(sections, 1):
            if section.name in _MAIN:
                self._text(section, number, limit=_FIRST)
        others = [f"s {n} {_title(each)}" for n, each in enumerate(sections, 1) if each.name not in _MAIN]
        if others:
            self.out(f"\n{paragraph('To be shown: ' + ', '.join(others), self.width)}\n")
        self.out(f"\nDoes this hold?\n{self._wrapped(question.statement)}\n\n")
        said = self.desk.last.get(question.looked)
        if said is not None:
            self.out(f"You said {said.verdict}; another answer counts instead.\n")

    def _show_section(self, sections: Sequence[Section], number: str) -> None:
        if number.isdecimal() and 1 <= int(number) <= len(sections):
            self._text(sections[int(number) - 1], int(number), limit=_WHOLE)
        else:
            names = ", ".join(f"s {n} {_title(each)}" for n, each in enumerate(sections, 1))
            self.out(f"{paragraph('Say which: ' + names, self.width)}\n")

    def _text(self, section: Section, number: int, *, limit: int) -> None:
        text = section.text
        self.out(f"\n{_title(section)}\n{self._wrapped(text[:limit]) or '  (nothing)'}\n")
        if len(text) > limit:
            self.out(f"  … {len(text) - limit:,} more characters; s {number} shows the text whole\n")

    def _wrapped(self, text: str) -> str:
        """Somebody else's lines, harmless and indented, so that none of them looks like ours."""
        lines = block(text, _WHOLE).split("\n")
        return "\n".join(
            textwrap.fill(each, self.width, initial_indent="  ", subsequent_indent="  ", replace_whitespace=False)
            for each in lines
        )


def _title(section: Section) -> str:
    """A file by its path, anything else by its name."""
    place = section.passages[0].place if section.passages else ""
    return line(place if place.startswith("file ") else section.name, 60)


def _now() -> datetime:
    return datetime.now(UTC)
