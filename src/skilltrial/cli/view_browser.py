"""Opening a browser where there is one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping

_OPENERS = (
    "xdg-open",
    "gio",
    "x-www-browser",
    "gnome-open",
    "kde-open",
    "firefox",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "microsoft-edge",
    "brave-browser",
    "wslview",
)


def no_browser_because(env: Mapping[str, str], *, platform: str) -> str | None:
    """Why no browser can be opened where we run, in a few words; None where one can."""
    if env.get("SSH_CONNECTION") or env.get("SSH_TTY"):
        return "this is an SSH session"
    if env.get("CI"):
        return "this is a CI job"
    if platform in {"win32", "darwin", "cygwin"}:
        return None
    if not env.get("DISPLAY") and not env.get("WAYLAND_DISPLAY"):
        return "there is no display"
    if not env.get("BROWSER") and not any(shutil.which(name, path=env.get("PATH")) for name in _OPENERS):
        return "none was found"
    return None


def open_browser(link: str) -> None:
    """Open a link by a process of its own: whatever the browser says or waits for is not ours."""
    code = "import sys, webbrowser; webbrowser.open(sys.argv[1])"
    subprocess.Popen(
        [sys.executable, "-c", code, link],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
