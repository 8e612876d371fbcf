"""What a gate says of a benchmark."""

from __future__ import annotations

from typing import Literal

from skilltrial.records.record import Record

RuleOutcome = Literal["pass", "fail", "undecided"]
GateOutcome = Literal["pass", "regression", "incomplete", "cannot tell"]
Unit = Literal["points", "share", "usd", "seconds", "ratio", "count"]

EXIT_CODES: dict[GateOutcome, int] = {"pass": 0, "regression": 1, "incomplete": 3, "cannot tell": 4}


class Rule(Record):
    """One thing that has to hold."""

    name: str
    """The key in `[gate]`, like `min_pass_rate`."""
    about: str
    """The arm, the arms with `vs` between them, or the case; empty where it is all of them."""
    outcome: RuleOutcome
    unit: Unit
    figure: float | None
    """None: unknown."""
    low: float | None = None
    """Of the interval at 95 %, where the rule uses one."""
    high: float | None = None
    threshold: float | None
    """None where the rule has no number."""
    said: str
    """One sentence: what was found, and why that is the outcome."""
    settle: str = ""
    """Of an undecided rule: what would settle it."""
    place: str = ""
    """Where the threshold stands, `FILE:LINE`; empty of the default gate."""
    p_adjusted: float | None = None
    """By Holm, of the comparison: how likely so clear a pass is where the truth is just at the threshold. None elsewhere."""


class Gate(Record):
    """All rules, and what follows."""

    schema_version: Literal[1] = 1
    skill: str
    iteration: int
    against: str
    """The baseline arm's name, or the promoted file; empty where there is neither."""
    settings: str
    """The file with `[gate]`; empty: the default gate."""
    outcome: GateOutcome
    exit_code: int
    rules: tuple[Rule, ...]
    n_lost: int = 0
    """Trials that errors of tools, or an interruption, left without a result."""
    n_not_run: int = 0
    """Trials that a ceiling kept from being run."""
    notes: tuple[str, ...] = ()
    """What has to be known of the comparison: other models or versions than those of the promoted baseline, lost trials."""
