"""JSON Schemas (draft 2020-12) of all native files, made from the records that the files are written from."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from skilltrial.errors import SpecError
from skilltrial.records.analysis import Analysis
from skilltrial.records.audit import Audit
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.comparison import BlindComparison, ComparisonKey
from skilltrial.records.doubles import DoubleCall
from skilltrial.records.events import Event
from skilltrial.records.files import (
    EvalMetadataFile,
    EvalsFile,
    GradingFile,
    MetricsFile,
    TimingFile,
    TriggerEntry,
)
from skilltrial.records.gate import Gate
from skilltrial.records.improvement import Improvement
from skilltrial.records.json_value import Json
from skilltrial.records.optimisation import Optimisation
from skilltrial.records.oracle import Oracle
from skilltrial.records.plan import Plan
from skilltrial.records.portfolio import Portfolio
from skilltrial.records.preference import PreferenceSummary
from skilltrial.records.promoted import PromotedBaseline
from skilltrial.records.trend import Trend
from skilltrial.records.trial import Trial
from skilltrial.records.trigger_results import TriggerMatrix, TriggerResults
from skilltrial.records.workspace_benchmark import WorkspaceBenchmark
from skilltrial.spec.assertions import KINDS, TRANSCRIPT_CHECKS

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_STATEMENT_KEYS = ("text", "rubric", "assertion", "description", "criterion", "name")
_PATH = {"type": "string", "minLength": 1}
_AUTHORED_PATHS: Mapping[str, Mapping[str, Json]] = {
    "setup_files": {"type": "array", "items": _PATH},
    "golden_file": _PATH,
}
_NEEDS_ONE: Mapping[str, tuple[str, ...]] = {
    "json_matches": ("schema", "pointer", "jsonpath"),
    "table_matches": ("columns", "rows", "cell", "sum"),
    "document_matches": ("pattern", "min_pages", "max_pages"),
    "image_matches": ("format", "size", "not_blank", "golden_file"),
    "diff_scope": ("max_files_touched", "max_lines_changed"),
    "limit": ("tokens", "cost_usd", "seconds", "tool_calls", "turns"),
    "similar": ("golden", "golden_file"),
}


class Published(NamedTuple):
    """A schema that can be printed."""

    form: Any
    """The type that it is made from."""
    summary: str
    """Which file, and what it holds, in one line."""


PUBLISHED: Mapping[str, Published] = {
    "evals": Published(EvalsFile, "evals/evals.json of a skill, as authors write it"),
    "triggers": Published(tuple[TriggerEntry, ...], "a trigger set: queries, and whether the skill should be loaded"),
    "plan": Published(Plan, "plan.json of an iteration: what is done, frozen before"),
    "eval_metadata": Published(EvalMetadataFile, "eval_metadata.json of a case: prompt and assertions"),
    "run": Published(Trial, "run.json of a trial: outcome, tokens, cost, evidence, files"),
    "event": Published(Event, "one line of transcript.jsonl of a trial"),
    "double_call": Published(DoubleCall, "one line of doubles.jsonl of a trial: what a double was asked"),
    "timing": Published(TimingFile, "timing.json of a trial: tokens and time"),
    "metrics": Published(MetricsFile, "outputs/metrics.json of a trial: tool calls and sizes"),
    "grading": Published(GradingFile, "grading.json of a trial: verdicts and evidence"),
    "benchmark": Published(Benchmark, "benchmark.json of an iteration: everything aggregated"),
    "iterations": Published(WorkspaceBenchmark, "benchmark.json of a workspace: a row for each iteration"),
    "baseline": Published(PromotedBaseline, "evals/baseline.json of a skill: figures that later ones are held to"),
    "gate": Published(Gate, "what `skilltrial gate --json` prints"),
    "portfolio": Published(Portfolio, "portfolio.json of a workspace: many skills, each on trial for itself"),
    "comparison": Published(BlindComparison, "comparison-N.json: which of two outputs is better, blind"),
    "comparison_key": Published(ComparisonKey, "key.json beside comparisons: which output is of which trial"),
    "comparison_summary": Published(PreferenceSummary, "summary.json beside comparisons: what they come to"),
    "analysis": Published(Analysis, "analysis-N.json: why one of two compared outputs won"),
    "trigger_results": Published(TriggerResults, "triggers.json of trigger trials: how often the skill was loaded"),
    "trigger_matrix": Published(TriggerMatrix, "matrix.json of trigger trials: several agent programs and models"),
    "improvement": Published(Improvement, "improve.json of an improvement of a skill"),
    "optimisation": Published(Optimisation, "optimise.json of a search for a better description"),
    "history": Published(Trend, "what `skilltrial history --json` prints"),
    "oracle": Published(Oracle, "what `skilltrial oracle --json` prints"),
    "audit": Published(Audit, "what `skilltrial audit --json` prints"),
}
"""By name, in the order in which the files come about."""


def schema(name: str) -> dict[str, Json]:
    """The JSON Schema of a native file. Raises `SpecError` for a name that is not in `PUBLISHED`."""
    if name not in PUBLISHED:
        raise SpecError(f"there is no schema {name!r}.", hint=f"There are: {', '.join(PUBLISHED)}.", code="no-schema")
    published = PUBLISHED[name]
    made = TypeAdapter[Any](published.form).json_schema(schema_generator=_Described)
    if name == "evals":
        _take_assertions(made)
    head = {"$schema": DIALECT, "$id": f"urn:skilltrial:schema:{name}:1", "title": published.summary}
    return {**head, **{key: value for key, value in made.items() if key not in head}}


class _Described(GenerateJsonSchema):
    """Takes the texts below fields, and the first paragraph of a class, as descriptions."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        model: type[BaseModel] = schema["cls"]
        names = {name: field.alias or name for name, field in model.model_fields.items()}
        return _described(super().model_schema(schema), model, names)

    def dataclass_schema(self, schema: core_schema.DataclassSchema) -> JsonSchemaValue:
        made = super().dataclass_schema(schema)
        return _described(made, schema["cls"], {name: name for name in made.get("properties", {})})


def _described(made: JsonSchemaValue, form: type, names: Mapping[str, str]) -> JsonSchemaValue:
    """With the texts of a class; `names` are those of its fields in Python and in JSON."""
    made["description"] = " ".join((inspect.getdoc(form) or "").partition("\n\n")[0].split())
    texts = _field_texts(form)
    for name, shown_as in names.items():
        shown = made.get("properties", {}).get(shown_as)
        if shown is not None:
            shown.pop("title", None)
            if name in texts:
                shown["description"] = texts[name]
    return made


def _field_texts(form: type) -> dict[str, str]:
    """The text below each field of a class and of those it is made from; none where the source is not at hand."""
    texts: dict[str, str] = {}
    for parent in reversed(form.__mro__):
        if parent in {object, BaseModel}:
            continue
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(parent)))
        except (OSError, SyntaxError):
            continue
        body: list[ast.stmt] = getattr(tree.body[0], "body", [])
        for node, after in pairwise(body):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and isinstance(after, ast.Expr):
                text = after.value.value if isinstance(after.value, ast.Constant) else None
                if isinstance(text, str):
                    texts[node.target.id] = " ".join(text.split())
    return texts


def _take_assertions(evals: dict[str, Any]) -> None:
    """Put the forms of assertions into the schema of eval files, from the records that they are read into."""
    forms = {f"assertion-{kind}": _authored(kind) for kind in KINDS}
    statement = {
        "type": "object",
        "description": "A statement for the judge, with an id of its own.",
        "properties": {"id": {"type": ["string", "integer"]}, **{key: {"type": "string"} for key in _STATEMENT_KEYS}},
        "anyOf": [{"required": [key]} for key in _STATEMENT_KEYS],
        "not": {"required": ["type"]},
    }
    text = {"type": "string", "minLength": 1, "description": "A statement for the judge."}
    del evals["$defs"]["Doubles"]["properties"]["written"]
    for form in forms.values():
        evals["$defs"] |= form.pop("$defs", {})
    evals["$defs"] |= {**forms, "assertion-statement": statement}
    listed = evals["$defs"]["EvalCase"]["properties"]["assertions"]
    array = next(form for form in listed["anyOf"] if form.get("type") == "array")
    refs = [{"$ref": f"#/$defs/{name}"} for name in ("assertion-statement", *forms)]
    array["items"] = {"anyOf": [text, *refs]}


def _authored(kind: str) -> dict[str, Any]:
    """An assertion as its author writes it: `id` and `text` may be left to the reader, and other keys are kept."""
    made = KINDS[kind].model_json_schema(schema_generator=_Described)
    properties = made["properties"]
    del properties["written"]
    properties["id"] = {"type": ["string", "integer"], "description": "Unique in its case."}
    properties["text"]["description"] = "What a person reads; made from the fields where it is absent."
    properties.pop("code", None)
    required = [key for key in made["required"] if key not in {"id", "text"}]
    if kind == "transcript_check":
        properties["check"]["enum"] = list(TRANSCRIPT_CHECKS)
        properties["pattern"] = {"type": "string"}
        required.append("pattern")
    if "negate" in properties:
        properties["not"] = {"type": "boolean", "description": "Another spelling of `negate`."}
    for key, form in _AUTHORED_PATHS.items():
        if key in properties:
            properties[key] = {**form, "description": properties[key]["description"]}
            made.get("$defs", {}).pop("CaseFile", None)
    if kind in _NEEDS_ONE:
        made["anyOf"] = [{"required": [key]} for key in _NEEDS_ONE[kind]]
    for key in ("pattern", "rubric", "path", "command"):
        if properties.get(key, {}).get("type") == "string":
            properties[key]["minLength"] = 1
    return {**made, "required": ["type", *required], "additionalProperties": True}
