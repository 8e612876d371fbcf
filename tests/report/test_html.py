"""The report as a page."""

from __future__ import annotations

import hashlib
import re
import subprocess
from base64 import b64encode
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from skilltrial.records.benchmark import Benchmark
from skilltrial.report import html

VOID = {"meta", "link", "line", "circle", "rect", "li"}
"""Elements without an end tag here."""


class Reader(HTMLParser):
    """Takes a page apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "svg"} & set(self.open):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def test_says_what_the_terminal_says(better: Benchmark) -> None:
    """Word, sentence, notice, tables, what is left out, facts and next step are on the page."""
    text = Reader(html.render(better)).text
    for part in (
        "better commit-style helps: +63 points (95 % interval +40 to +93; 6 cases × 2 runs; builtin,",
        "Runs by a small local model (Qwen2.5-Coder-1.5B).",
        "2 new-feature 100 % 0 % +100 0",
        "tokens, mean 1,834 1,210 +52 %",
        "Not graded: 24 of 72 assertions",
        "info: Below 8 cases",
        "engine xllamacpp 2026.10",
        "Next: --judge MODEL",
    ):
        assert part in text


def test_unknown_is_never_zero(worse: Benchmark) -> None:
    """Tokens and cost that nobody knows are called unknown."""
    text = Reader(html.render(worse)).text
    assert "tokens, mean unknown unknown unknown" in text
    assert "tokens unknown" in text


def test_matrix_and_runs(unclear: Benchmark) -> None:
    """Each assertion has its count in every arm; each run has its verdicts with evidence."""
    page = html.render(unclear)
    assert (
        '2. assertion 2 of eval 2 <span class="small">answer_matches</span></th><td class="warning">1 of 2</td>' in page
    )
    assert (
        "<summary><b>with_skill</b> run 1: 1 of 2 hold, 10.0 s, tokens unknown, skill reached the agent</summary>"
        in page
    )
    assert '<li><b class="bad">FAIL</b> 2. nothing matches' in page


def test_runs_show_what_has_no_verdict(unclear: Benchmark) -> None:
    """An assertion without a verdict stands in its place among the others, with the reason."""
    first, *others = unclear.runs
    answered, unanswered = first.expectations[1:], {**first.expectations[0], "verdict": "UNGRADED", "passed": None}
    mixed = first.model_copy(
        update={"expectations": answered, "unanswered": ({**unanswered, "evidence": "no judge"},), "ungraded": 1}
    )
    page = html.render(unclear.model_copy(update={"runs": (mixed, *others)}))
    assert '<li><b class="muted">UNGRADED</b> 1. no judge\n<li><b class="bad">FAIL</b> 2. nothing matches' in page
    assert ", 1 ungraded, 10.0 s" in page


def test_cases_are_in_natural_order(unclear: Benchmark) -> None:
    """Eval 2 stands before eval 10."""
    page = html.render(unclear)
    assert page.index(">eval 2<") < page.index(">eval 10<")


def test_no_interval_where_it_says_nothing(unclear: Benchmark, better: Benchmark) -> None:
    """The interval is drawn, but not for an invalid comparison."""
    assert 'class="estimate"' in html.render(better)
    assert 'class="estimate"' not in html.render(unclear)


def test_drawings_have_words(better: Benchmark) -> None:
    """Every drawing is named for those who do not see it, or is hidden from them."""
    drawings = [attributes for tag, attributes in Reader(html.render(better)).tags if tag == "svg"]
    assert len(drawings) == 1 + 2 + 6 + 1
    assert all(set(one) & {"aria-hidden", "role"} for one in drawings)
    assert "<title>with_skill 100 %, without_skill 25 %</title>" in html.render(better)


def test_dots_stand_where_the_rates_are(better: Benchmark) -> None:
    """0 % is at 3 % of the width, 100 % at 97 %, 25 % a quarter between."""
    page = html.render(better)
    assert '<circle class="baseline" cx="26.5%"' in page
    assert '<circle class="treatment" cx="97.0%"' in page


def test_policy_allows_nothing_but_its_own_style(hostile: Benchmark) -> None:
    """The policy holds the hash of the only style; no script, handler, style attribute or address is on the page."""
    page = html.render(hostile)
    style = page[page.index("<style>") + 7 : page.index("</style>")]
    digest = b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:" in page
    tags = Reader(page).tags
    assert {tag for tag, _ in tags} & {"script", "img", "iframe", "form", "object", "base"} == set()
    names = {name for _, attributes in tags for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in {"style", "src", "srcset"}}
    addresses = {attributes["href"] for _, attributes in tags if "href" in attributes}
    assert addresses == {"data:,", "#case-1"}


def test_hostile_texts_are_text(hostile: Benchmark) -> None:
    """They are shown, escaped, without characters that act, and short; the page's own tags close."""
    page = html.render(hostile)
    reader = Reader(page)
    assert not reader.open
    assert "<script>document.documentElement.dataset.owned=1</script>" in reader.text
    assert not set(page) & {"\x1b", "\x00", "\u202e"}
    assert "{{ 7 * 7 }}" in reader.text
    assert len(page) < 100_000


def test_headings_and_language(better: Benchmark) -> None:
    """One title, headings without gaps in their levels, a language, labelled sections."""
    tags = Reader(html.render(better)).tags
    levels = [int(tag[1]) for tag, _ in tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert ("html", {"lang": "en"}) in tags
    ids = [attributes["id"] for _, attributes in tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    named = {word for _, one in tags for word in (one.get("aria-labelledby") or "").split()}
    assert named <= set(ids)


def test_one_arm(one_arm: Benchmark) -> None:
    """Without a baseline there are no drawings of differences, and no column of them."""
    page = html.render(one_arm)
    assert "<svg" not in page
    assert "cannot be judged without both" in page
    assert "difference" not in page


def test_size_of_2000_runs(large: Benchmark) -> None:
    """2,000 runs with 30 MB of evidence make a page of at most 1.6 MB that says what it cut."""
    page = html.render(large)
    assert page.count("<details>") == 2_000
    assert len(page.encode()) <= 1_600_000
    assert "more]" in page


def test_evidence_of_few_runs_is_whole(better: Benchmark) -> None:
    """Small reports cut nothing that a person would read."""
    long = "word " * 700 + "end"
    first = better.runs[0]
    results = tuple({**one, "evidence": long} for one in first.expectations)
    page = html.render(better.model_copy(update={"runs": (first.model_copy(update={"expectations": results}),)}))
    assert long in page


def test_same_benchmark_same_bytes(better: Benchmark) -> None:
    """Nothing but the benchmark decides on the page."""
    assert html.render(better) == html.render(better)


def luminance(colour: str) -> float:
    """WCAG's relative luminance of `#rrggbb`."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", [0, 1])
def test_contrast(better: Benchmark, scheme: int) -> None:
    """All text colours reach 4.5:1 on both backgrounds, light and dark."""
    blocks = re.findall(r":root \{(.*?)\}", html.render(better), re.DOTALL)
    colours = dict(re.findall(r"--(\w+): (#\w{6})", blocks[scheme]))
    for text in ("text", "muted", "link", "good", "bad", "warning"):
        for back in ("back", "card"):
            high, low = sorted((luminance(colours[text]), luminance(colours[back])), reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (text, back)


@pytest.mark.browser
def test_nothing_runs_in_a_browser(hostile: Benchmark, chromium: Path, tmp_path: Path) -> None:
    """A real browser shows the hostile texts and runs nothing of them."""
    page = tmp_path / "report.html"
    page.write_text(html.render(hostile), encoding="utf-8")
    dom = dumped(chromium, page, tmp_path)
    assert '<html lang="en">' in dom
    assert "<script" not in dom.lower()
    assert "<img" not in dom.lower()
    assert "&lt;script&gt;document.documentElement.dataset.owned=1&lt;/script&gt;" in dom
    assert "What was tried" in dom


@pytest.mark.browser
def test_the_browser_test_can_fail(hostile_text: str, chromium: Path, tmp_path: Path) -> None:
    """The same text, unescaped and without a policy, does run: the test above would see it."""
    page = tmp_path / "bad.html"
    page.write_text(f'<!doctype html><html lang="en"><body>{hostile_text}</body></html>', encoding="utf-8")
    assert 'data-owned="1"' in dumped(chromium, page, tmp_path)


def dumped(chromium: Path, page: Path, folder: Path) -> str:
    """The page as the browser has it after loading."""
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-dev-shm-usage",
    ]
    done = subprocess.run(
        [str(chromium), *flags, f"--user-data-dir={folder / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
