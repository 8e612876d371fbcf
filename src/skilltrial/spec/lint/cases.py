"""What the cases of a suite ask, taken together and one by one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from skilltrial.records.layout import slug
from skilltrial.records.suite import AnswerMatches, Case, FileMatches, LlmJudge, Suite, TranscriptCheck
from skilltrial.spec.lint.remark import Remark
from skilltrial.spec.template import MARK

_FEW = 3
_OF_ONE_CASE = {"anthropic-evaluation", "case-yaml", "single-case", "waza-task"}
_NEGATIVE = re.compile(
    r"(?i)^(?:the |an? )?(?:[\w-]+ ){0,3}?(?:(?:does|do|should|must) not|(?:does|do|should|must)n['\u2019]t|never|avoids|"
    r"contains no|has no|no )\b"
)
_POINTS_AT_INPUT = re.compile(
    r"(?i)\b(?:files?|folders?|director(?:y|ies)|repo(?:sitory)?|project|codebase|code|document|documents|attached|"
    r"attachment|attachments|inputs?|here|these|this|my|our|the (?:data|logs?|report|spreadsheet|table|image|notes?))\b"
)


def about_suite(suite: Suite, *, has_triggers: bool, excluded: str = "") -> Iterator[Remark]:
    """Remarks on the cases taken together. `excluded`: what the skill's description says it is not for."""
    cases = suite.cases
    if suite.dialect in _OF_ONE_CASE:
        return  # the suite is the folder that this file lies in
    if len(cases) == 1:
        hint = "Add cases: other wordings, other inputs, an edge of what the skill covers. Five or more begin to tell."
        yield Remark("one-case", "this is the only case; whether the skill helps cannot be told from it.", hint=hint)
    if all(case.skill_should_trigger for case in cases) and not has_triggers and not _has_triggers_beside(suite):
        hint = (
            'Add a case with `"skill_should_trigger": false`: a task next to the skill\'s subject that it is not for.'
        )
        if excluded:
            message = f"the description says {excluded!r}, and no case tries that."
            yield Remark("exclusion-untested", message, value=excluded, hint=hint)
        else:
            yield Remark("no-negative-case", "in no case should the skill stay out of the way.", hint=hint)
    yield from _alike(cases)
    yield from _ids(cases)
    yield from _prompts_twice(cases)


def about_cases(suite: Suite, *, skill_name: str | None) -> Iterator[Remark]:
    """Remarks on each case by itself."""
    for case in suite.cases:
        key = (case.id, None)
        if MARK in case.model_dump_json(include={"prompt", "expected_output", "files", "assertions"}):
            message = f"the case {case.id!r} still has places of the template to fill in."
            yield Remark("not-filled-in", message, key=key, hint=f"Write what belongs there instead of '{MARK} …'.")
            continue
        if not case.assertions:
            message = f"the case {case.id!r} has no assertions; its trials are run, and nothing is graded."
            yield Remark("no-assertions", message, key=key, hint="Write down what must hold, as `assertions`.")
        if case.assertions and case.skill_should_trigger and all(map(_is_negative, case.assertions)):
            message = f"all assertions of {case.id!r} say what must not be; an agent that does nothing passes."
            yield Remark("only-negative", message, key=key, hint="Add one that says what must be there.")
        if skill_name and names_skill(case.prompt, skill_name):
            message = (
                f"the prompt of {case.id!r} names the skill {skill_name!r}, which the arm without it does not have."
            )
            hint = "Write what a user would ask for, and let the agent find the skill by its description."
            yield Remark("prompt-names-skill", message, key=key, hint=hint)
        if case.files and not _mentions_files(case):
            names = ", ".join(repr(file.path) for file in case.files[:3])
            message = f"the prompt of {case.id!r} does not mention its files ({names})."
            hint = "Say in the prompt what to work on, or leave the files out."
            yield Remark("file-not-mentioned", message, key=key, hint=hint)


def names_skill(prompt: str, name: str) -> bool:
    """Whether a text names the skill as one: `/name`, `$name`, or the name beside the word skill.

    The bare name does not count: it may be that of the library or the format that the skill is about.
    """
    word = rf"{re.escape(name)}(?![\w/.-])"
    as_command = rf"(?<![\w/.$-])[/$](?:[\w-]+:)?{word}"
    beside = rf"(?<![\w-]){word}[\s\"'`*]+skill\b|\bskill[\s:\"'`*]+{word}"
    return re.search(f"(?i){as_command}|{beside}", prompt) is not None


def _has_triggers_beside(suite: Suite) -> bool:
    """By their names, which is enough for a note."""
    path = Path(suite.path)
    try:
        return any("trigger" in other.name.lower() and other != path for other in path.parent.iterdir())
    except OSError:
        return False


def _alike(cases: tuple[Case, ...]) -> Iterator[Remark]:
    if len(cases) < _FEW:
        return
    graded = [frozenset(assertion.text for assertion in case.assertions) for case in cases]
    if graded[0] and len(set(graded)) == 1:
        message = f"all {len(cases)} cases have the same assertions."
        hint = "Say for each case what its own result must have."
        yield Remark("cases-alike", message, hint=hint)


def _ids(cases: tuple[Case, ...]) -> Iterator[Remark]:
    written = [case for case in cases if case.written_id is not None]
    numbers = [case for case in written if isinstance(case.written_id, int)]
    if numbers and len(numbers) < len(written):
        text = next(case for case in written if isinstance(case.written_id, str))
        message = f"ids are numbers ({numbers[0].written_id}) and texts ({text.written_id!r})."
        yield Remark("ids-mixed", message, key=(text.id, None), hint="Use one kind.")
    changed = [case for case in written if slug(case.id) != case.id]
    if changed:
        first = changed[0]
        more = f" ({len(changed) - 1} more ids too)" if len(changed) > 1 else ""
        message = (
            f"the id {first.id[:60]!r} is no name for a folder; its folder will be {'eval-' + slug(first.id)!r}{more}."
        )
        hint = "Write lower-case words with hyphens, like 'two-tables'."
        yield Remark("id-changed", message, key=(first.id, None), value=first.id[:80], hint=hint)


def _prompts_twice(cases: tuple[Case, ...]) -> Iterator[Remark]:
    by_task: dict[tuple[object, ...], list[Case]] = defaultdict(list)
    for case in cases:
        files = tuple(sorted((file.path, file.sha256) for file in case.files))
        by_task[(_plain(case.prompt), files, _rest(case))].append(case)
    for same in by_task.values():
        for case in same[1:]:
            message = f"{case.id!r} asks for the same as {same[0].id!r}."
            hint = "Join their assertions in one case; `runs` repeats a case."
            yield Remark("prompt-twice", message, key=(case.id, None), hint=hint)


def _rest(case: Case) -> str:
    """What else may set two cases apart: later turns, a repository, keys of other tools."""
    plain = (str, int, float, bool, type(None))
    own = repr((case.turns, case.responder, case.codebase, case.doubles))
    return own + repr(sorted((key, repr(value)) for key, value in case.extra.items() if not isinstance(value, plain)))


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _is_negative(assertion: object) -> bool:
    match assertion:
        case TranscriptCheck(negate=negate) | AnswerMatches(negate=negate) | FileMatches(negate=negate):
            return negate
        case LlmJudge(rubric=rubric):
            return _NEGATIVE.match(rubric.strip()) is not None
        case _:
            return False


def _mentions_files(case: Case) -> bool:
    if _POINTS_AT_INPUT.search(case.prompt):
        return True
    prompt = case.prompt.casefold()
    paths = [PurePosixPath(file.path.casefold()) for file in case.files]
    words = {word for path in paths for word in (path.name, path.stem, path.suffix.lstrip("."), *path.parts) if word}
    return any(word in prompt for word in words)
