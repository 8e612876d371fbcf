"""How assertions in prose are written: specific, verifiable, independent, non-trivial."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from skilltrial.records.suite import LlmJudge, Suite
from skilltrial.spec.lint.remark import Remark

_MAX_CHARS = 5_000
_MAX_WORDS = 60
_VAGUE_WORDS = 8
_CLAIMS = 3

_SUBJECT = r"(?:the\s+|an?\s+)?(?:agent|assistant|model|claude|skill|it|response|output|answer|result|reply|system)"
_TAUTOLOGY = re.compile(
    rf"""(?xi)
    (?:{_SUBJECT}\s+)?(?:should\s+|must\s+|will\s+)?(?:
      (?:produces?|generates?|gives?|provides?|returns?|creates?|writes?|has|have)\s+
        (?:an?\s+|the\s+|some\s+|any\s+)?(?:output|response|answer|result|reply|text|content)s?
        (?:\s+(?:to|for)\s+(?:the\s+)?(?:user|prompt|question|request|query|task))?
    | (?:responds?|answers?|replies|reply|works?|completes?|succeeds?|finish(?:es)?)
        (?:\s+successfully|\s+(?:to\s+)?(?:the\s+)?(?:user|prompt|question|request|query|task))?
    )\s*\.?
    | (?:the\s+)?(?:output|response|answer|result|reply)\s+
        (?:exists|is\s+(?:produced|generated|given|provided|present|returned|not\s+empty|non-empty))\s*\.?
    | (?:the\s+)?(?:task|request)\s+is\s+(?:completed?|done|finished|fulfilled)(?:\s+successfully)?\s*\.?
    """
)
_SUBJECTIVE = re.compile(
    r"""(?xi)\b(?:
      well[- ](?:structured|organi[sz]ed|written|formatted|designed|crafted|documented|presented|thought[- ]out)
    | (?:good|high|great|excellent|top|best|production)[- ]quality | of\ (?:good|high)\ quality
    | clean(?:ly)?[- ](?:code|design|structured?|layout|written|formatted) | clean\ and\ \w+ | (?:looks?|code\ is)\ clean
    | professional(?:ly|[- ]looking|[- ]quality|\ tone|\ look)? | (?:looks?|reads?|feels?|sounds?)\ (?:good|well|nice|natural|right)
    | easy\ to\ (?:read|understand|follow|use) | user[- ]friendly | reader[- ]friendly
    | elegant(?:ly)? | engaging | compelling | beautiful(?:ly)? | (?:visually\ )?(?:appealing|attractive|pleasing)
    | aesthetic(?:ally)? | intuitive(?:ly)? | polished | insightful | thoughtful(?:ly)? | nice(?:ly)?
    | readable | helpful | clear\ and\ (?:concise|simple|readable|understandable)
    )\b"""
)
_VAGUE = re.compile(
    r"""(?xi)(?<![\w-])(?:
      properly | correct(?:ly)? | appropriate(?:ly)? | adequate(?:ly)? | suitabl[ey] | reasonabl[ey] | sensibl[ey]
    | as\ (?:expected|needed|necessary|required|appropriate) | works?\ (?:well|fine|as\ intended) | good | effective(?:ly)?
    | accurate(?:ly)? | sufficient(?:ly)? | best\ practices? | meaningful(?:ly)? | thorough(?:ly)? | comprehensive(?:ly)?
    )\b"""
)
_SPECIFIC = re.compile(
    r"""(?x)[0-9`"'\u2018-\u201d_/\\{}<>=:()$#%*@] | \w\.\w | \B[A-Z] | [^.!?\s]\s+[A-Z] | \b(?:e\.g|such\ as|like|not|no)\b"""
)
_DISMISSED = re.compile(r"(?i)\b(?:not|no|never|only|merely|just|instead of|rather than|avoids?|without)\b")
_SENTENCE_END = re.compile(r"[.!?:]\s+\S")
_TERM = re.compile(r"\w-\w")
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]*\"|\u201c[^\u201d]*\u201d|\([^)]*\)|\[[^\]]*\]")
_VERBS = (
    "adds|asks|avoids|calls|changes|checks|cites|compiles|completes|contains|converts|covers|creates|defines|describes|does|"
    "ends|explains|exits|fails|fixes|flags|follows|gives|handles|has|identifies|implements|imports|includes|is|keeps|lists|"
    "loads|mentions|names|notes|offers|opens|passes|points|prints|produces|proposes|provides|raises|reads|recommends|"
    "references|refuses|reports|returns|runs|saves|says|sets|shows|starts|states|stops|suggests|summari[sz]es|tells|updates|"
    "uses|validates|verifies|warns|writes|are"
)
_JOIN = re.compile(
    rf"(?i)(?:,\s+and\s+|,\s+|;\s+|\.\s+|\s+and\s+)(?:then\s+|also\s+|it\s+|they\s+|the\s+(?:[\w-]+\s+){{1,2}})?(?:{_VERBS})\b"
)
_LOUD_AND = re.compile(r"(?<=[a-z0-9`'\")])\s+AND\s+(?=[a-z`'\"(])")

_HINTS = {
    "tautological": "Say what a good result has that a poor one lacks, like: 'The total in report.md is 4,210.50'.",
    "subjective": "Say what can be seen: instead of 'well-structured', 'Has the headings Summary, Risks and Next steps'.",
    "vague": "Name what to look for: the file, the value, the words, the order.",
    "compound": "Write one assertion for each claim; each then has a verdict of its own.",
    "too-long": "Keep what must hold, one claim an assertion; explanations belong into `expected_output`.",
}


def about_writing(suite: Suite) -> Iterator[Remark]:
    """Remarks on the statements that a judge would have to answer; at most one for each, the gravest."""
    for case in suite.cases:
        for assertion in case.assertions:
            if not isinstance(assertion, LlmJudge) or assertion.written is None:
                continue
            found = _fault(assertion.rubric)
            if found is not None:
                name, what = found
                key = (case.id, assertion.id)
                yield Remark(name, what, key=key, value=assertion.rubric[:80], hint=_HINTS[name])


def _fault(text: str) -> tuple[str, str] | None:
    plain = " ".join(text[:_MAX_CHARS].split())
    if " " not in plain:
        return None  # a label; what is meant stands elsewhere
    if _TAUTOLOGY.fullmatch(plain):
        return "tautological", f"{plain[:80]!r} holds for any answer."
    return _unclear(plain) or _laden(plain)


def _unclear(text: str) -> tuple[str, str] | None:
    if _SPECIFIC.search(text):
        return None  # a number, a quote, a name: something that can be looked up
    taste = _SUBJECTIVE.search(text)
    if taste and not _DISMISSED.search(text):
        return "subjective", f"{taste[0]!r} is a matter of taste."
    empty = _VAGUE.search(text)
    if empty and len(text.split()) <= _VAGUE_WORDS and not _TERM.search(text):
        return "vague", f"{empty[0]!r} does not say what to look for."
    return None


def _laden(text: str) -> tuple[str, str] | None:
    """Of single sentences: several are a rubric that explains itself, with its own words for passing and failing."""
    if _SENTENCE_END.search(text):
        return None
    if _n_claims(text) >= _CLAIMS or _LOUD_AND.search(text):
        return "compound", "this makes several claims at once."
    n_words = len(text.split())
    return ("too-long", f"this has {n_words} words.") if n_words > _MAX_WORDS else None


def _n_claims(text: str) -> int:
    """Clauses with a verb of their own; what stands in quotes and brackets does not count."""
    bare = _QUOTED.sub("…", text)
    starts = [0, *(match.start() for match in _JOIN.finditer(bare)), len(bare)]
    return sum(end > start for start, end in pairwise(starts))
