"""The options of `skilltrial run`: their types and what `--help` says of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

SkillFolder = Annotated[Path, typer.Argument(help="The skill: a folder with a SKILL.md.", show_default=False)]
SkillOrSkills = Annotated[
    Path,
    typer.Argument(
        help="The skill: a folder with a SKILL.md. Or a folder of skills: a run of each.",
        show_default=False,
    ),
]
EvalFile = Annotated[
    Path | None, typer.Option(help="The eval file. Default: evals/evals.json of the skill.", show_default=False)
]
Runs = Annotated[
    int | None,
    typer.Option(help="Repeats of each case in each arm; a case's own `runs` wins. Default: 3.", show_default=False),
]
UntilDecided = Annotated[
    bool,
    typer.Option("--until-decided", help="Round by round, each case once in each arm, until the pairs decide."),
]
MaxRounds = Annotated[
    int | None,
    typer.Option(
        min=2, help="With --until-decided: so many at the most. Default: --runs if given, else 5.", show_default=False
    ),
]
Model = Annotated[
    str | None,
    typer.Option(
        help="The agent's model: embedded, openai:NAME, anthropic:NAME, or a name of the harness.",
        show_default=False,
    ),
]
Harness = Annotated[
    str | None,
    typer.Option(
        help="claude-code, builtin, codex, … (`harness list`). Default: the first that `doctor` finds ready.",
        show_default=False,
    ),
]
Harnesses = Annotated[
    list[str] | None,
    typer.Option(
        "--harness",
        help="claude-code, builtin, codex, … (`harness list`). Default: the first that `doctor` finds ready. "
        "Several, with commas or repeated: a matrix.",
        show_default=False,
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        help="The agent's model: embedded, openai:NAME, anthropic:NAME, or a name of the harness. Several: a matrix.",
        show_default=False,
    ),
]
Beside = Annotated[
    list[Path] | None,
    typer.Option(
        help="Another skill that agents find beside this one, in every arm; may be repeated.", show_default=False
    ),
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        help="Another endpoint for --model NAME: OpenAI-compatible, or what the harness speaks.", show_default=False
    ),
]
HarnessArg = Annotated[
    list[str] | None,
    typer.Option(help="An extra argument for the agent program; may be repeated.", show_default=False),
]
SandboxLevel = Annotated[
    str,
    typer.Option(
        help="What the agent runs in: none, bwrap, landlock, auto (the better that works here), docker:IMAGE, podman:IMAGE.",
        metavar="LEVEL",
    ),
]
Network = Annotated[
    str,
    typer.Option(
        help="What an agent in a sandbox may reach: all, model (the address of its model), or HOST:PORT,…",
        metavar="WHAT",
    ),
]
Judge = Annotated[
    str | None,
    typer.Option(
        "--judge",
        "--judges",
        help="Who grades prose: openai:NAME, anthropic:NAME, claude-code[:MODEL], … Several, with commas: the majority.",
        metavar="NAME",
        show_default=False,
    ),
]
JudgeSamples = Annotated[
    int | None,
    typer.Option(min=1, help="How often a judge is asked the same; most of it counts. Default: 1.", show_default=False),
]
JudgePrompt = Annotated[
    Path | None, typer.Option(help="Your own prompt for the judge (docs/grading.md).", show_default=False)
]
Responder = Annotated[
    str | None,
    typer.Option(
        help="The model that plays the user of cases with a responder. Default: the judge.", show_default=False
    ),
]
ArmNames = Annotated[
    str | None,
    typer.Option(
        help="What is compared: names, or NAME=FOLDER for another version (old_skill=../v1). "
        "Default: with_skill,without_skill.",
        show_default=False,
    ),
]
BaselineSource = Annotated[
    str | None,
    typer.Option(
        help="The skill as it was: a folder, git:REF, iteration:N; or none.", metavar="SOURCE", show_default=False
    ),
]
Ablate = Annotated[
    str | None,
    typer.Option(help="sections: also try the skill without one ## section each.", show_default=False),
]
ReuseBaseline = Annotated[
    bool, typer.Option("--reuse-baseline", help="Take over baseline trials of earlier iterations that still fit.")
]
ConfigFile = Annotated[
    Path | None,
    typer.Option(help="Settings. Default: the nearest skilltrial.toml of the skill.", show_default=False),
]
Only = Annotated[str | None, typer.Option(help="Case ids, separated by commas.", show_default=False)]
WorkspaceFolder = Annotated[
    Path | None, typer.Option(help="Where all is written. Default: beside the skill.", show_default=False)
]
Iteration = Annotated[
    str | None,
    typer.Option(help="A number, or new. Default: the newest goes on while nothing has changed.", show_default=False),
]
Concurrency = Annotated[int | None, typer.Option(min=1, help="Trials at a time. Default: 4.", show_default=False)]
Timeout = Annotated[
    float | None, typer.Option(help="Seconds that one trial may take. Default: 600.", show_default=False)
]
Seed = Annotated[
    int | None, typer.Option(help="Of the order, and of models that take one. Default: 1.", show_default=False)
]
MaxCost = Annotated[
    float | None, typer.Option(help="US dollars that the trials may cost; the judge is apart.", show_default=False)
]
MaxTokens = Annotated[int | None, typer.Option(help="Tokens that the trials may take together.", show_default=False)]
MaxTrials = Annotated[int | None, typer.Option(help="Trials of the plan that may be begun.", show_default=False)]
AskAbove = Annotated[float, typer.Option(help="Ask first where the forecast is above so many US dollars.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Plan and forecast only; nothing is started.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the benchmark as JSON.")]
