"""Which arms there are, in which order they are shown, and which two are compared."""

from __future__ import annotations

from dataclasses import dataclass

from skilltrial.records.plan import Arm, Plan


@dataclass(frozen=True, slots=True)
class Contest:
    """The arms whose difference is the lift, by role. None where the plan has no arm of that role."""

    treatment: Arm | None
    baseline: Arm | None

    @property
    def arms(self) -> tuple[Arm, ...]:
        """Those that exist, treatment first."""
        return tuple(arm for arm in (self.treatment, self.baseline) if arm is not None)


def ordered_arms(plan: Plan) -> tuple[Arm, ...]:
    """All arms, treatments first, each role in the plan's order."""
    return tuple(sorted(plan.arms, key=lambda arm: arm.role != "treatment"))


def contest(plan: Plan) -> Contest:
    """The first arm of each role; names and the order of roles do not matter."""

    def first(role: str) -> Arm | None:
        return next((arm for arm in plan.arms if arm.role == role), None)

    return Contest(first("treatment"), first("baseline"))


def contests(plan: Plan) -> tuple[Contest, ...]:
    """Every other arm against the baseline of `contest`, which is the first; empty without a treatment or a baseline."""
    sides = contest(plan)
    if sides.treatment is None or sides.baseline is None:
        return ()
    return tuple(Contest(arm, sides.baseline) for arm in ordered_arms(plan) if arm != sides.baseline)
