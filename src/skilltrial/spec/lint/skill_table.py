"""Rules for skills: the SKILL.md (ST1xx) and the skill's other files (ST2xx). Errors are what the specification forbids."""

from __future__ import annotations

from skilltrial.spec.lint.rule import Rule, Severity


def _rule(code: str, name: str, severity: Severity, summary: str, *, fixable: bool = False) -> Rule:
    return Rule(code=code, name=name, severity=severity, summary=summary, fixable=fixable)


SKILL_RULES: tuple[Rule, ...] = (
    _rule("ST101", "not-a-skill", "error", "The path is a file that is no skill."),
    _rule("ST102", "no-skill-file", "error", "The folder has no file named exactly SKILL.md."),
    _rule(
        "ST103",
        "no-front-matter",
        "error",
        "The file does not start with a line that is exactly '---'.",
        fixable=True,
    ),
    _rule(
        "ST104", "open-front-matter", "error", "No line that is exactly '---' closes the front matter.", fixable=True
    ),
    _rule(
        "ST105",
        "bad-yaml",
        "error",
        "The front matter, or an eval file in YAML, is not YAML; agents drop such a skill.",
    ),
    _rule("ST106", "bad-front-matter", "error", "The front matter is no map of texts to values, or has a key twice."),
    _rule(
        "ST107",
        "bare-colon",
        "error",
        "A value holds ': ' without quotes, which is not YAML; some agents drop the skill.",
        fixable=True,
    ),
    _rule("ST108", "name-missing", "error", "There is no name; the specification requires one."),
    _rule(
        "ST109",
        "name-differs",
        "error",
        "The name is not the folder's name; agents disagree on which one counts.",
        fixable=True,
    ),
    _rule("ST110", "name-long", "error", "The name has more than 64 characters."),
    _rule(
        "ST111",
        "name-rule",
        "error",
        "The name is not lower-case letters and digits joined by single hyphens.",
        fixable=True,
    ),
    _rule("ST112", "bad-name", "error", "The name cannot be the name of a folder."),
    _rule("ST113", "description-missing", "error", "There is no description; agents leave such a skill out."),
    _rule(
        "ST114", "description-long", "error", "The description has more than 1,024 characters; agents cut or refuse it."
    ),
    _rule("ST115", "compatibility-long", "error", "The compatibility has more than 500 characters."),
    _rule("ST116", "compatibility-empty", "error", "The compatibility is there and empty; leave it out instead."),
    _rule("ST117", "metadata-rule", "error", "The metadata is no map of texts to texts.", fixable=True),
    _rule(
        "ST118",
        "allowed-tools-rule",
        "error",
        "allowed-tools is not one text with spaces between the tools.",
        fixable=True,
    ),
    _rule("ST119", "field-not-text", "error", "A field that must be a text is a number, a list or something else."),
    _rule(
        "ST120", "field-slip", "warning", "A key looks like a slip of a field of the specification, and has no effect."
    ),
    _rule(
        "ST121",
        "field-of-host",
        "note",
        "A key is known to some agents only; others ignore it, and the reference validator refuses it.",
    ),
    _rule(
        "ST122",
        "field-unknown",
        "note",
        "A key is neither in the specification nor known to an agent; metadata is the place for it.",
    ),
    _rule(
        "ST123", "body-empty", "warning", "Nothing follows the front matter, so there is nothing for the agent to load."
    ),
    _rule(
        "ST124",
        "crlf",
        "note",
        "Lines of SKILL.md end in CR LF; scripts and some readers stumble over that.",
        fixable=True,
    ),
    _rule(
        "ST130",
        "body-long",
        "warning",
        "The body has more than 500 lines; the specification advises to move detail into references.",
    ),
    _rule(
        "ST131",
        "body-heavy",
        "warning",
        "The body has more than about 5,000 tokens (estimated); all of it is loaded at once.",
    ),
    _rule(
        "ST132",
        "listing-cut",
        "warning",
        "An agent cuts the entry of this skill in its list of skills, so it never sees the end.",
    ),
    _rule(
        "ST133",
        "listing-share",
        "note",
        "The description takes a large part of what an agent has for the list of all skills.",
    ),
    _rule(
        "ST134",
        "description-short",
        "warning",
        "The description is too short to say what the skill does and when to use it.",
    ),
    _rule(
        "ST135",
        "description-no-when",
        "note",
        "The description does not say when to use the skill, which is all the agent goes by.",
    ),
    _rule(
        "ST136",
        "description-person",
        "note",
        "The description speaks in the first or second person; agents read it as a list entry.",
    ),
    _rule(
        "ST137",
        "description-markup",
        "warning",
        "The description has angle brackets; some tools refuse them, since it stands in a prompt.",
    ),
    _rule("ST138", "description-is-name", "warning", "The description says no more than the name."),
    _rule(
        "ST140",
        "reference-missing",
        "warning",
        "The text points to a file that is not in the skill; the agent will look in vain.",
    ),
    _rule(
        "ST141",
        "reference-outside",
        "warning",
        "The text points to a file outside the skill, which is not there once it is installed.",
    ),
    _rule(
        "ST142",
        "reference-deep",
        "note",
        "A file is reached only through another referenced file; agents may not follow that far.",
    ),
    _rule("ST143", "script-missing", "warning", "The text runs a script that is not in the skill."),
)

FOLDER_RULES: tuple[Rule, ...] = (
    _rule("ST201", "link-outside", "warning", "A link leaves the skill's folder; what it points to is left out."),
    _rule("ST202", "link-broken", "warning", "A link points to nothing; it is left out."),
    _rule("ST203", "link-hidden", "warning", "A link points to what agents do not get; it is left out."),
    _rule("ST204", "link-loop", "warning", "A link points to a folder that holds it; it is left out."),
    _rule(
        "ST205", "empty-reference", "warning", "A file of the skill is empty, so reading it tells the agent nothing."
    ),
    _rule(
        "ST206",
        "secret",
        "error",
        "A file of the skill holds what looks like a key or password; whoever gets the skill gets it.",
    ),
    _rule("ST207", "not-executable", "note", "A script that is run by its own path lacks the executable bit."),
    _rule(
        "ST208", "skill-file-twice", "warning", "There is a second file whose name differs from SKILL.md only in case."
    ),
    _rule(
        "ST209", "secret-likely", "warning", "A value that looks random is assigned to a name like token or password."
    ),
    _rule("ST210", "link-packed", "error", "A link cannot be packed: an archive holds files only."),
)
