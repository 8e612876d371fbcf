"""Who is preferred blind, in one sentence."""

from __future__ import annotations

from skilltrial.records.preference import ArmPreference
from skilltrial.report.figures import percent, plural
from skilltrial.report.plain_text import line

_NAME = 40


def preference_sentence(each: ArmPreference) -> str:
    """The win rate of the first arm with its interval; a preference only where the whole interval is on one side of a half."""
    arm, against = line(each.arm, _NAME), line(each.against, _NAME)
    if each.win_rate is None:
        return f"{arm} and {against} were not compared."
    n_cases = plural(len(each.cases), "case")
    of = f"of {plural(each.n_comparisons, 'comparison')} on {n_cases}, a tie being half"
    if each.low is None or each.high is None:
        interval = "no interval from one case"
    else:
        interval = f"95 % interval {percent(each.low)} to {percent(each.high)}"
    preferred = line(each.preferred, _NAME) if each.preferred else "neither beyond doubt"
    return f"The judge prefers {preferred}: {arm} won {percent(each.win_rate)} against {against} ({interval}; {of})."
