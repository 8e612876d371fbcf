"""Figures, paths and pairs of checks that nothing can keep, or that anything keeps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

from skilltrial.records.document_checks import DocumentMatches, ImageMatches, TableMatches
from skilltrial.records.suite import (
    AnswerMatches,
    Assertion,
    DiffScope,
    DoubleCalled,
    FileAbsent,
    FileExists,
    FileMatches,
    JsonMatches,
    Limit,
    Similar,
    SkillInvoked,
    SkillNotInvoked,
    Suite,
    TranscriptCheck,
)
from skilltrial.spec.lint.remark import Remark

_STRANGERS = 0.4
"""How much of two texts about different things is alike: half of all pairs of paragraphs have more, hardly any has 0.48."""
_WITH_PATH = (FileExists, FileAbsent, FileMatches, JsonMatches, Similar, TableMatches, DocumentMatches, ImageMatches)
_MADE = (FileExists, FileMatches, TableMatches, DocumentMatches, ImageMatches)
"""Kinds that count what the agent made or changed, unless they say `any`."""


def about_bounds(suite: Suite) -> Iterator[Remark]:
    """Remarks on single assertions, at most one for each, and on pairs within a case."""
    for case in suite.cases:
        for assertion in case.assertions:
            found = next((remark for remark in (check(assertion) for check in _CHECKS) if remark is not None), None)
            if found is not None:
                yield found._replace(key=(case.id, assertion.id))
        for one, other in combinations(case.assertions, 2):
            why = _excluded(one, other) or _excluded(other, one)
            if why:
                message = f"{one.id!r} and {other.id!r} cannot both hold: {why}."
                yield Remark("cannot-both-hold", message, key=(case.id, other.id), hint="Drop one of them.")


def _limit(assertion: Assertion) -> Remark | None:
    if not isinstance(assertion, Limit):
        return None
    taken = {"tokens": assertion.tokens, "seconds": assertion.seconds, "turns": assertion.turns}
    name = next((name for name, most in taken.items() if most == 0), None)
    if name is None:
        return None
    hint = "Write the most that a good trial may take."
    return Remark("never-passes", f"no trial takes 0 {name}.", value="0", hint=hint)


def _like_anything(assertion: Assertion) -> Remark | None:
    if not isinstance(assertion, Similar) or assertion.min_ratio > _STRANGERS:
        return None
    message = (
        f"a `min_ratio` of {assertion.min_ratio:g} fits any text: two that have nothing in common are about 0.4 alike."
    )
    return Remark("never-fails", message, value=f"{assertion.min_ratio:g}", hint="Leave it at 0.9, or try 0.7.")


def _any_number(assertion: Assertion) -> Remark | None:
    if not isinstance(assertion, DoubleCalled) or assertion.min_count > 0 or assertion.max_count is not None:
        return None
    message = f"{assertion.double!r} may be called any number of times, and not at all."
    return Remark("never-fails", message, hint="Give `max_count`, or a `min_count` of 1 or more.")


def _path(assertion: Assertion) -> Remark | None:
    glob = assertion.path if isinstance(assertion, _WITH_PATH) else None
    if glob is None:
        return None
    if "{" in glob and "," in glob.partition("{")[2].partition("}")[0]:
        odd, hint = "braces, which stand for themselves here", "Write one assertion for each, or `*`."
    elif glob != glob.strip():
        odd, hint = "white space around it", "Take it away."
    else:
        return None
    rule = "never-fails" if isinstance(assertion, FileAbsent) else "never-passes"
    return Remark(rule, f"the path {glob[:60]!r} has {odd}, so that no usual file matches.", value=glob[:80], hint=hint)


def _excluded(one: Assertion, other: Assertion) -> str:  # noqa: PLR0911 - a line for each pair
    """Why the second fails where the first holds; empty where it need not."""
    match one, other:
        case Limit(tool_calls=int(most)), TranscriptCheck(check="tool_invocation_matches") if _least(other) > most:
            return f"{_least(other)} tool calls are needed, and {most} allowed"
        case DiffScope(max_files_touched=0), _ if isinstance(other, _MADE) and not other.any:
            return "no file may be changed, and one has to be"
        case FileExists(path=path), FileAbsent(path=absent) if path == absent:
            return f"{path[:60]!r} has to be there, and must not be"
        case SkillInvoked(), SkillNotInvoked():
            return "the skill has to be loaded, and must not be"
        case AnswerMatches(negate=False), AnswerMatches(negate=True) if one.pattern == other.pattern:
            return f"{one.pattern[:60]!r} has to be said, and must not be"
        case TranscriptCheck(negate=False), TranscriptCheck(negate=True) if _least(one) > 0 and _same(one, other):
            return f"{(one.pattern or '')[:60]!r} has to be found, and must not be"
        case _:
            return ""


def _least(check: TranscriptCheck) -> int:
    """How many places have to match."""
    if check.negate:
        return 0
    return check.min_count or (0 if check.max_count is not None else 1)


def _same(one: TranscriptCheck, other: TranscriptCheck) -> bool:
    """They look for the same, but for how often. The denial has no conditions that narrow it."""
    about = {"check", "pattern"}
    narrowed = other.model_dump(include={"arg", "result_matches", "succeeded", "before", "after"}, exclude_none=True)
    is_wide = not narrowed and other.must_precede == "any"
    return is_wide and one.model_dump(include=about) == other.model_dump(include=about)


_CHECKS: tuple[Callable[[Assertion], Remark | None], ...] = (_limit, _like_anything, _any_number, _path)
