"""All forms of eval files that are known, in the order in which they are tried."""

from __future__ import annotations

from functools import partial

from skilltrial.spec.dialects.case_folder import CASE_FOLDER
from skilltrial.spec.dialects.case_lists import CASE_LISTS
from skilltrial.spec.dialects.case_yaml import CASE_YAML
from skilltrial.spec.dialects.copilot_skill_eval import COPILOT_SKILL_EVAL
from skilltrial.spec.dialects.draft import FileDialect
from skilltrial.spec.dialects.evals_object import FAMILIES, OTHER, label, read_evals
from skilltrial.spec.dialects.evaluation import EVALUATION
from skilltrial.spec.dialects.prompt_files import PROMPT_FILES
from skilltrial.spec.dialects.results import RESULTS
from skilltrial.spec.dialects.single_case import SINGLE_CASE
from skilltrial.spec.dialects.skillgrade import SKILLGRADE
from skilltrial.spec.dialects.skilljack import SKILLJACK
from skilltrial.spec.dialects.trigger_prompts import TRIGGER_PROMPTS
from skilltrial.spec.dialects.trigger_sets import TRIGGER_SETS
from skilltrial.spec.dialects.vally import VALLY
from skilltrial.spec.dialects.waza import WAZA_EVAL, WAZA_TASK
from skilltrial.spec.json_source import Node


def _is_of(name: str, root: Node) -> bool:
    return label(root) == name


_EVALS = (*(family.name for family in FAMILIES), "mixed", OTHER)

DIALECTS: tuple[FileDialect, ...] = (
    CASE_FOLDER,
    CASE_YAML,
    WAZA_TASK,
    WAZA_EVAL,
    SKILLGRADE,
    SKILLJACK,
    VALLY,
    COPILOT_SKILL_EVAL,
    TRIGGER_PROMPTS,
    RESULTS,
    TRIGGER_SETS,
    PROMPT_FILES,
    *(FileDialect(name=name, fits=partial(_is_of, name), read=read_evals) for name in _EVALS),
    EVALUATION,
    SINGLE_CASE,
    # those of one tool stand above, those that take whatever has a list of cases below
    *CASE_LISTS,
)


def dialect_of(root: Node) -> FileDialect | None:
    """The first that a file fits; None where it is none that is known."""
    return next((dialect for dialect in DIALECTS if dialect.fits(root)), None)
