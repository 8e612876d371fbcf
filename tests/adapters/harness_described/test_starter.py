"""The descriptor that a person starts from."""

from __future__ import annotations

import re
from pathlib import Path

from skilltrial.adapters.harness.described import read_descriptor, starter

COMMENTED = re.compile(r"(?m)^# (?=\[|[a-z_]+ = )")


def test_it_is_right_as_it_is(tmp_path: Path) -> None:
    """A name and a program are all that it needs, whatever characters the program's path has."""
    file = tmp_path / "my-agent.toml"
    file.write_text(starter("my-agent", '/opt/my "agent"'))
    descriptor = read_descriptor(file)
    assert (descriptor.name, descriptor.program) == ("my-agent", '/opt/my "agent"')
    assert (descriptor.run.prompt, descriptor.stream.format) == ("stdin", "text")


def test_every_line_that_is_there_to_be_used_is_right_too(tmp_path: Path) -> None:
    """The words on the keys do not outlive the keys."""
    text, n_keys = COMMENTED.subn("", starter("my-agent", "agent"))
    assert n_keys == 26
    file = tmp_path / "my-agent.toml"
    file.write_text(text)
    descriptor = read_descriptor(file)
    assert descriptor.environment.keys == ("MY_AGENT_KEY",)
    assert descriptor.endpoint is not None
    assert descriptor.resume is not None
    assert descriptor.servers is not None
    assert descriptor.files[0].path == "{home}/.my-agent/config.json"
