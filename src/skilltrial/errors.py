"""Errors that a person can act on.

    SkilltrialError                exit  what the caller can do
    ├── SpecError                   2    mend the skill, the eval file or the command line
    ├── PlanError                   2    change what was asked for
    ├── HarnessError                3    see to the agent program or its account
    │   ├── NotInstalled                 install it
    │   ├── AuthFailed                   log in, or give a key
    │   ├── RateLimited                  wait, or lower --concurrency
    │   ├── TimedOut                     raise --timeout
    │   ├── Crashed                      read stderr.txt
    │   ├── ImagesRefused                ask again without pictures
    │   └── Unparsable                   report the version of the agent program
    ├── GradingError                3    see to the judge model
    └── StoreError                  3    see to the disk, or to the other writer

A failure of one trial is never an exception: it is a record (`records.trial.Trial`). Exceptions end a command. The
command line prints `str(error)`, which is one paragraph, and leaves with `error.exit_code`.
"""

from __future__ import annotations


class SkilltrialError(Exception):
    """A failure with a stable code, what happened, where, and what to do about it."""

    code = "error"
    exit_code = 3

    def __init__(self, message: str, *, hint: str = "", where: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.where = where
        if code:
            self.code = code

    def __str__(self) -> str:
        head = f"{self.where}: {self.message}" if self.where else self.message
        return f"{head} {self.hint}".rstrip()


class SpecError(SkilltrialError):
    """A skill, an eval file or a setting that cannot be used."""

    code = "spec"
    exit_code = 2


class PlanError(SkilltrialError):
    """A request that cannot be planned: unknown case ids, arms without a baseline."""

    code = "plan"
    exit_code = 2


class HarnessError(SkilltrialError):
    """The agent program could not do its work; no statement about the skill follows."""

    code = "harness"


class NotInstalled(HarnessError):
    """The agent program, or the extra that it needs, is not on this machine."""

    code = "not_installed"


class AuthFailed(HarnessError):
    """The key or login was refused; every further trial would be refused too."""

    code = "auth_failed"


class RateLimited(HarnessError):
    """The service asked us to slow down, more often than the retries allow."""

    code = "rate_limited"


class TimedOut(HarnessError):
    """The agent program or its service did not answer in time."""

    code = "timed_out"


class Crashed(HarnessError):
    """The agent program ended without a result."""

    code = "crashed"


class ImagesRefused(HarnessError):
    """The model did not take a request with pictures; without them it may. `lasting`: it says that it takes none at all."""

    code = "images_refused"

    def __init__(self, message: str, *, hint: str = "", lasting: bool) -> None:
        super().__init__(message, hint=hint)
        self.lasting = lasting


class Unparsable(HarnessError):
    """The agent program wrote something that this version does not understand."""

    code = "unparsable"


class GradingError(SkilltrialError):
    """The judge model could not be used at all; single unanswered assertions are UNGRADED instead."""

    code = "grading"


class StoreError(SkilltrialError):
    """The workspace cannot be written or read: another writer, no space, no rights."""

    code = "store"
