"""The journal of what somebody looks at, read again only where it has grown."""

from __future__ import annotations

from skilltrial.feedback import Feedback, feedback_in
from skilltrial.journal import Journal, read_journal
from skilltrial.records import layout
from skilltrial.review.plans import FileState, file_state
from skilltrial.review.subject import Subject


def journal_state(subject: Subject) -> FileState:
    """Another one as soon as a line was added."""
    return file_state(subject.journal.path(layout.JOURNAL))


def journal_of(subject: Subject) -> Journal:
    """Every line. Raises `StoreError` where it cannot be read."""
    return subject.kept.get("journal", journal_state(subject), lambda: read_journal(subject.journal))


def said_of(subject: Subject, iteration: int) -> Feedback:
    """All that counts by now."""
    state, journal = journal_state(subject), journal_of(subject)

    def read() -> Feedback:
        return feedback_in(journal.lines, iteration, unread=journal.unread)

    return subject.kept.get(("feedback", iteration), state, read)
