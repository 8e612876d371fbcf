"""Everything that an audit can find: stable codes, names, and how much each matters.

SA1xx change a number that somebody reads, SA2xx hide or lose something, SA3xx are traps for the tool that wrote the files.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from skilltrial.audit.wording import json_value
from skilltrial.records.audit import AuditFinding
from skilltrial.records.json_value import Json

Severity = Literal["error", "warning", "note"]
_DECIMALS = 6
"""Of right values: what comes after them is the noise of floats."""
_SEVERITIES: dict[str, Severity] = {"1": "error", "2": "warning", "3": "note"}


@dataclass(frozen=True, slots=True)
class AuditRule:
    """One kind of finding. The first digit of the code says the severity."""

    code: str
    name: str
    summary: str
    hint: str = ""

    @property
    def severity(self) -> Severity:
        """How much it matters."""
        return _SEVERITIES[self.code[2]]

    def at(
        self, place: str, message: str, *, old: Json = None, right: Json = None, hint: str | None = None
    ) -> AuditFinding:
        """A finding of this kind. `hint` where there is a better one than the rule's own."""
        return AuditFinding(
            code=self.code,
            name=self.name,
            severity=self.severity,
            place=place,
            message=message,
            old=json_value(old),
            right=json_value(round(right, _DECIMALS) if isinstance(right, float) else right),
            hint=self.hint if hint is None else hint,
        )


SIGN = AuditRule(
    "SA101",
    "sign-inverted",
    "A difference is baseline minus treatment: a gain reads as a loss, a saving as a cost.",
    "Read it with the other sign; the order of arms came from their names.",
)
NO_BASELINE = AuditRule(
    "SA102",
    "delta-without-baseline",
    "A difference is given though only one arm was run: the other side was taken as 0.",
    "Run the baseline before you speak of a gain.",
)
DELTA = AuditRule(
    "SA103",
    "delta-wrong",
    "A difference is not what the verdicts give, or not what the benchmark's own means give.",
    "Use the right value.",
)
CHARACTERS = AuditRule(
    "SA104",
    "characters-as-tokens",
    "Characters of the output stand where tokens should.",
    "Take tokens from timing.json, and leave them unknown where it has none.",
)
ZERO = AuditRule(
    "SA105",
    "zero-for-unknown",
    "Tokens or a time are 0, though they are recorded elsewhere or nobody recorded them.",
    "Take them from timing.json, and leave them unknown where it has none.",
)
SUMMARY_AS_ZERO = AuditRule(
    "SA106",
    "missing-summary-as-zero",
    "A run whose grading has no summary is counted as 0 %, though its criteria have verdicts.",
    "Count the verdicts of the criteria.",
)
ROW = AuditRule(
    "SA107",
    "row-wrong",
    "A benchmark's row contradicts the grading or the timing of its run.",
    "Use the right value.",
)
FIGURE = AuditRule(
    "SA108",
    "figure-wrong",
    "A mean, spread, least, greatest or count of a benchmark is not what its runs give.",
    "Use the right value.",
)
REPEATS = AuditRule(
    "SA109",
    "runs-per-configuration-wrong",
    "The benchmark says another number of runs than there are.",
    "Say how many runs there were; skill-creator's aggregator always writes 3.",
)
PERCENT = AuditRule(
    "SA110",
    "percent-scale",
    "A rate is written in per cent where its readers expect a fraction of 1.",
    "Divide by 100.",
)
NOT_A_NUMBER = AuditRule(
    "SA111",
    "not-a-number",
    "A rate or another figure is NaN or infinite, and makes every mean over it the same.",
    "Count the verdicts of the criteria.",
)
UNGRADED_AS_FAILED = AuditRule(
    "SA112",
    "ungraded-as-failed",
    "A mean counts runs without a grading as 0 %.",
    "Leave them out of the rate, and say how many there are.",
)
EMPTY = AuditRule(
    "SA114",
    "benchmark-empty",
    "A benchmark has no runs and zeros for results, though there are graded runs.",
    "The aggregator did not find the runs: its layout is another one. Use the figures of this audit.",
)
SUMMARY = AuditRule(
    "SA115",
    "summary-wrong",
    "A grading's summary contradicts its criteria.",
    "Count the verdicts of the criteria.",
)
REPEATED = AuditRule(
    "SA116",
    "criterion-repeated",
    "The grader answered a criterion more than once, so that it weighs more.",
    "Bind each verdict to a criterion's id, once.",
)
INVENTED = AuditRule(
    "SA117",
    "criterion-invented",
    "The grader answered a criterion that nobody declared, and it counts.",
    "Bind each verdict to a criterion's id; grade new criteria in every arm or in none.",
)
UNGRADED = AuditRule(
    "SA201",
    "run-not-graded",
    "A run has no grading: it is in no rate, and skill-creator's aggregator drops it without a trace.",
    "Grade it, or say that it crashed.",
)
UNREADABLE = AuditRule(
    "SA202",
    "grading-unreadable",
    "A grading cannot be read, so that its run vanishes.",
    "Mend the file or grade the run again.",
)
NOT_IN_BENCHMARK = AuditRule(
    "SA203",
    "run-not-in-benchmark",
    "A graded run has no row in the benchmark.",
    "Aggregate again.",
)
ARM_IGNORED = AuditRule(
    "SA204",
    "arm-ignored",
    "An arm that was run takes no part in the benchmark's comparison.",
    "Compare each arm with the named baseline.",
)
ROLE_UNKNOWN = AuditRule(
    "SA205",
    "arm-role-unknown",
    "Nothing says whether an arm has the skill or is the baseline; it is not guessed from the alphabet.",
    "Say so with --treatment NAME and --baseline NAME.",
)
ARM_MISSING = AuditRule(
    "SA206",
    "case-without-arm",
    "A case has no run in an arm: it cannot be paired, and a mean over runs compares different cases.",
    "Run the case in every arm.",
)
DROPPED = AuditRule(
    "SA207",
    "criterion-dropped",
    "The grader left out a declared criterion; the rate is over fewer.",
    "Grade it again, with each verdict bound to a criterion's id.",
)
NO_VERDICT = AuditRule(
    "SA208",
    "verdict-unreadable",
    "A criterion has no verdict that can be read as yes or no; it counts neither way.",
    "Write true or false.",
)
COUNTS_ALONE = AuditRule(
    "SA209",
    "counts-without-criteria",
    "A grading has counts but no criteria, so that nobody can check them; it is in no rate here.",
    "Keep the verdict and the evidence of each criterion.",
)
POOLED = AuditRule(
    "SA210",
    "pooled-spread",
    "A spread over the runs of several cases is shown as uncertainty; it is mostly how the cases differ.",
    "Use the paired interval of this audit.",
)
PLACEHOLDER = AuditRule(
    "SA211",
    "placeholder",
    "A model, name or path was never filled in.",
    "Write what was used; results of an unknown model cannot be compared.",
)
NO_METADATA = AuditRule(
    "SA212",
    "metadata-missing",
    "A case has no eval_metadata.json: the viewer shows no prompt, and the grader's criteria cannot be checked.",
    "Write eval_metadata.json into the folder of the case.",
)
NAMES = AuditRule(
    "SA213",
    "names-not-shown",
    "A grading uses names that skill-creator's viewer does not know: it shows criteria without text and as failed.",
    "Use expectations[] with text, passed and evidence.",
)
NESTED = AuditRule(
    "SA214",
    "nested-outputs",
    "Outputs lie in folders, where skill-creator's viewer does not look.",
    "Look at them on disk.",
)
PASSED_AS_TEXT = AuditRule(
    "SA215",
    "passed-as-text",
    'A verdict is the text "true" or "false"; to programs that ask whether it is empty, "false" is true.',
    "Write true or false without quotes.",
)
SAME_ID = AuditRule(
    "SA216",
    "case-twice",
    "Two cases have the same id. Runs that are copies count once here; the tool that wrote them may count them twice.",
    "Move the copy away, or give it an id of its own.",
)
NO_RUNS = AuditRule(
    "SA217",
    "figure-without-runs",
    "A benchmark has a row or an arm whose runs are not in this workspace, so that nobody can check it.",
    "Look for the run's folder; without it the figure cannot be checked.",
)
UNEVEN = AuditRule(
    "SA218",
    "criteria-differ",
    "The arms of a case were graded on different numbers of criteria that nothing declares: the rates are of different things.",
    "Declare the criteria of the case, and grade every arm on all of them.",
)
SUMMARY_MISSING = AuditRule(
    "SA301",
    "summary-missing",
    "A grading has no summary; skill-creator's aggregator will count the run as 0 %.",
    "Count the verdicts of the criteria.",
)
NULL_OBJECT = AuditRule(
    "SA302",
    "null-object",
    "A field that should hold an object is null; skill-creator's aggregator stops there.",
    "Leave the field out.",
)
ODD_RUN = AuditRule(
    "SA303",
    "odd-run-folder",
    "A run's folder has no number; skill-creator's aggregator stops there.",
    "Move it away, or name it run-N.",
)
STRAY = AuditRule(
    "SA304",
    "stray-entry",
    "Something lies where cases, arms or runs do and is none of them; a file called eval-… stops skill-creator's aggregator.",
    "Move it away.",
)
MIXED_IDS = AuditRule(
    "SA305",
    "mixed-ids",
    "Some ids of cases are numbers and some are texts; skill-creator's aggregator cannot sort them.",
    "Use one kind.",
)
PREFIX = AuditRule(
    "SA306",
    "folder-without-prefix",
    "A case's folder is not called eval-…; skill-creator's aggregator does not see it.",
    "Rename it, or aggregate with skilltrial.",
)
SCRIPT = AuditRule(
    "SA307",
    "closing-script-tag",
    "An output holds </script>; skill-creator's review page breaks there.",
    "Use another viewer for this workspace.",
)
NON_ASCII = AuditRule(
    "SA308",
    "text-outside-ascii",
    "There is text outside ASCII; skill-creator's programs fail on it where the locale is not UTF-8.",
    "Set PYTHONUTF8=1 for them.",
)
REWORDED = AuditRule(
    "SA309",
    "criterion-reworded",
    "The grader changed the words of a criterion; verdicts of different runs no longer match by text.",
    "Bind each verdict to a criterion's id.",
)
SHAPE = AuditRule(
    "SA310",
    "benchmark-not-checked",
    "A benchmark has none of the known shapes, so that its figures were not checked.",
    "Compare its figures with those of this audit.",
)
SPREAD = AuditRule(
    "SA311",
    "spread-divided-by-n",
    "A spread is divided by n; of a sample of runs it is divided by n − 1, and for few runs that is much.",
    "Use the right value.",
)

RULES: tuple[AuditRule, ...] = tuple(
    sorted((rule for rule in list(globals().values()) if isinstance(rule, AuditRule)), key=lambda rule: rule.code)
)
"""All of them by code."""


def inside(place: str, path: str) -> str:
    """A place in a file; `place` may be one already."""
    return f"{place}.{path}" if "#" in place else f"{place}#{path}"
