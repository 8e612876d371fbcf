"""What two arms differ in: the only things that may."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from skilltrial.errors import PlanError
from skilltrial.records.plan import Arm, HarnessChoice

SKILL = "the skill"


def differences(first: Arm, second: Arm, harness: HarnessChoice) -> tuple[str, ...]:
    """Each in a few words, like `the model (a, b)`; empty where the agents of both get the very same.

    `harness` is that of arms without one of their own. Values of variables are not told.
    """
    one, other = first.harness or harness, second.harness or harness
    models = one.model or "its own", other.model or "its own"
    told = [
        (SKILL, _skill(first) == _skill(second), ""),
        ("the agent program", one.name == other.name, f" ({one.name}, {other.name})"),
        ("the model", one.model == other.model, f" ({', '.join(models)})"),
        ("the model's address", one.base_url == other.base_url, ""),
        ("the arguments of the agent program", one.args == other.args, ""),
        ("the skills beside", _beside(first) == _beside(second), f" ({_names(first)}, {_names(second)})"),
        ("the words before the prompt", first.prompt_prefix == second.prompt_prefix, ""),
        ("the variables", dict(first.env) == dict(second.env), f" ({', '.join(_variables(first, second))})"),
    ]
    return tuple(f"{name}{detail}" for name, same, detail in told if not same)


def require_distinct(arms: Sequence[Arm], harness: HarnessChoice) -> None:
    """Raise `PlanError` where two arms would get the very same thing: nothing can follow from their difference."""
    for first, second in _pairs(arms):
        if differences(first, second, harness):
            continue
        skill = first.skill
        what = f"hold the same skill ({skill.fingerprint})" if skill else "have no skill"
        raise PlanError(
            f"{first.name} and {second.name} both {what}: there is nothing to compare.",
            hint="Compare with another version (--baseline PATH, git:REF or iteration:N), or with none.",
            code="identical_arms",
        )


def require_alike(arms: Sequence[Arm], harness: HarnessChoice) -> None:
    """Raise `PlanError` where two arms differ in what nobody asked for: the sandbox, or the version of one agent program."""
    for first, second in _pairs(arms):
        one, other = first.harness or harness, second.harness or harness
        parts = {"sandbox": (one.sandbox, other.sandbox)}
        if one.name == other.name:
            parts |= {"version of the agent program": (one.version, other.version)}
            parts |= {"description of the agent program": (one.described, other.described)}
        for what, (here, there) in parts.items():
            if here != there:
                raise PlanError(
                    f"{first.name} and {second.name} would differ in the {what} ({here}, {there}), "
                    "which no arm asks for.",
                    hint="Is the agent program being updated? Run again.",
                    code="undeclared_difference",
                )


def confounded(arms: Sequence[Arm], harness: HarnessChoice) -> tuple[str, ...]:
    """A sentence for each treatment that differs from its baseline in the skill and in something else."""
    baseline = next((arm for arm in arms if arm.role == "baseline"), None)
    sentences: list[str] = []
    for arm in arms:
        if baseline is None or arm is baseline:
            continue
        first, *others = differences(arm, baseline, harness) or ("",)
        if first == SKILL and others:
            sentences.append(
                f"{arm.name} and {baseline.name} differ in the skill and in {' and '.join(others)}: "
                "their difference is not about the skill alone."
            )
    return tuple(sentences)


def _pairs(arms: Sequence[Arm]) -> Iterable[tuple[Arm, Arm]]:
    return ((first, second) for place, second in enumerate(arms) for first in arms[:place])


def _skill(arm: Arm) -> str | None:
    return arm.skill.fingerprint if arm.skill else None


def _beside(arm: Arm) -> list[tuple[str, str]]:
    return sorted((ref.name, ref.fingerprint) for ref in arm.beside)


def _names(arm: Arm) -> str:
    return " and ".join(sorted(ref.name for ref in arm.beside)) or "none"


def _variables(first: Arm, second: Arm) -> list[str]:
    return sorted(name for name in {*first.env, *second.env} if first.env.get(name) != second.env.get(name))
