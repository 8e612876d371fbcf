"""One cheap real trial of an agent program: does it start, log in, answer, find a skill, and say what it took?"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from skilltrial import wiring
from skilltrial.errors import AuthFailed, HarnessError, NotInstalled
from skilltrial.ports import Capabilities, Harness, SkillSource, TrialRequest
from skilltrial.records.plan import HarnessChoice
from skilltrial.records.trial import HarnessResult

Word = Literal["yes", "no", "cannot tell"]
_NAME = "greeting-word"
_DESCRIPTION = "Knows the greeting word of this project. Use whenever somebody asks for the greeting word."
_SKILL = """---
name: {name}
description: {description}
---
# The greeting word

The greeting word is `{word}`. Answer with that word and nothing else.
"""
_PROMPT = "What is the greeting word of this project? Answer with the word alone."
_TIMEOUT_S = 180.0
_NOT_STARTED = {"not_installed", "crashed", "setup_failed"}
_OF_THE_SERVICE = {"rate_limited", "api_error", "network_error", "model_not_found"}


class Finding(NamedTuple):
    """What the trial showed of one thing."""

    what: str
    word: Word
    why: str


class Tryout(NamedTuple):
    """What one trial showed of an agent program."""

    choice: HarnessChoice | None
    """None where it could not start."""
    findings: tuple[Finding, ...]
    notices: tuple[str, ...] = ()

    def word(self, what: str) -> Word:
        """Of one finding."""
        for finding in self.findings:
            if finding.what == what:
                return finding.word
        return "cannot tell"


STARTS, LOGS_IN, ANSWERS, FINDS, LOADS, TOKENS, COST, ENDS = (
    "starts",
    "logs in",
    "answers",
    "finds a skill",
    "loads it",
    "tells tokens",
    "tells cost",
    "ends cleanly",
)


async def try_out(wanted: wiring.Wanted, *, agree: Callable[[HarnessChoice, Capabilities], Awaitable[None]]) -> Tryout:
    """Run the trial. `agree` is asked before, and raises where it does not. Raises `SpecError` for an unknown harness."""
    try:
        chosen = await wiring.choose_harness(wanted)
    except NotInstalled as error:
        return Tryout(None, (Finding(STARTS, "no", str(error)),))
    except AuthFailed as error:
        return Tryout(None, (Finding(STARTS, "yes", "it tells its version."), Finding(LOGS_IN, "no", str(error))))
    try:
        await agree(chosen.choice, chosen.harness.capabilities)
        word = f"w{secrets.token_hex(4)}"
        try:
            result = await _run(chosen.harness, chosen.choice, wanted, word)
        except HarnessError as error:
            return Tryout(None, (Finding(STARTS, "no", str(error)),))
    finally:
        await chosen.harness.aclose()
    return Tryout(chosen.choice, findings_of(result, chosen.harness.capabilities, word=word), chosen.notices)


async def _run(harness: Harness, choice: HarnessChoice, wanted: wiring.Wanted, word: str) -> HarnessResult:
    root = harness.capabilities.skill_root
    with TemporaryDirectory() as made:
        capture, source = _written(Path(made), root, word)
        async with wiring.make_workspace(wanted.env, wanted.confinement).open((), source, skill_root=root) as folders:
            request = TrialRequest(
                prompt=_PROMPT,
                work=folders.work,
                home=folders.home,
                tmp=folders.tmp,
                capture=capture,
                skill=folders.skill,
                model=choice.model,
                timeout_s=_TIMEOUT_S,
                seed=1,
                mark=secrets.token_hex(16),
                under_trial=_NAME,
            )
            return await harness.run(request)


def _written(made: Path, root: str, word: str) -> tuple[Path, SkillSource]:
    """A folder for the stream, and the skill."""
    folder, capture = made / _NAME, made / "capture"
    folder.mkdir()
    capture.mkdir()
    text = _SKILL.format(name=_NAME, description=_DESCRIPTION, word=word)
    (folder / "SKILL.md").write_text(text, encoding="utf-8")
    return capture, SkillSource(name=_NAME, description=_DESCRIPTION, folder=folder, root=root, files=("SKILL.md",))


def findings_of(result: HarnessResult, capabilities: Capabilities, *, word: str) -> tuple[Finding, ...]:
    """What a result shows; `word` stands in the skill and nowhere else."""
    said = result.reason.message if result.reason else ""
    code = result.reason.code if result.reason else None
    if result.outcome == "harness_error" and code in _NOT_STARTED:
        return (Finding(STARTS, "no", said),)
    starts = Finding(STARTS, "yes", f"version {result.version}." if result.version else "it ran.")
    if code == "auth_failed":
        return (starts, Finding(LOGS_IN, "no", said))
    if result.outcome == "harness_error":
        login: Word = "cannot tell" if code in _OF_THE_SERVICE else "no"
        return (starts, Finding(LOGS_IN, login, said), Finding(ANSWERS, "no", said))
    answers = result.final_message is not None
    return (
        starts,
        Finding(LOGS_IN, "yes" if answers else "cannot tell", "it got an answer." if answers else said),
        Finding(ANSWERS, "yes" if answers else "no", _short(result.final_message) if answers else said or "no text."),
        *_of_the_skill(result, word),
        *_of_the_means(result, capabilities),
        _end(result),
    )


def _of_the_skill(result: HarnessResult, word: str) -> tuple[Finding, Finding]:
    evidence = result.evidence
    if word in (result.final_message or ""):
        why = "its answer is the word that stands in the skill alone."
        return Finding(FINDS, "yes", why), Finding(LOADS, "yes", why)
    offered, reached = evidence.offered, evidence.reached
    found = True if offered or evidence.attempted or reached else offered
    return (
        _shown(FINDS, "the skill in its listing, or a call for it", fact=found),
        _shown(LOADS, "the skill's text given to it", fact=reached),
    )


def _of_the_means(result: HarnessResult, capabilities: Capabilities) -> tuple[Finding, Finding]:
    tokens, cost = result.usage.total_tokens, result.cost_usd
    silent = "its output has none."
    return (
        Finding(TOKENS, "no", silent) if tokens is None else Finding(TOKENS, "yes", f"{tokens:,} tokens."),
        Finding(COST, "yes", f"${cost:.4f}.")
        if cost is not None
        else Finding(COST, "no", "the model has no known price." if capabilities.tells_cost else silent),
    )


def _end(result: HarnessResult) -> Finding:
    if result.outcome != "completed":
        return Finding(ENDS, "no", result.reason.message if result.reason else result.outcome)
    if result.n_strays:
        return Finding(ENDS, "no", f"{result.n_strays} of its processes outlived it and were killed.")
    code = "" if result.exit_code is None else f" with exit code {result.exit_code}"
    return Finding(ENDS, "yes", f"by itself{code}, and left no process.")


def _shown(what: str, sign: str, *, fact: bool | None) -> Finding:
    if fact is None:
        return Finding(what, "cannot tell", "its output does not show it, and the answer is not the skill's word.")
    return Finding(what, "yes", f"its output shows {sign}.") if fact else Finding(what, "no", f"no sign of {sign}.")


def _short(text: str | None) -> str:
    words = " ".join((text or "").split())
    return words if len(words) <= 100 else f"{words[:99]}…"  # noqa: PLR2004 - a line of a terminal
