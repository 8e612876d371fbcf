"""Rules about reading: any file (ST0xx), and eval files as far as they have to be understood (ST300-ST350)."""

from __future__ import annotations

from skilltrial.spec.lint.rule import Rule, Severity


def _rule(code: str, name: str, severity: Severity, summary: str, *, fixable: bool = False) -> Rule:
    return Rule(code=code, name=name, severity=severity, summary=summary, fixable=fixable)


FILE_RULES: tuple[Rule, ...] = (
    _rule("ST001", "no-such-folder", "error", "The path that was given does not exist."),
    _rule("ST002", "no-such-file", "error", "A file that has to be read is not there."),
    _rule("ST003", "unreadable", "error", "The system refuses to open the file or folder."),
    _rule(
        "ST004", "not-a-file", "warning", "A folder, device or pipe stands where a file should; agents do not get it."
    ),
    _rule("ST005", "too-large", "error", "The file is larger than any file of its kind has a reason to be."),
    _rule("ST006", "not-utf8", "error", "The file is not UTF-8 text, which is what every agent reads."),
    _rule("ST007", "name-not-utf8", "warning", "A file name is not UTF-8; it cannot be carried to an agent."),
    _rule("ST008", "too-many-files", "error", "The folder has more files than a skill has a reason to have."),
    _rule(
        "ST009",
        "byte-order-mark",
        "warning",
        "The file starts with a byte-order mark, which some agents take for text.",
        fixable=True,
    ),
)

EVAL_FILE_RULES: tuple[Rule, ...] = (
    _rule("ST301", "no-evals", "warning", "The skill has no eval file, so nothing says whether it helps."),
    _rule("ST302", "unknown-format", "error", "The eval file has a format that is not read."),
    _rule("ST303", "empty-file", "error", "The eval file is empty."),
    _rule("ST304", "cut-file", "error", "The eval file ends in the middle of a value; it was not saved whole."),
    _rule("ST305", "bad-json", "error", "The eval file is not JSON at the place named."),
    _rule("ST306", "key-twice", "error", "An object has the same key twice; readers disagree on which one counts."),
    _rule("ST307", "too-deep", "error", "Values are nested deeper than any eval file needs."),
    _rule("ST308", "no-evals-key", "error", "The file has no list of cases."),
    _rule("ST309", "bad-evals", "error", "The cases are not a list."),
    _rule("ST310", "empty-evals", "error", "The list of cases is empty."),
    _rule("ST311", "too-many-cases", "error", "One file has more cases than it may have."),
    _rule("ST312", "bad-case", "error", "A case is not an object."),
    _rule("ST313", "skill-name-not-text", "warning", "The skill's name in the eval file is not a text; it is ignored."),
    _rule("ST314", "skill-name-differs", "warning", "The eval file names another skill than the one it lies in."),
    _rule(
        "ST315", "unknown-key", "note", "A key means nothing here; it is kept. A warning where it looks like a slip."
    ),
    _rule("ST316", "no-prompt", "error", "A case has no prompt, so there is nothing to ask the agent."),
    _rule("ST317", "bad-prompt", "error", "A prompt is not a text that an agent program can be given."),
    _rule("ST318", "bad-id", "error", "An id is neither a text nor a whole number."),
    _rule("ST319", "id-twice", "error", "Two cases, or two assertions of a case, have the same id."),
    _rule(
        "ST320", "id-made", "note", "A case has no id; it is called by its position, which moves when cases are added."
    ),
    _rule("ST321", "bad-runs", "error", "The number of runs is not a whole number that makes sense."),
    _rule("ST322", "bad-should-trigger", "error", "Whether the skill should trigger is neither true nor false."),
    _rule("ST323", "text-made", "warning", "A value should be a text and is not; its JSON is shown instead."),
    _rule("ST324", "key-renamed", "note", "A key was read under the name that it has here."),
    _rule("ST325", "key-not-used", "warning", "A key of another tool is kept, and changes nothing yet."),
    _rule("ST326", "list-missing", "note", "A single text was read as a list with that one entry."),
    _rule("ST327", "bad-assertions", "error", "The assertions of a case are not a list."),
    _rule("ST328", "empty-assertion", "error", "An assertion is an empty text."),
    _rule("ST329", "bad-assertion", "error", "An assertion is neither a text nor an object."),
    _rule("ST330", "no-statement", "error", "An assertion has neither a type nor a statement."),
    _rule(
        "ST331",
        "foreign-assertion",
        "warning",
        "An assertion has a meaning that is not known here; it is carried and never graded.",
    ),
    _rule("ST332", "rubric-missing", "warning", "An assertion for the judge has no rubric; its statement is used."),
    _rule("ST333", "key-missing", "error", "An assertion lacks an operand that its type needs."),
    _rule("ST334", "bad-operand", "error", "An operand of an assertion has the wrong kind of value."),
    _rule("ST335", "bad-pointer", "error", "A JSON pointer cannot be used."),
    _rule("ST336", "bad-schema", "error", "A JSON Schema cannot be used."),
    _rule("ST337", "bad-pattern", "error", "A regular expression cannot be compiled."),
    _rule("ST338", "bad-files", "error", "The files of a case are neither a list nor a map of names to contents."),
    _rule("ST339", "bad-path", "error", "A file's path is absolute, leaves the folder, or is no path."),
    _rule("ST340", "outside-skill", "error", "A file of a case lies outside the skill."),
    _rule("ST341", "git-folder", "error", "A file of a case lies in a .git folder."),
    _rule("ST342", "bad-content", "error", "The content of a file is not a text."),
    _rule("ST343", "file-missing", "error", "A file of a case is not there."),
    _rule("ST344", "file-collision", "error", "Two files of a case need the same place."),
    _rule("ST345", "file-moved", "note", "The agent gets a file at another place than its path says."),
    _rule("ST346", "folder-empty", "warning", "A folder of a case has no files."),
    _rule("ST347", "file-configures-agent", "warning", "A file of a case lies where agents keep settings and skills."),
    _rule("ST348", "file-of-evals", "warning", "A case hands the agent the eval file, with the expected results."),
    _rule("ST349", "file-of-skill", "warning", "A case hands a part of the skill to the arm without the skill."),
    _rule("ST350", "no-assertions", "warning", "A case has no assertions; its trials are run and nothing is graded."),
)

FORM_RULES: tuple[Rule, ...] = (
    _rule("ST370", "bad-doubles", "error", "A double is none that can be put up: a key, a name or a value is wrong."),
    _rule("ST371", "bad-setup-file", "error", "A file that is held out for a check is given to the agent."),
    _rule("ST372", "bad-jsonpath", "error", "A JSONPath of a check cannot be read."),
    _rule("ST373", "bad-code", "error", "The file of a check in Python is none that Python can read."),
    _rule("ST374", "bad-reference", "error", "A reference solution is no folder with one, or agents would see it."),
    _rule("ST378", "bad-family", "error", "The family of a case is no text."),
    _rule("ST379", "not-a-case", "warning", "A file of a folder of cases has no prompt; it is left out."),
    _rule("ST380", "unknown-form", "error", "The file has no form of eval file that is known."),
    _rule(
        "ST381",
        "result-file",
        "error",
        "The file holds results of an evaluation, not the cases that they were made from.",
    ),
    _rule("ST382", "no-cases", "error", "The file or folder has neither cases nor queries."),
    _rule("ST383", "cases-elsewhere", "error", "The file only names others, which hold the cases."),
    _rule("ST384", "trigger-set", "error", "A trigger set was given where cases are needed."),
    _rule("ST385", "bad-csv", "error", "The file is not CSV with a header."),
    _rule("ST386", "row-long", "error", "A row has more cells than the header has columns."),
    _rule("ST387", "row-short", "note", "A row has fewer cells than the header; the others are taken for empty."),
    _rule(
        "ST388", "yaml-word", "note", "A plain word of YAML (yes, on, a date) was read as text, as its author wrote it."
    ),
    _rule("ST389", "key-made-text", "note", "A key that is no text was read as one."),
    _rule("ST390", "tag-ignored", "note", "A tag of YAML is not followed; the value is read as it stands."),
    _rule("ST391", "text-from-file", "note", "A text was taken from the file that is named in its place."),
    _rule("ST392", "file-not-given", "warning", "A file of another tool's case is not given to the agent."),
    _rule(
        "ST393",
        "script-not-run",
        "warning",
        "A script of another tool's case would prepare the agent's folder; it is not run.",
    ),
    _rule("ST394", "type-as-prose", "note", "A check of another tool was read as a statement for the judge."),
    _rule("ST395", "assertion-made", "note", "The expected output of a case without assertions was made into one."),
    _rule("ST396", "case-left-out", "warning", "A case without a prompt is left out, since no agent can be given it."),
    _rule("ST397", "turns-and-responder", "error", "Later messages come from a list and from a model at once."),
    _rule("ST398", "bad-turn", "error", "A later message is blank, or waits for what cannot be searched."),
    _rule("ST399", "bad-codebase", "error", "A codebase is neither a `url` with a `ref` nor a `path`."),
    _rule("ST400", "bad-responder", "error", "A responder is none that can play the user."),
)

TRIGGER_FILE_RULES: tuple[Rule, ...] = (
    _rule("ST581", "no-query", "error", "An entry of a trigger set has no query."),
    _rule("ST582", "bad-query", "error", "A query is not a text that an agent program can be given."),
    _rule("ST583", "no-should-trigger", "error", "A query does not say whether the skill should be loaded."),
    _rule("ST584", "no-queries", "error", "An eval file was given where a trigger set is needed."),
)
