"""A gate's outcome in words: for a terminal, as Markdown, and as commands to GitHub."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

from skilltrial.records.gate import Gate, GateOutcome, Rule, RuleOutcome
from skilltrial.report.figures import plural
from skilltrial.report.markdown import escape
from skilltrial.report.plain_text import line

WORDS: dict[GateOutcome, str] = {
    "pass": "PASS",
    "regression": "REGRESSION",
    "incomplete": "INCOMPLETE",
    "cannot tell": "CANNOT TELL",
}
_COMMANDS: dict[RuleOutcome, str] = {"pass": "notice", "undecided": "warning", "fail": "error"}
_SIGNS: dict[RuleOutcome, str] = {"pass": "✅", "undecided": "❔", "fail": "❌"}
_ORDER: dict[RuleOutcome, int] = {"fail": 0, "undecided": 1, "pass": 2}
_LONGEST = 600


def headline(gate: Gate) -> str:
    """One sentence: the outcome, and of how many rules."""
    counts = Counter(rule.outcome for rule in gate.rules)
    n = plural(len(gate.rules), "rule")
    said = {
        "pass": f"{n} hold."
        if len(gate.rules) > 1
        else "The only rule holds."
        if gate.rules
        else "No rule was asked for.",
        "regression": f"{counts['fail']} of {n} {'does' if counts['fail'] == 1 else 'do'} not hold.",
        "incomplete": f"{plural(gate.n_lost, 'trial has', 'trials have')} no result, so nothing final can be said.",
        "cannot tell": f"{counts['undecided']} of {n} {'is' if counts['undecided'] == 1 else 'are'} undecided.",
    }[gate.outcome]
    return f"{WORDS[gate.outcome]}: {said}"


def basis(gate: Gate, *, root: str = "") -> str:
    """One sentence: what is compared with what, and where the rules are from. Files below `root` are shown from there."""
    against = f"against {_from(root, gate.against)}" if gate.against else "without a baseline"
    rules = (
        f"rules of {_from(root, gate.settings)}"
        if gate.settings
        else "the default gate (there is no [gate] in a skilltrial.toml)"
    )
    return f"{gate.skill}, iteration {gate.iteration}, {against}; {rules}."


def ordered(gate: Gate) -> list[Rule]:
    """What failed first, what holds last."""
    return sorted(gate.rules, key=lambda rule: _ORDER[rule.outcome])


def title(rule: Rule) -> str:
    """The rule and what it is about."""
    return f"{rule.name}: {rule.about}" if rule.about else rule.name


def markdown(gate: Gate, *, root: str = "") -> str:
    """For a comment or a summary of steps: one heading, the outcome, a table; agents' and authors' texts are escaped.

    Files below `root`, the checkout, are shown from there: others read it who have theirs elsewhere.
    """
    return "\n".join(_markdown(gate, root)) + "\n"


def commands(gate: Gate, *, root: str = "") -> Iterator[str]:
    """Workflow commands of GitHub, one a rule that does not hold or is undecided, and one of the whole.

    Places in files below `root`, the checkout, are shown beside the code; relative ones are taken to start there.
    """
    for rule in ordered(gate):
        if rule.outcome != "pass":
            said = " ".join(part for part in (rule.said, rule.settle) if part)
            at = _place(rule.place, root)
            yield _command(_COMMANDS[rule.outcome], f"{gate.skill}: {title(rule)}", said, at)
    kind = {"pass": "notice", "cannot tell": "warning"}.get(gate.outcome, "error")
    yield _command(kind, f"{gate.skill}: gate", " ".join([headline(gate), *gate.notes]), {})


def _markdown(gate: Gate, root: str) -> Iterator[str]:
    yield f"### {escape(line(gate.skill))}: {escape(headline(gate))}"
    yield ""
    yield escape(line(basis(gate, root=root), _LONGEST))
    yield from ("", "| | rule | found | where |", "|---|---|---|---|")
    for rule in ordered(gate):
        said = " ".join(part for part in (rule.said, rule.settle) if part)
        cells = (line(title(rule)), line(said, _LONGEST), line(_from(root, rule.place)))
        yield f"| {_SIGNS[rule.outcome]} {rule.outcome} | {' | '.join(escape(cell) for cell in cells)} |"
    if gate.notes:
        yield ""
        yield from (f"- {escape(line(note, _LONGEST))}" for note in gate.notes)


def _place(place: str, root: str) -> dict[str, str]:
    name, _, number = place.rpartition(":")
    if not root or not name:
        return {}
    file = _from(root, name)
    return {} if PurePath(file).is_absolute() else {"file": file, "line": number}


def _from(root: str, place: str) -> str:
    """A file's place below `root` as it is from there, with forward slashes; any other as it is."""
    file = PurePath(place)
    if root and file.is_absolute() and file.is_relative_to(root):
        file = file.relative_to(root)
    return place if file.is_absolute() else file.as_posix()


def _command(kind: str, title: str, message: str, at: dict[str, str]) -> str:
    properties = {**at, "title": line(title)}
    told = ",".join(f"{name}={_escaped(value, of_property=True)}" for name, value in properties.items())
    return f"::{kind} {told}::{_escaped(line(message, _LONGEST * 2))}"


def _escaped(text: str, *, of_property: bool = False) -> str:
    replaced: list[tuple[str, str]] = [("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), ("##[", "# #[")]
    if of_property:
        replaced += [(":", "%3A"), (",", "%2C")]
    for character, code in replaced:
        text = text.replace(character, code)
    return text
