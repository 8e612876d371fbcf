"""Secrets are masked wherever they stand."""

from __future__ import annotations

import json

from skilltrial.transcript.redaction import redactor, secrets_of


def test_a_secret_is_masked_everywhere() -> None:
    """Each time it stands in the data."""
    assert redactor(["sk-12345678"])(b"a sk-12345678 b sk-12345678") == b"a *** b ***"


def test_a_secret_inside_json_is_masked() -> None:
    """Also where JSON spells its characters differently."""
    secret = 'pass"wörd\\1'
    for ascii_only in (True, False):
        data = json.dumps({"x": f"<{secret}>"}, ensure_ascii=ascii_only).encode()
        assert json.loads(redactor([secret])(data)) == {"x": "<***>"}


def test_a_secret_within_another_leaves_nothing() -> None:
    """The longer one goes first."""
    assert redactor(["abcdefgh", "abcdefgh-ijkl"])(b"abcdefgh-ijkl") == b"***"


def test_short_values_are_left_alone() -> None:
    """They would eat ordinary words."""
    assert redactor(["dummy", ""])(b"a dummy") == b"a dummy"


def test_secrets_are_known_by_their_names() -> None:
    """Whatever program they are for."""
    env = {"OPENAI_API_KEY": "a", "GH_TOKEN": "b", "db_password": "c", "PATH": "/bin", "KEYBOARD": "de"}
    assert secrets_of(env) == ["a", "b", "c"]
