"""What people said in a review page, in whichever of the three shapes, and about which case or run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from skilltrial.adapters.interchange.writers.rounds import Round, Run
from skilltrial.ports import Loss
from skilltrial.records.json_value import Json
from skilltrial.records.layout import FEEDBACK, slug
from skilltrial.records.suite import Case


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One comment; empty where the reviewer looked and had no complaint."""

    case: Case
    run: Run | None
    """None where it is about the case."""
    text: str
    timestamp: str | None = None
    rating: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A feedback file."""

    remarks: tuple[Remark, ...]
    status: str | None = None
    timestamp: str | None = None
    general: str | None = None
    action: str | None = None
    lost: tuple[str, ...] = ()
    """Subjects that no case or run is called by."""


def read_review(round_: Round) -> Review | None:
    """The feedback on an iteration: its own file, else the workspace's; None where there is none."""
    documents = round_.source.documents
    value = documents.get(f"{round_.place}/{FEEDBACK}", documents.get(FEEDBACK))
    if not isinstance(value, Mapping) or not value:
        return None
    fields = cast("Mapping[str, Json]", value)
    number = fields.get("iteration")
    if isinstance(number, int) and number != round_.source.iteration:
        return None
    subjects = _subjects(round_)
    remarks: list[Remark] = []
    lost: list[str] = []
    for name, entry in _entries(fields):
        found = subjects.get(name)
        if found is None:
            lost.append(name)
            continue
        text = entry.get("feedback", entry.get("comment"))
        remarks.append(
            Remark(
                case=found[0],
                run=found[1],
                text=text if isinstance(text, str) else "",
                timestamp=_text(entry.get("timestamp")),
                rating=_text(entry.get("rating")),
            )
        )
    return Review(
        remarks=tuple(remarks),
        status=_text(fields.get("status")),
        timestamp=_text(fields.get("timestamp")),
        general=_text(fields.get("general_feedback")),
        action=_text(fields.get("action")),
        lost=tuple(lost),
    )


def review_losses(round_: Round, review: Review, holds: Sequence[str]) -> list[Loss]:
    """What of a feedback file the target does not hold; `holds` names what it does."""
    told = (
        ("rating", any(remark.rating for remark in review.remarks), "the ratings in the feedback"),
        ("timestamp", any(remark.timestamp for remark in review.remarks), "the times of the remarks in the feedback"),
        ("status", review.status is not None, f"the feedback's status {review.status!r}"),
        ("general", bool(review.general), "the general feedback"),
        ("action", review.action is not None, f"the feedback's action {review.action!r}"),
        ("run", any(remark.run for remark in review.remarks), "which run a remark is about: the target has one a case"),
    )
    losses = [round_.loss(what) for name, is_there, what in told if is_there and name not in holds]
    if review.lost:
        losses.append(round_.loss(f"feedback on what is not there: {', '.join(map(repr, review.lost[:3]))}"))
    return losses


def _entries(fields: Mapping[str, Json]) -> list[tuple[str, Mapping[str, Json]]]:
    for key, subject in (("reviews", "run_id"), ("eval_feedback", "eval_id")):
        listed = fields.get(key)
        if isinstance(listed, list):
            entries = [cast("Mapping[str, Json]", e) for e in cast("list[Json]", listed) if isinstance(e, Mapping)]
            return [(str(entry.get(subject)), entry) for entry in entries]
    return [(str(name), {"comment": text}) for name, text in fields.items() if isinstance(text, str)]


def _subjects(round_: Round) -> dict[str, tuple[Case, Run | None]]:
    """Every name that a feedback file may call a case or a run by."""
    found: dict[str, tuple[Case, Run | None]] = {}
    for case in round_.source.plan.suite.cases:
        names = [f"eval-{slug(case.id)}", case.id, str(case.written_id), f"eval-{case.written_id}", case.name or ""]
        for name in names:
            found.setdefault(name, (case, None))
    for run in round_.runs:
        key = run.trial.key
        for case_name in (slug(key.case_id), str(run.case.written_id), slug(run.case.name or "")):
            for arm in (slug(key.arm), run.arm):
                head = f"eval-{case_name}-{arm}"
                found.setdefault(f"{head}-run-{key.repeat}", (run.case, run))
                if key.repeat == 1:
                    found.setdefault(head, (run.case, run))
    return found


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None
