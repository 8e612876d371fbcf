"""The review page with 10,000 trials in a browser, and one page of 2,000 with skill-creator's beside it where its files are given.

Seconds are wall clock, from the start of the navigation to what can be used; CPU is the server's. Linux, with a Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from aggregate import make_grading, make_plan, make_trial
from skilltrial import wiring
from skilltrial.execute.run import write_metadata
from skilltrial.execute.trial_folder import write_trial
from skilltrial.grade.native import to_native
from skilltrial.iterations import note_iteration
from skilltrial.pipeline import summarise
from skilltrial.plan.iteration import freeze
from skilltrial.records import layout
from skilltrial.records.events import AssistantMessage, Event, ToolCall, ToolResult, UserMessage
from skilltrial.records.plan import Plan
from skilltrial.records.trial import HarnessResult, TrialKey
from skilltrial.testing.workspaces import write_workspace
from skilltrial.testing.workspaces_options import WorkspaceOptions

OURS = [sys.executable, "-m", "skilltrial", "view"]
LINK = re.compile(r"http://127\.0\.0\.1:\d+/[\w-]+/")
THEIRS = "eval-viewer/generate_review.py"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
# The moments at which a page says that it is complete and has something to read.
NOTE_USABLE = """
  globalThis.untilUsable = (begun, told) => {
    const main = document.querySelector("main");
    if (main && !main.hasAttribute("aria-busy") && main.querySelector("h1")) told((performance.now() - begun) / 1000);
    else setTimeout(globalThis.untilUsable, 2, begun, told);
  };
  globalThis.loaded = new Promise((told) => addEventListener("load", () => requestAnimationFrame(() =>
    setTimeout(() => told(performance.now() / 1000)))));
  globalThis.usable = new Promise((told) => globalThis.untilUsable(0, told));
"""
TO_PAGE = """(hash) => new Promise((told) => {
  const begun = performance.now();
  document.querySelector("main").setAttribute("aria-busy", "true");
  location.hash = hash;
  globalThis.untilUsable(begun, told);
})"""


def write_native(root: Path, n_trials: int) -> Plan:
    """Trials with a transcript, a grading and a report each, as the stages write them, but not waiting for the disk."""
    plan, rng = make_plan(n_trials), random.Random(1)
    store = wiring.open_store(root, write=True)
    try:
        freeze(store, plan, 1)
        write_metadata(plan, 1, store)
        for planned in plan.trials:
            folder = root / layout.trial_dir(1, planned.key)
            (folder / layout.OUTPUTS).mkdir(parents=True)
            (folder / layout.OUTPUTS / "report.md").write_text(f"# Sum\n\nIt is {planned.key.repeat}.\n" * 20)
            trial = make_trial(planned.key).model_copy(update={"final_message": "The sum is in report.md.\n" * 10})
            done = HarnessResult(outcome="completed", events=_events(planned.key))
            write_trial(trial, done, plan.case(planned.key.case_id), folder)
            grading = to_native(make_grading(planned.key, rng), trial)
            (folder / layout.GRADING).write_text(json.dumps(grading))
        benchmark = summarise(store, 1)
        place = f"{layout.iteration_dir(1)}/{layout.BENCHMARK}"
        store.write(place, benchmark.model_dump_json(indent=2).encode())
        note_iteration(store, benchmark)
    finally:
        store.close()
    return plan


def _events(key: TrialKey) -> tuple[Event, ...]:
    made: list[Event] = [UserMessage(ordinal=0, text="Do it.")]
    for number in range(10):
        made += [
            AssistantMessage(ordinal=len(made), text=f"Step {number} of {key}."),
            ToolCall(ordinal=len(made) + 1, call_id=str(number), name="Bash", input={"command": f"sum {number}"}),
            ToolResult(ordinal=len(made) + 2, call_id=str(number), text="1 2 3\n" * 20, is_error=False),
        ]
    return tuple(made)


@contextmanager
def served(workspace: Path) -> Generator[tuple[str, int]]:
    """The link and the process of a `skilltrial view`."""
    command = [*OURS, str(workspace), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            found = next((match for line in process.stdout if (match := LINK.search(line))), None)
            if found is None:
                raise SystemExit("skilltrial view told no link.")
            yield found.group(), process.pid
        finally:
            process.terminate()


def peak_mb(pid: int) -> float:
    """Most memory that the process ever held."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def cpu_s(pid: int) -> float:
    """User and system time of the process and of those that it waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def opened(browser: Browser, link: str, moment: str) -> tuple[Page, float]:
    """A page and the seconds until that moment of it."""
    page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
    page.add_init_script(NOTE_USABLE)
    page.goto(link)
    return page, page.evaluate(moment)


def measure_server(browser: Browser, folder: Path, n_trials: int) -> None:
    """First view, cases, case, the server's memory and CPU."""
    begun = time.perf_counter()
    plan = write_native(folder, n_trials)
    print(f"{len(plan.trials):,} trials (written in {time.perf_counter() - begun:.0f} s)")
    begun = time.perf_counter()
    with served(folder) as (link, pid):
        print(f"{'server answers':28} {time.perf_counter() - begun:6.2f} s")
        page, first = opened(browser, link, "usable")
        used = f"{cpu_s(pid):.2f} s CPU from the start of the program   {peak_mb(pid):.0f} MB"
        print(f"{'first view':28} {first:6.2f} s   ≤ 1.0   {used}")
        page.context.close()
        page, again = opened(browser, link, "usable")
        print(f"{'once more':28} {again:6.2f} s")
        for name, hash_ in (
            ("cases", "#/cases"),
            ("a case", "#/case?case=case-7"),
            ("another case", "#/case?case=case-8"),
            ("benchmark", "#/benchmark"),
            ("history", "#/history"),
        ):
            before = cpu_s(pid)
            seconds = page.evaluate(TO_PAGE, hash_)
            budget = "   ≤ 0.3" if "case" in hash_ and name != "cases" else ""
            print(f"{name:28} {seconds:6.2f} s{budget}   {cpu_s(pid) - before:.2f} s CPU   {peak_mb(pid):.0f} MB")
        print(f"{'memory of the server, peak':28} {peak_mb(pid):6.0f} MB  ≤ 150")
        page.context.close()


def measure_static(browser: Browser, folder: Path, theirs: Path | None, n_trials: int) -> None:
    """One file of the same skill-creator workspace by ours, and by theirs where it is given."""
    write_workspace(folder, WorkspaceOptions(evals=max(n_trials // 20, 1), runs=10))
    source = folder / "workspace"
    print(f"\nStatic page of {n_trials:,} runs in skill-creator's layout")
    _one_file(browser, "ours", [*OURS, str(source), "--static", str(folder / "ours.html")], "usable")
    if theirs is not None:
        command = [
            sys.executable,
            str(theirs / THEIRS),
            str(source / "iteration-1"),
            "--static",
            str(folder / "theirs.html"),
        ]
        _one_file(browser, "skill-creator's", command, "loaded")


def _one_file(browser: Browser, name: str, command: list[str], moment: str) -> None:
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    made = time.perf_counter() - begun
    file = Path(command[-1])
    page, seconds = opened(browser, file.as_uri(), moment)
    print(f"{name:16} {file.stat().st_size / 1e6:6.2f} MB, usable in {seconds:5.2f} s   (made in {made:.1f} s)")
    page.context.close()


def main() -> None:
    """Print one line a figure, with its budget where there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--static-trials", type=int, default=2_000)
    parser.add_argument("--skill-creator", type=Path, help="Folder of that skill, for its page in the same run.")
    given = parser.parse_args()
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        raise SystemExit("There is no chromium on the path.")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        measure_server(browser, Path(scratch, "workspace"), given.trials)
        measure_static(browser, Path(scratch, "made"), given.skill_creator, given.static_trials)
        browser.close()


if __name__ == "__main__":
    main()
