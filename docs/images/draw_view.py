# noqa: INP001 - a script, not a package
"""Take the pictures of the review page that README shows: `python docs/images/draw_view.py`.

They are of the workspace that `skilltrial demo` makes, 1280 pixels wide, in the light scheme. Chromium has to be on the path.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

_FOLDER = Path(__file__).parent
_SKILLTRIAL = (sys.executable, "-m", "skilltrial")
_WORKSPACE = "commit-style-workspace"
_WIDTH = 1280
_COLOURS = 128
_SETTLED_MS = 1500
"""The page keeps a connection for news, so that it is never idle."""


def take(page: Page, link: str, *, place: str, height: int, file: Path) -> None:
    """What a window of this height shows of a page, in few colours."""
    page.set_viewport_size({"width": _WIDTH, "height": height})
    page.goto(f"{link}#/{place}")
    page.locator("main:not([aria-busy]) h1").wait_for()
    page.wait_for_timeout(_SETTLED_MS)
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(_COLOURS)
    picture.save(file, optimize=True)


def main() -> None:
    """Both pictures, beside this file."""
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*_SKILLTRIAL, "demo", "--workspace", _WORKSPACE], cwd=folder, check=True, capture_output=True)
        command = [*_SKILLTRIAL, "view", _WORKSPACE, "--json"]
        with (
            subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server,
            sync_playwright() as with_,
        ):
            told = server.stdout.readline() if server.stdout else ""
            link = json.loads(told)["link"]
            browser = with_.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            page = browser.new_page(color_scheme="light")
            take(page, link, place="overview", height=900, file=_FOLDER / "view-overview.png")
            page.goto("about:blank")
            take(page, link, place="case?case=csv-header", height=1330, file=_FOLDER / "view-case.png")
            browser.close()
            server.terminate()


if __name__ == "__main__":
    main()
