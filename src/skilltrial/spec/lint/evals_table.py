"""Rules about what eval files say: cases (ST351-ST369), assertions (ST4xx) and trigger sets (ST5xx).

None is an error: such a file can be run, and what comes out means less than it seems to.
"""

from __future__ import annotations

from skilltrial.spec.lint.rule import Rule, Severity


def _rule(code: str, name: str, severity: Severity, summary: str) -> Rule:
    return Rule(code=code, name=name, severity=severity, summary=summary)


CASE_RULES: tuple[Rule, ...] = (
    _rule("ST351", "one-case", "note", "With one case no statement about the skill is possible: the case is the unit."),
    _rule(
        "ST352", "prompt-twice", "warning", "Two cases ask for the same; they count twice, and look like two witnesses."
    ),
    _rule(
        "ST353", "cases-alike", "note", "All cases are graded on the same words, so they show one thing several times."
    ),
    _rule("ST354", "no-negative-case", "note", "Nothing says when the skill should stay out of the way."),
    _rule("ST355", "ids-mixed", "note", "Some ids are numbers and some are names, which other readers sort apart."),
    _rule(
        "ST356", "id-changed", "note", "An id is no plain lower-case name, so folders get another one with a digest."
    ),
    _rule("ST357", "file-not-mentioned", "note", "A prompt does not mention the files that it comes with."),
    _rule("ST358", "prompt-names-skill", "warning", "A prompt names the skill, which the arm without it cannot have."),
    _rule("ST359", "only-negative", "warning", "All assertions of a case say what must not be: doing nothing passes."),
    _rule("ST360", "not-filled-in", "warning", "A place of the template of `skilltrial init` is still as it was."),
    _rule("ST361", "no-result-check", "warning", "A task that changes files is graded on words and calls alone."),
    _rule("ST362", "exclusion-untested", "warning", "What the description says the skill is not for is never tried."),
    _rule("ST375", "double-unknown", "warning", "An assertion looks at a double that its case does not have."),
    _rule("ST376", "double-not-checked", "note", "No assertion looks at a double of the case."),
    _rule("ST377", "double-state-unreachable", "warning", "A reply waits for a state that no other reply leads to."),
)

ASSERTION_RULES: tuple[Rule, ...] = (
    _rule("ST401", "tautological", "warning", "The statement holds for any answer, so it tells nothing apart."),
    _rule("ST402", "subjective", "warning", "The statement is a matter of taste; two judges may answer differently."),
    _rule("ST403", "vague", "warning", "The statement does not say what to look for, so the judge has to invent it."),
    _rule("ST404", "compound", "note", "The statement makes several claims; one failure hides which, and the others."),
    _rule("ST405", "too-long", "note", "The statement is so long that it is likely to hold several claims."),
    _rule("ST411", "never-fails", "warning", "The check passes whatever the agent does."),
    _rule("ST412", "never-passes", "warning", "The check fails whatever the agent does."),
    _rule("ST413", "true-before-work", "warning", "The check passes on the files that the case starts with."),
    _rule("ST414", "number-unbounded", "warning", "A number in the pattern also matches inside of a longer number."),
    _rule(
        "ST415", "load-passes", "warning", "Loading the skill is enough to pass, and counts as progress of the task."
    ),
    _rule("ST416", "load-fails", "warning", "Loading the skill is enough to fail: the arm with it can only lose."),
    _rule("ST417", "cannot-both-hold", "warning", "Two assertions of a case exclude each other; one always fails."),
    _rule("ST421", "answer-in-prompt", "warning", "The prompt itself matches: an agent that repeats it passes."),
    _rule("ST422", "literal-in-prompt", "note", "The words that are looked for stand in the prompt, in both arms."),
)

TRIGGER_RULES: tuple[Rule, ...] = (
    _rule("ST501", "query-twice", "warning", "A query stands in the set more than once, and counts more than once."),
    _rule("ST502", "query-in-both", "warning", "A query should both trigger the skill and not trigger it."),
    _rule("ST503", "one-class", "warning", "All queries should trigger, or none: half of the question is not asked."),
    _rule("ST504", "few-queries", "note", "So few queries of a kind cannot tell a good description from a lucky one."),
    _rule("ST505", "name-in-every-query", "warning", "Every positive query names the skill; no description is needed."),
    _rule(
        "ST506", "no-near-miss", "note", "No negative query is close to the skill's subject; any description passes."
    ),
)
