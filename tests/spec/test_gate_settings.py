"""`[gate]` of `skilltrial.toml`, and the line of what is wrong in the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from skilltrial.errors import SpecError
from skilltrial.records.settings import GateSettings
from skilltrial.spec.settings import load_settings, setting_places
from skilltrial.spec.toml_lines import line_of_key


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where the settings are."""
    return tmp_path / "skilltrial.toml"


def test_nothing_said_is_nothing(file: Path) -> None:
    """An empty [gate] is the default one, and one nevertheless."""
    file.write_text("[run]\nruns = 2\n")
    assert load_settings(file).gate is None
    file.write_text("[gate]\n")
    assert load_settings(file).gate == GateSettings()
    assert GateSettings().margin == 0.10


def test_all_keys(file: Path) -> None:
    """As docs/ci.md shows them."""
    file.write_text(
        '[gate]\nprimary = "improvement"\ngolden = ["a"]\nmax_cost_usd = 1\n[gate.trigger]\nmin_recall = 0.9\n'
    )
    gate = load_settings(file).gate
    assert gate
    assert (gate.primary, gate.golden, gate.max_cost_usd) == ("improvement", ("a",), 1.0)
    assert gate.trigger
    assert gate.trigger.min_recall == 0.9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[gate]\n\nmax_secnds = 3\n",
            r":3: the key 'gate.max_secnds' \(value 3\) is not known. Did you mean 'max_seconds'\?",
        ),
        ("[gate.trigger]\nmin_recal = 1\n", r":2: .* Did you mean 'min_recall'\?"),
        ("[gate]\nmin_pass_rate = 80\n", ":2: gate.min_pass_rate is 80: input should be less than or equal to 1"),
        (
            '[gate]\nprimary = "better"\n',
            ":2: gate.primary is 'better': input should be 'non-inferiority', 'improvement' or 'none'",
        ),
        ('[gate]\nprimary = "none"\nmargin = 0.2\n', ":3: gate.margin is 0.2, but it has no meaning"),
        ("[gate]\nmargin = 0\n", ":2: gate.margin is 0"),
    ],
)
def test_mistakes_name_their_line(file: Path, text: str, message: str) -> None:
    """With the key, the value and what is known."""
    file.write_text(text)
    with pytest.raises(SpecError, match=message):
        load_settings(file)


def test_where_a_key_is_written(file: Path) -> None:
    """In tables, dotted and quoted; the table's own line for what is not written."""
    file.write_text('a.b = 1\n[gate]  # ours\n"golden" = []\n[gate.trigger]\nmin_recall=1\n')
    assert line_of_key(file.read_text(), ("a", "b")) == 1
    place = setting_places(file, "gate")
    found = [place(key).rpartition(":")[2] for key in ("golden", "trigger.min_recall", "margin")]
    assert found == ["3", "5", "2"]
    assert line_of_key("x = { y = 1 }", ("z",)) is None
