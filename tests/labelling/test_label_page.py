"""A person at a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from skilltrial.cli.calibration_page import print_calibration
from skilltrial.cli.label_page import Interview, label_and_print
from skilltrial.errors import SpecError
from skilltrial.journal import read_journal
from skilltrial.labelling.desk import LabelRequest


class Sitting:
    """Types these lines, and keeps what is shown."""

    def __init__(self, desk, *typed: str, now=None) -> None:
        self.shown = ""
        lines = iter(typed)

        def read(prompt: str) -> str | None:
            self.out(f"{prompt}\n")  # a terminal shows the Enter
            return next(lines, None)

        self.answered = Interview(desk=desk, read=read, out=self.out, width=80, now=now).hold()
        self.said = [each.verdict for each in read_journal(desk.store).verdicts]

    def out(self, text: str) -> None:
        """What the person sees."""
        self.shown += text


def test_letters_are_answers_and_the_end_of_the_input_is_an_end(desk, now) -> None:
    """Three of four; the fourth is asked next time."""
    found = desk(n=4)
    sitting = Sitting(found, "p", "F", "u", now=now)
    assert (sitting.answered, sitting.said) == (3, ["PASS", "FAIL", "UNSURE"])
    assert "4 of 4" in sitting.shown
    assert len(desk(n=4).open) == 1


def test_back_asks_again_and_the_later_answer_counts(desk, now) -> None:
    """The first question twice; it is said what was said."""
    sitting = Sitting(desk(n=4), "b", "p", "b", "f", "q", now=now)
    assert (sitting.answered, sitting.said) == (1, ["PASS", "FAIL"])
    assert "You said PASS; another answer counts instead." in sitting.shown


def test_a_note_goes_with_the_next_answer_alone(desk, now) -> None:
    """On the line, or asked for."""
    found = desk(n=4)
    Sitting(found, "n rather short", "p", "n", "hm", "f", "p", now=now)
    assert [each.note for each in read_journal(found.store).verdicts] == ["rather short", "hm", ""]


def test_what_is_shown_is_blind_harmless_and_within_80_columns(desk, now) -> None:
    """The message has an escape in it, and the name of the skill."""
    sitting = Sitting(desk(n=4), "s", "s 1", "s 99", "what", "q", now=now)
    assert "\x1b" not in sitting.shown
    assert "_skill" not in sitting.shown
    assert "I used the guide" in sitting.shown
    assert "Say which: s 1 task" in sitting.shown
    assert "Type a letter before a bracket" in sitting.shown
    assert max(map(len, sitting.shown.splitlines())) <= 80


def test_nothing_left_is_said_and_how_to_go_on(desk, now, capsys) -> None:
    """All of the draw has an answer."""
    found = desk(n=4)
    Sitting(found, "p", "p", "p", "p", now=now)
    label_and_print(LabelRequest(workspace=found.store.path(""), by="Ada", n=4), export=None, taken=None, as_json=False)
    told = " ".join(capsys.readouterr().out.split())
    assert "Nothing is left to label: Ada has answered all 4 of this draw. --n 8 draws more." in told


def test_without_a_terminal_the_sheet_is_named(desk, monkeypatch, tmp_path) -> None:
    """A pipe cannot be asked."""
    with (tmp_path / "empty").open("w+") as nobody:
        monkeypatch.setattr(sys, "stdin", nobody)
        request = LabelRequest(workspace=desk(n=4).store.path(""), by="Ada")
        with pytest.raises(SpecError, match=r"no terminal.*--export FILE"):
            label_and_print(request, export=None, taken=None, as_json=False)


def test_the_calibration_says_what_was_found(desk, now, capsys) -> None:
    """Four strata, one label each, all PASS: the judge is right in two. A torn line is named."""
    found = desk(n=4)
    Sitting(found, "p", "p", "p", "p", now=now)
    with found.store.path("journal.jsonl").open("a") as file:
        file.write('{"kind":')
    print_calibration(found.store.path(""), iteration=None, as_json=False)
    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 80
    told = " ".join(shown.split())
    assert "Iteration 1: 4 labels of people on 24 verdicts of a judge; 4 of them drawn at random" in told
    assert "! Uncalibrated judge: 24 of 24 verdicts are a judge's, and only 4 of them have" in told
    assert "openai:a and people (Ada) say the same of 50 % of 4 assertions (95 % interval 15 % to 85 %)" in told
    assert "the judge passes 0 that people fail, and fails 2 that people pass" in told
    assert "journal.jsonl:5 does not count: it is no JSON" in told


def test_a_real_terminal_is_asked_and_answers_are_on_the_disk(desk) -> None:
    """The installed command, on a pseudo-terminal."""
    found = desk(n=4)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "skilltrial", "label", str(found.store.path("")), "--n", "4", "--by", "Ada"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        os.write(ours, b"p\nf\nq\n")
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # how a terminal says that nobody is left
            pass
        finally:
            os.close(ours)
    assert process.returncode == 0
    assert b"2 answers kept, 2 of 4 open." in shown
    assert [each.verdict for each in read_journal(found.store).verdicts] == ["PASS", "FAIL"]
