"""Configuration -> objects. The only importer of adapters (harnesses come through their entry points)."""

from skilltrial.wiring.harnesses import (
    BUILTIN,
    CLAUDE_CODE,
    DEFAULT_MODELS,
    EMBEDDED,
    Candidate,
    Chosen,
    Wanted,
    choose_harness,
    harness_catalogue,
    harness_starter,
    installed_programs,
    read_harness,
    survey,
)
from skilltrial.wiring.means import (
    kill_agents,
    kill_marked,
    make_executor,
    make_workspace,
    open_judge,
    open_store,
    read_revision,
)
from skilltrial.wiring.others import copy_file, copy_outputs, exporter, is_unfinished_export, read_foreign, write_export
from skilltrial.wiring.sandboxes import open_sandbox, sandboxes

__all__ = [
    "BUILTIN",
    "CLAUDE_CODE",
    "DEFAULT_MODELS",
    "EMBEDDED",
    "Candidate",
    "Chosen",
    "Wanted",
    "choose_harness",
    "copy_file",
    "copy_outputs",
    "exporter",
    "harness_catalogue",
    "harness_starter",
    "installed_programs",
    "is_unfinished_export",
    "kill_agents",
    "kill_marked",
    "make_executor",
    "make_workspace",
    "open_judge",
    "open_sandbox",
    "open_store",
    "read_foreign",
    "read_harness",
    "read_revision",
    "sandboxes",
    "survey",
    "write_export",
]
