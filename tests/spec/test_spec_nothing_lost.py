"""Whatever keys a case has, reading keeps every value that its author wrote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skilltrial.records.json_value import Json
from skilltrial.spec.dialects.criteria import NATIVE, OTHERS
from skilltrial.spec.dialects.trigger_words import FLAGS, NOTE, SKILLS
from skilltrial.spec.dialects.vocabulary import EXPECTED, ID, LABELS, NAME, PROMPT, RUNS, SHOULD, UNUSED
from skilltrial.spec.suite import examine_suite

WORD = st.text("abc xyz.(/", min_size=1, max_size=6).filter(str.strip)
SCALAR = WORD | st.integers(2, 99) | st.none()
VALUE = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORD, inner, max_size=2), max_leaves=4
)
CHECK = st.fixed_dictionaries(
    {"type": st.sampled_from(["contains", "regex", "file-exists", "llm", "quality", "llm_judge"])},
    optional=dict.fromkeys(("value", "pattern", "path", "description", "rubric", "flags", "weight"), WORD),
)
KEYS = sorted(
    {*ID, *NAME, *PROMPT, *EXPECTED, *RUNS, *SHOULD, *FLAGS, *NOTE, *SKILLS, *NATIVE, *OTHERS, *LABELS, *UNUSED}
)
CASE = st.dictionaries(st.sampled_from(KEYS), VALUE | st.lists(CHECK, max_size=2) | st.booleans(), max_size=6)
LIST = st.sampled_from(["evals", "cases", "test_cases", "tasks", "queries"])


def _scalars(value: Json) -> Iterator[str | int]:
    if isinstance(value, dict | list):
        for one in cast("list[Json]", list(value.values()) if isinstance(value, dict) else value):
            yield from _scalars(one)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield value


@settings(deadline=None)
@given(
    key=LIST, cases=st.lists(CASE, min_size=1, max_size=3), prompt=WORD | st.none(), top=st.dictionaries(WORD, VALUE)
)
def test_every_value_is_found_again(
    tmp_path_factory: pytest.TempPathFactory,
    key: str,
    cases: list[dict[str, Json]],
    prompt: str | None,
    top: dict[str, Json],
) -> None:
    """As often as it was written; or the file is refused, and nothing of it is used."""
    content = {**top, key: [{"prompt": prompt, **case} if prompt else case for case in cases]}
    path = tmp_path_factory.getbasetemp() / "nothing-lost.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    reading = examine_suite(path, None)
    if reading.errors:
        return
    kept = Counter(_scalars([one.model_dump(mode="json") for one in (reading.suite, reading.triggers) if one]))
    lost = {value: n - kept[value] for value, n in Counter(_scalars(content)).items() if kept[value] < n}
    assert lost == {}
