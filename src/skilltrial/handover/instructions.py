"""What the person or the agent that dispatches the trials is told. No arm, no skill, no expectation."""

from __future__ import annotations

from skilltrial.records.handover import Manifest, Task

_TEXT = """# How to run these tasks

This folder has {n} tasks. Each is for one agent with a fresh context. Run every one of them, in the order of the list
below, and change nothing about them.

For each task:

1. Start the agent anew: a new session, no memory of the other tasks, no earlier messages. Its working folder is `{work}`.
2. Give it the text of `{prompt}`, word for word, and nothing else: no introduction, no hint, no file that is not there, no
   mention of this folder or of other tasks. If it asks something, answer nothing; that is its end.
3. Let it work in its folder alone, at most {limit}. Do not help, do not repair, do not try again because you dislike
   what it did. Give every task the same agent, the same model and the same permissions.
4. When it has ended, hand back beside its working folder:

{hand_back}
   Write `{final}` last: a task with that file is taken as done. For an agent that ended without a message, write an empty file.
   Leave the working folder as the agent left it.

A task that broke down for a reason that is not the agent's (a lost connection, a refused login, a limit of the service) is not
handed back. Ask for a fresh copy of it; do not reuse its folder.

An agent that dispatches these tasks to others must not look into the working folders, and must not compare tasks. When you are
done, or in between, tell the person who gave you this folder. They collect the results.

## The list

{tasks}
"""
_EXAMPLE = (
    '`{"duration_ms": 81000, "timed_out": false, "model": "…", "version": "…", '
    '"input_tokens": 1200, "output_tokens": 340, "cost_usd": 0.02}`'
)
_ROWS = (
    ("final.md", "the agent's last message, as it is; required"),
    (
        "timing.json",
        "optional, what you know for certain, and nothing that you do not: " + _EXAMPLE,
    ),
)


def instructions(manifest: Manifest) -> str:
    """The text of INSTRUCTIONS.md."""
    rows = list(_ROWS)
    if manifest.stream_format:
        rows.insert(
            1, ("stream.jsonl", f"optional, what the agent program printed, in the format `{manifest.stream_format}`")
        )
    return _TEXT.format(
        n=len(manifest.tasks),
        work="ID/work",
        prompt="ID/prompt.md",
        final="ID/final.md",
        limit=_minutes(manifest.time_limit_s),
        hand_back="".join(f"   - `ID/{name}`: {what}\n" for name, what in rows),
        tasks="\n".join(_line(number, task) for number, task in enumerate(manifest.tasks, 1)),
    )


def _line(number: int, task: Task) -> str:
    return f"{number}. `{task.id}`: folder `{task.work}`, text `{task.prompt}`"


def _minutes(seconds: float) -> str:
    return f"{seconds:g} seconds" if seconds % 60 else f"{seconds / 60:g} minutes"
