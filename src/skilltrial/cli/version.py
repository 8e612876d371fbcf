"""The version of the installed package."""

from __future__ import annotations


def version() -> str:
    """Like `0.1.0`."""
    from importlib.metadata import version as installed_version  # noqa: PLC0415 - not needed for --help

    return installed_version("skilltrial")
