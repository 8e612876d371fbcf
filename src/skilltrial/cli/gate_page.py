"""A gate in front of a person, a build server or GitHub."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from skilltrial import wiring
from skilltrial.cli.paragraph import paragraph
from skilltrial.cli.screen import Screen
from skilltrial.cli.single_workspace import single_iteration
from skilltrial.cli.standard_output import put
from skilltrial.errors import StoreError
from skilltrial.execute.resume import read_trials
from skilltrial.gate.drift import drift_of
from skilltrial.gate.judgement import judge_gate
from skilltrial.gate.promotion import promoted_baseline
from skilltrial.operations.leaving_out import without_those_left_out
from skilltrial.operations.promotion import read_promoted
from skilltrial.operations.triggering import read_results
from skilltrial.pipeline import summarise
from skilltrial.plan.iteration import read_plan
from skilltrial.ports import Store
from skilltrial.records.benchmark import Benchmark
from skilltrial.records.gate import Gate
from skilltrial.records.plan import Plan
from skilltrial.records.promoted import Drift
from skilltrial.records.settings import GateSettings
from skilltrial.report import gate as words
from skilltrial.report import junit
from skilltrial.report.plain_text import encodable
from skilltrial.spec.settings import find_settings, load_settings, setting_places
from skilltrial.spec.whole_file import write_whole

_COLUMN = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest:
    """What a person asks for, under the names of the options."""

    workspace: Path
    iteration: int | None = None
    config: Path | None = None
    against: Path | None = None
    """None: the baseline arm."""
    junit: Path | None = None
    markdown: Path | None = None
    github: bool = False
    env: Mapping[str, str]


def gate_and_print(request: GateRequest, *, as_json: bool) -> int:
    """Judge, write what was asked for, print; returns the exit code."""
    store = wiring.open_store(request.workspace, write=False)
    number = single_iteration(store, request.iteration)
    plan, benchmark = read_plan(store, number), summarise(store, number)
    settings, file, place = _settings(plan, request.config)
    gate = judge_gate(
        plan,
        benchmark,
        settings,
        place=place,
        settings_file=str(file or ""),
        promoted=str(request.against or ""),
        drifts=_drifts(plan, benchmark, store, request.against) if request.against else (),
        triggers=next(iter(read_results(request.workspace)), None) if settings.trigger else None,
    )
    if notice := without_those_left_out(store, benchmark):
        gate = gate.model_copy(update={"notes": (*gate.notes, notice)})
    if request.junit:
        write_whole(request.junit, junit.render(benchmark, gate).encode())
    root = request.env.get("GITHUB_WORKSPACE") or _checkout(file or Path(plan.skill.folder))
    if request.markdown:
        write_whole(request.markdown, words.markdown(gate, root=root).encode())
    if as_json:
        # The same document: a runner of GitHub takes two of these signs and a bracket for a command, anywhere in a line.
        put(gate.model_dump_json(indent=2, ensure_ascii=True).replace("##[", "#\\u0023[") + "\n")
    else:
        console = Screen()
        text = "".join(f"{row}\n" for row in _lines(gate, min(console.width, 80)))
        if request.github:  # the words of authors and agents are no commands
            text = text.replace("::", ": :").replace("##[", "# #[")
        put(encodable(text, console.encoding))
    if request.github:
        _tell_github(gate, request.env, root=root, beside=as_json)
    return gate.exit_code


def _settings(plan: Plan, config: Path | None) -> tuple[GateSettings, Path | None, Callable[[str], str]]:
    """What the file says of the gate, the file where it says anything, and where in it."""
    skill = Path(plan.skill.folder)
    file = config or (find_settings(skill) if skill.is_dir() else None)
    gate = load_settings(file).gate if file else None
    if file is None or gate is None:
        return GateSettings(), None, lambda _key: ""
    return gate, file, setting_places(file, "gate")


def _checkout(place: Path) -> str:
    """The repository that a file is in; empty where it is in none."""
    return next((str(folder) for folder in place.absolute().parents if (folder / ".git").exists()), "")


def _drifts(plan: Plan, benchmark: Benchmark, store: Store, against: Path) -> list[Drift]:
    then = read_promoted(against)
    now = promoted_baseline(plan, benchmark, read_trials(store, plan, benchmark.iteration))
    return [drift_of(then, now, arm.name) for arm in plan.arms if arm.role == "treatment"]


def _lines(gate: Gate, width: int) -> Iterator[str]:
    yield paragraph(words.headline(gate), width)
    yield paragraph(words.basis(gate), width)
    yield from (paragraph(note, width, indent="! ", further="  ") for note in gate.notes)
    for rule in words.ordered(gate):
        yield ""
        yield paragraph(words.title(rule), width, indent=f"{rule.outcome:<{_COLUMN}}", further=" " * _COLUMN)
        for text in filter(None, (rule.said, rule.settle, rule.place)):
            yield paragraph(text, width, indent=" " * _COLUMN)


def _tell_github(gate: Gate, env: Mapping[str, str], *, root: str, beside: bool) -> None:
    """Commands go where GitHub reads them: standard error too, where standard output is one JSON document."""
    text = "".join(f"{command}\n" for command in words.commands(gate, root=root))
    if beside:
        sys.stderr.write(text)
    else:
        put(text)
    summary = env.get("GITHUB_STEP_SUMMARY")
    if summary:
        try:
            with Path(summary).open("a", encoding="utf-8") as stream:
                stream.write(words.markdown(gate, root=root))
        except OSError as error:
            raise StoreError(f"the summary cannot be written ({error.strerror}).", where=summary) from error
